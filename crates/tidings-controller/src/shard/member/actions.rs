//! What a member wants from its caller: requests to send, and effects to apply.

use std::sync::Arc;

use tidings_object::Key;
use tokio::time::Instant;

#[cfg(doc)]
use super::Member;
use crate::shard::peers::LeaseVersion;
use crate::shard::record::MemberRecord;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::shard) enum MemberAction {
    /// Write this record into the own Lease, then call [`Member::written`].
    Write(MemberRecord),
    /// Delete the own Lease, then call [`Member::own_deleted`].
    DeleteOwn,
    /// Delete this version of the Lease of a dead member, then call [`Member::expired_deleted`].
    DeleteExpired(Arc<str>, LeaseVersion),
    /// Wait for an event, or until this time.
    Wait(Option<Instant>),
    /// The member has left its group.
    Left,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shard) enum LeaseWriteResult {
    Done,
    /// The write may have taken effect or not.
    Failed,
}

pub(in crate::shard) type PermitId = u64;

/// What the caller must do after a method of [`Member`].
#[derive(Debug, Default)]
pub(in crate::shard) struct Effects {
    /// Permits that are revoked: their tokens must be cancelled.
    pub(in crate::shard) lost: Vec<PermitId>,
    /// When the claim expired, and the keys whose permits were held then.
    pub(in crate::shard) overrun: Option<(Instant, Vec<Key>)>,
    /// Whether keys may be permitted now that were refused before.
    pub(in crate::shard) is_changed: bool,
}
