//! Which keys a member may permit, as long as its lease is valid.

use std::sync::Arc;

use super::record::Claim;
use super::view::GroupView;

/// Step 4 of the protocol, without the validity of the lease.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ownership {
    /// All of these views must assign the key to this member. Without views, no key is owned.
    pub(super) ours_in: Vec<Arc<GroupView>>,
    /// The claims of other members that may overlap with `ours_in`.
    pub(super) contested: Vec<(Arc<str>, Claim)>,
}

impl Ownership {
    pub(super) fn permits(&self, key: &str, me: &str) -> bool {
        !self.ours_in.is_empty()
            && self.ours_in.iter().all(|view| view.assigns(key, me))
            && !self.contested.iter().any(|(identity, claim)| claim.has(key, identity))
    }
}
