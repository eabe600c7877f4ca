//! A fixed number of slots, each filled once and never emptied (string interning, with a bound). All objects of an
//! informer share the values, and an object keeps the number of a slot in place of a value.
//!
//! Example, with two slots: adding `a`, `b`, `a`, `c` gives the numbers 0, 1, 0 and none, because there is no room for
//! `c`.

use std::borrow::Borrow;
use std::sync::OnceLock;

/// At most `N` different values.
#[derive(Debug)]
pub(super) struct OnceSlots<T, const N: usize>([OnceLock<T>; N]);

impl<T, const N: usize> OnceSlots<T, N> {
    /// The number of a value, if it has one.
    pub(super) fn number<Q: Eq + ?Sized>(&self, wanted: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        self.iter().position(|own| own.borrow() == wanted)
    }

    /// The number of a value, which is added if there is room.
    pub(super) fn number_or_add<Q: Eq + ToOwned<Owned = T> + ?Sized>(&self, wanted: &Q) -> Option<usize>
    where
        T: Borrow<Q>,
    {
        // If another thread fills the slot first, its value is used only if it is equal.
        self.0.iter().position(|slot| slot.get_or_init(|| wanted.to_owned()).borrow() == wanted)
    }

    /// The value with this number.
    pub(super) fn get(&self, number: usize) -> Option<&T> {
        self.0.get(number)?.get()
    }

    /// All values, in the order of their numbers.
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
    fn the_first_values_keep_their_numbers_and_later_ones_get_none() {
        let slots: OnceSlots<String, 2> = OnceSlots::default();
        assert_eq!(slots.number("a"), None);
        assert_eq!(
            ["a", "b", "a", "c"].map(|text| slots.number_or_add(text)),
            [Some(0), Some(1), Some(0), None]
        );
        assert_eq!(["b", "c"].map(|text| slots.number(text)), [Some(1), None]);
        assert_eq!((slots.get(0).map(String::as_str), slots.get(2)), (Some("a"), None));
    }
}
