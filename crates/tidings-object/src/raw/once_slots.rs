//! A few things that all objects of an informer share, numbered as they came and never given back: so an object can
//! keep a number in place of the thing. What comes too late has no number.

use std::borrow::Borrow;
use std::sync::OnceLock;

/// At most `N` things.
#[derive(Debug)]
pub(super) struct OnceSlots<T, const N: usize>([OnceLock<T>; N]);

impl<T, const N: usize> OnceSlots<T, N> {
    /// Its number, if it came early enough.
    pub(super) fn number<Q: Eq + ?Sized>(&self, wanted: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        self.iter().position(|own| own.borrow() == wanted)
    }

    /// Its number; it is added if there is room.
    pub(super) fn number_or_add<Q: Eq + ToOwned<Owned = T> + ?Sized>(&self, wanted: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        // Who comes second to a place looks whether the first wanted the same.
        self.0.iter().position(|place| place.get_or_init(|| wanted.to_owned()).borrow() == wanted)
    }

    /// The thing with this number.
    pub(super) fn get(&self, number: usize) -> Option<&T> {
        self.0.get(number)?.get()
    }

    /// All there are, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map_while(OnceLock::get)
    }
}

impl<T, const N: usize> Default for OnceSlots<T, N> {
    fn default() -> Self {
        OnceSlots([const { OnceLock::new() }; N])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_few_keep_their_numbers_and_later_ones_get_none() {
        let few: OnceSlots<String, 2> = OnceSlots::default();
        assert_eq!(few.number("a"), None);
        assert_eq!(
            ["a", "b", "a", "c"].map(|text| few.number_or_add(text)),
            [Some(0), Some(1), Some(0), None]
        );
        assert_eq!(["b", "c"].map(|text| few.number(text)), [Some(1), None]);
        assert_eq!((few.get(0).map(String::as_str), few.get(2)), (Some("a"), None));
    }
}
