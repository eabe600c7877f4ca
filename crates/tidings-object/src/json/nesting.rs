//! The stack of open containers, one bit each. Up to 64 need no allocation.
//!
//! Example: inside `{"a":[[` the bits are `100`: an object, then two arrays.

/// The type of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Object,
    Array,
}

/// The open containers, innermost last.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    /// The innermost `depth % 64` containers (or 64), with the innermost in the lowest bit; 1 means an object.
    bits: u64,
    depth: usize,
    /// The full words for the outer containers, 64 each.
    outer: Vec<u64>,
}

impl Nesting {
    #[inline]
    pub(super) fn push(&mut self, container: Container) {
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(container == Container::Object);
        self.depth += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.bits >>= 1;
        self.depth -= 1;
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.bits = self.outer.pop().expect("each 64 containers left a word");
        }
    }

    #[inline]
    pub(super) fn innermost(&self) -> Option<Container> {
        match (self.depth, self.bits & 1) {
            (0, _) => None,
            (_, 1) => Some(Container::Object),
            _ => Some(Container::Array),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_popped_in_reverse_order_at_any_depth() {
        let nth = |n: usize| if n.is_multiple_of(3) { Container::Object } else { Container::Array };
        let mut nesting = Nesting::default();
        for n in 0..1_000 {
            nesting.push(nth(n));
        }
        for n in (0..1_000).rev() {
            assert_eq!(nesting.innermost(), Some(nth(n)), "{n}");
            nesting.pop();
        }
        assert_eq!(nesting.innermost(), None);
    }
}
