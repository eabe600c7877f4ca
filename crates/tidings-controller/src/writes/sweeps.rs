//! When a map of writes is swept.

/// A map is due when it has twice as many entries as after its last sweep, and more than `MIN`. So the cost for each
/// added entry is constant (amortized), and the map has at most twice the entries that a sweep can't remove.
#[derive(Debug)]
pub(super) struct Sweeps<const MIN: usize> {
    pub(super) due_above: usize,
}

impl<const MIN: usize> Sweeps<MIN> {
    pub(super) fn is_due(&self, entries: usize) -> bool {
        entries > self.due_above
    }

    /// A sweep has left this number of entries.
    pub(super) fn swept(&mut self, entries: usize) {
        self.due_above = MIN.max(entries * 2);
    }
}

impl<const MIN: usize> Default for Sweeps<MIN> {
    fn default() -> Self {
        Sweeps { due_above: MIN }
    }
}
