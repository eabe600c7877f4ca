//! Which keys a member may work on now, as long as its lease is valid.

use std::sync::Arc;

use super::record::Claim;
use super::view::GroupView;

/// What decides about each key; the validity of the lease apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ownership {
    /// Each of these views must give a key to us. No views, no keys.
    pub(super) ours_in: Vec<Arc<GroupView>>,
    /// What others may be working on and the views do not rule out.
    pub(super) contested: Vec<(Arc<str>, Claim)>,
}

impl Ownership {
    pub(super) fn permits(&self, key: &str, me: &str) -> bool {
        !self.ours_in.is_empty()
            && self.ours_in.iter().all(|view| view.assigns(key, me))
            && !self.contested.iter().any(|(identity, claim)| claim.has(key, identity))
    }
}
