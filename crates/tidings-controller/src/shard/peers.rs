//! The other members as they were observed: what each published, when that was first seen, and who can no longer
//! be working. Time is the observer's own and passes evenly; times in records are never read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::time::Instant;

use super::record::{Claim, MemberRecord};

/// One Lease of the group in a snapshot of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObservedLease {
    pub(super) name: Arc<str>,
    pub(super) version: LeaseVersion,
    pub(super) record: MemberRecord,
}

/// One version of one Lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeaseVersion {
    pub(super) uid: Arc<str>,
    pub(super) version: Arc<str>,
}

/// The other members, by the names of their Leases.
#[derive(Debug, Default)]
pub(super) struct Peers {
    all: BTreeMap<Arc<str>, Peer>,
    /// The cache is known to have everything that was written before this moment.
    fresh_until: Option<Instant>,
}

#[derive(Debug)]
struct Peer {
    version: LeaseVersion,
    record: MemberRecord,
    /// When this version was first seen, which is not before it was written.
    seen_at: Instant,
    /// Its Lease is gone, and it never said that it leaves: it may still be working.
    is_gone: bool,
    is_delete_tried: bool,
}

impl Peer {
    /// Whether its lease can no longer be valid for itself: the cache is known to be newer than a lease duration
    /// after the last sign of life. A clock alone does not tell, for the cache may lag behind.
    fn is_expired(&self, fresh_until: Option<Instant>) -> bool {
        fresh_until.is_some_and(|fresh| fresh >= self.seen_at + self.record.lease_duration)
    }
}

impl Peers {
    /// Takes in a snapshot of the others' Leases.
    pub(super) fn observe(&mut self, now: Instant, seen: Vec<ObservedLease>, fresh_until: Option<Instant>) {
        self.fresh_until = fresh_until;
        let names: BTreeSet<_> = seen.iter().map(|seen| Arc::clone(&seen.name)).collect();
        for ObservedLease { name, version, record } in seen {
            match self.all.get_mut(&name) {
                Some(peer) if peer.version == version => {}
                _ => {
                    let peer = Peer { version, record, seen_at: now, is_gone: false, is_delete_tried: false };
                    self.all.insert(name, peer);
                }
            }
        }
        self.all.retain(|name, peer| {
            peer.is_gone = !names.contains(name);
            !peer.is_gone || (peer.record.claim != Claim::Nothing && !peer.is_expired(fresh_until))
        });
    }

    /// A Lease is gone whose last words were that it claims nothing.
    pub(super) fn member_left(&mut self, name: &str) {
        if self.all.get(name).is_some_and(|peer| peer.is_gone) {
            self.all.remove(name);
        }
    }

    /// Those who share the keys.
    pub(super) fn members(&self) -> impl Iterator<Item = &Arc<str>> {
        self.live().map(|(_, peer)| &peer.record.identity)
    }

    /// Those who may be working, and on what.
    pub(super) fn claims(&self) -> impl Iterator<Item = (&Arc<str>, &Claim)> {
        let alive = self.all.values().filter(|peer| !peer.is_expired(self.fresh_until));
        alive.map(|peer| (&peer.record.identity, &peer.record.claim))
    }

    /// A Lease to be cleared away, if it is for the member with this Lease to do so: the first one alive does.
    /// Each version is named once.
    pub(super) fn next_expired_lease(&mut self, own_name: &str) -> Option<(Arc<str>, LeaseVersion)> {
        if self.live().any(|(name, _)| **name < *own_name) {
            return None;
        }
        let fresh = self.fresh_until;
        let is_due = |peer: &Peer| peer.is_expired(fresh) && !peer.is_gone && !peer.is_delete_tried;
        let (name, peer) = self.all.iter_mut().find(|(_, peer)| is_due(peer))?;
        peer.is_delete_tried = true;
        Some((Arc::clone(name), peer.version.clone()))
    }

    fn live(&self) -> impl Iterator<Item = (&Arc<str>, &Peer)> {
        self.all.iter().filter(|(_, peer)| {
            let is_member = peer.record.claim != Claim::Nothing && !peer.record.identity.is_empty();
            is_member && !peer.is_gone && !peer.is_expired(self.fresh_until)
        })
    }
}
