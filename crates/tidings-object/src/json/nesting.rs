//! Which containers are open: a bit each, sixty-four of them without allocating.

/// What a value stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Object,
    Array,
}

/// The open containers, innermost last.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    /// The bits of the innermost `depth % 64` containers (or 64 of them), the innermost lowest; set for an object.
    bits: u64,
    depth: usize,
    /// The words before `bits`: one for each 64 containers further out.
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
    fn containers_come_out_as_they_went_in_at_any_depth() {
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
