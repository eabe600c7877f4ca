//! Which objects are told by which kin: those of one controller are of one family, and so are those that nobody
//! controls. A family that is large enough gets kin; one whose members are not alike soon has none.
//!
//! It must never hold much: all kin takes at most a share of what the objects take, and families are forgotten.

use std::collections::HashMap;
use std::sync::Arc;

use crate::body::{Body, Kin, Wire};
use crate::sync::{AtomicU64, Ordering};

/// The families of one informer.
#[derive(Debug, Default)]
pub(super) struct Families {
    families: HashMap<Family, State>,
    /// What all living kin takes.
    memory: Arc<AtomicU64>,
}

/// What objects have in common that are likely to be alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Family {
    wire: Wire,
    /// A hash of the controller's uid.
    controller: u64,
}

#[derive(Debug, Default)]
struct State {
    /// What was packed with the dictionary: kin must not be worse.
    bodies: u64,
    raw_bytes: u64,
    packed_bytes: u64,
    kin: Option<Arc<Kin>>,
    /// Of those since it has this kin: bodies that were told by it, and that were not.
    fits: u32,
    misfits: u32,
    /// How many were its kin, one after the other, without fitting most.
    failures: u32,
}

/// Fewer members do not pay for kin.
const MEMBERS_MIN: u64 = 16;

/// So many bodies that are told badly by their kin ask for another one.
const MISFITS_MAX: u32 = 16;

/// So many that could not be kin: nobody will be.
const FAILURES_MAX: u32 = 3;

/// Kin may take this part of what all objects take. It is only as much where families are many and small.
const MEMORY_SHARE: u64 = 8;

/// More are forgotten, first of all those without kin.
const FAMILIES_MAX: usize = 8_192;

impl Family {
    pub(super) fn new(wire: Wire, controller_uid: Option<&str>) -> Family {
        let hash = |uid: &str| twox_hash::XxHash3_64::oneshot(uid.as_bytes());
        Family { wire, controller: controller_uid.map_or(0, hash) }
    }

    pub(super) fn wire(self) -> Wire {
        self.wire
    }
}

impl Families {
    /// The kin of a family, if it has any, and how many bytes a body of `raw_len` may take with it.
    pub(super) fn kin(&self, family: Family, raw_len: usize) -> Option<(Arc<Kin>, usize)> {
        let state = self.families.get(&family)?;
        let packed_max = (raw_len as u64).saturating_mul(state.packed_bytes) / state.raw_bytes.max(1);
        Some((Arc::clone(state.kin.as_ref()?), usize::try_from(packed_max).ok()?))
    }

    /// A body was told by its kin.
    pub(super) fn fitted(&mut self, family: Family) {
        if let Some(state) = self.families.get_mut(&family) {
            state.fits += 1;
        }
    }

    /// A body was packed with the dictionary: there was no kin, or it did not fit. It may become the family's kin
    /// now; `objects_bytes` is what all objects take.
    pub(super) fn packed(&mut self, family: Family, raw: &[u8], body: &Body, objects_bytes: u64) {
        if self.families.len() >= FAMILIES_MAX && !self.families.contains_key(&family) {
            self.forget_some();
        }
        let state = self.families.entry(family).or_default();
        if state.wants_kin_after(raw.len(), body.packed_len())
            && self.memory.load(Ordering::Relaxed) < objects_bytes / MEMORY_SHARE
        {
            state.kin = Kin::new(raw, Arc::clone(&self.memory)).map(Arc::new);
            (state.fits, state.misfits) = (0, 0);
        }
    }

    /// Begins anew. Bodies that were told by kin keep it.
    pub(super) fn forget_all(&mut self) {
        self.families = HashMap::new();
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    fn forget_some(&mut self) {
        self.families.retain(|_, state| state.kin.as_ref().is_some_and(|kin| Arc::strong_count(kin) > 1));
        if self.families.len() > FAMILIES_MAX / 2 {
            self.forget_all();
        }
    }
}

impl State {
    /// Counts a body that was packed with the dictionary.
    fn wants_kin_after(&mut self, raw_len: usize, packed_len: usize) -> bool {
        self.bodies += 1;
        self.raw_bytes += raw_len as u64;
        self.packed_bytes += packed_len as u64;
        if self.kin.is_none() {
            return self.bodies >= MEMBERS_MIN && self.failures < FAILURES_MAX;
        }
        self.misfits += 1;
        if self.misfits < MISFITS_MAX {
            return false;
        }
        // Kin that fitted for long and no longer does shows that the family changes, and not that its members differ.
        self.failures = if self.fits > self.misfits { 0 } else { self.failures + 1 };
        if self.failures >= FAILURES_MAX {
            self.kin = None;
        }
        self.kin.is_some()
    }
}

#[cfg(test)]
mod tests;
