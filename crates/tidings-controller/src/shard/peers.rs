//! The other members, as observed in the cache: what each published, when that version was first seen, and which
//! members are dead. Only the observer's own clock is used; the times in Leases are never read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::time::Instant;

use super::record::{Claim, MemberRecord};

/// A Lease of the group in a snapshot of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObservedLease {
    pub(super) name: Arc<str>,
    pub(super) version: LeaseVersion,
    pub(super) record: MemberRecord,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeaseVersion {
    pub(super) uid: Arc<str>,
    pub(super) version: Arc<str>,
}

#[derive(Debug, Default)]
pub(super) struct Peers {
    by_lease_name: BTreeMap<Arc<str>, Peer>,
    /// The cache has everything that was written before this time.
    fresh_until: Option<Instant>,
}

#[derive(Debug)]
struct Peer {
    version: LeaseVersion,
    record: MemberRecord,
    /// When this version was first observed. It was written before.
    seen_at: Instant,
    /// The Lease was deleted without a record that claims nothing: the member may still be working.
    is_deleted: bool,
    is_delete_tried: bool,
}

impl Peer {
    /// Whether the member can no longer rely on its lease: the cache is known to be fresh until a lease duration after
    /// the last change of the Lease. The current time alone proves nothing, because the cache may be stale.
    fn is_expired(&self, fresh_until: Option<Instant>) -> bool {
        fresh_until.is_some_and(|fresh| fresh >= self.seen_at + self.record.lease_duration)
    }
}

impl Peers {
    /// Applies a snapshot of the Leases of the others.
    pub(super) fn observe(&mut self, now: Instant, seen: Vec<ObservedLease>, fresh_until: Option<Instant>) {
        self.fresh_until = fresh_until;
        let names: BTreeSet<_> = seen.iter().map(|seen| Arc::clone(&seen.name)).collect();
        for ObservedLease { name, version, record } in seen {
            match self.by_lease_name.get_mut(&name) {
                Some(peer) if peer.version == version => {}
                _ => {
                    let peer =
                        Peer { version, record, seen_at: now, is_deleted: false, is_delete_tried: false };
                    self.by_lease_name.insert(name, peer);
                }
            }
        }
        self.by_lease_name.retain(|name, peer| {
            peer.is_deleted = !names.contains(name);
            !peer.is_deleted || (peer.record.claim != Claim::Nothing && !peer.is_expired(fresh_until))
        });
    }

    /// The Lease was deleted, and its last record claimed nothing.
    pub(super) fn member_left(&mut self, name: &str) {
        if self.by_lease_name.get(name).is_some_and(|peer| peer.is_deleted) {
            self.by_lease_name.remove(name);
        }
    }

    /// The live members that want keys.
    pub(super) fn members(&self) -> impl Iterator<Item = &Arc<str>> {
        self.live().map(|(_, peer)| &peer.record.identity)
    }

    /// The members that may be working, and their claims.
    pub(super) fn claims(&self) -> impl Iterator<Item = (&Arc<str>, &Claim)> {
        let alive = self.by_lease_name.values().filter(|peer| !peer.is_expired(self.fresh_until));
        alive.map(|peer| (&peer.record.identity, &peer.record.claim))
    }

    /// The Lease of a dead member, to be deleted. Only the live member with the first Lease name deletes, so that
    /// members do not compete. Each version is returned once.
    pub(super) fn next_expired_lease(&mut self, own_name: &str) -> Option<(Arc<str>, LeaseVersion)> {
        if self.live().any(|(name, _)| **name < *own_name) {
            return None;
        }
        let fresh = self.fresh_until;
        let is_due = |peer: &Peer| peer.is_expired(fresh) && !peer.is_deleted && !peer.is_delete_tried;
        let (name, peer) = self.by_lease_name.iter_mut().find(|(_, peer)| is_due(peer))?;
        peer.is_delete_tried = true;
        Some((Arc::clone(name), peer.version.clone()))
    }

    fn live(&self) -> impl Iterator<Item = (&Arc<str>, &Peer)> {
        self.by_lease_name.iter().filter(|(_, peer)| {
            let is_member = peer.record.claim != Claim::Nothing && !peer.record.identity.is_empty();
            is_member && !peer.is_deleted && !peer.is_expired(self.fresh_until)
        })
    }
}
