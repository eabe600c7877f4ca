//! Who is connected, and who has to go when a newcomer finds no room.
//!
//! A connection costs nothing but to be opened, so connections that say nothing must not keep probes out. A newcomer is
//! always let in; if there are too many, the connection that was idle for longest is closed, and one that is being
//! answered only if none is idle:
//!
//! 1. If the newcomer's own peer has more than [`PEER_MAX`], one of that peer's. So no peer can have all places.
//! 2. If there are more than [`CONNECTIONS_MAX`], one of the peer that has most. So those who have few keep theirs.
//!
//! Behind one proxy, or on loopback, everyone is one peer: it still has [`PEER_MAX`] places, and whoever asks at once is
//! answered.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use tokio::task::{AbortHandle, Id, JoinSet};

use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// Most connections at a time.
pub(super) const CONNECTIONS_MAX: usize = 256;

/// Most connections of one peer at a time.
pub(super) const PEER_MAX: usize = 128;

/// The connections that are open. Dropping it closes them.
#[derive(Default)]
pub(super) struct Connections {
    tasks: JoinSet<()>,
    open: HashMap<Id, Open>,
    order: Arc<AtomicU64>,
}

struct Open {
    peer: Peer,
    activity: Arc<Activity>,
    task: AbortHandle,
}

/// When one connection last asked for something, and whether it is being answered.
pub(super) struct Activity {
    order: Arc<AtomicU64>,
    /// Higher is later.
    asked: AtomicU64,
    is_answered: AtomicBool,
}

/// An answer is under way while this is held.
pub(super) struct Answering(Arc<Activity>);

/// An address of IPv4, or a network of IPv6: who has one address there has all of its 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Peer(IpAddr);

impl Connections {
    /// Lets a newcomer in, and closes another connection if there are too many.
    pub(super) fn admit<F>(&mut self, peer: IpAddr, serve: impl FnOnce(Arc<Activity>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let peer = Peer::of(peer);
        let activity = Arc::new(Activity {
            order: Arc::clone(&self.order),
            asked: AtomicU64::new(self.order.fetch_add(1, Ordering::Relaxed)),
            is_answered: AtomicBool::new(false),
        });
        if self.count(peer) >= PEER_MAX {
            self.evict_one_of(peer);
        }
        if self.open.len() >= CONNECTIONS_MAX
            && let Some(largest) =
                self.open.values().map(|open| open.peer).max_by_key(|peer| self.count(*peer))
        {
            self.evict_one_of(largest);
        }
        let task = self.tasks.spawn(serve(Arc::clone(&activity)));
        self.open.insert(task.id(), Open { peer, activity, task });
    }

    /// Waits until one has ended; for ever, if there is none.
    pub(super) async fn one_ended(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(Ok((id, ()))) => _ = self.open.remove(&id),
            Some(Err(error)) => _ = self.open.remove(&error.id()),
            None => std::future::pending().await,
        }
    }

    /// Waits until all have ended.
    pub(super) async fn ended(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    /// Closes all.
    pub(super) async fn close(&mut self) {
        self.tasks.shutdown().await;
    }

    fn count(&self, peer: Peer) -> usize {
        self.open.values().filter(|open| open.peer == peer).count()
    }

    fn evict_one_of(&mut self, peer: Peer) {
        let of_peer = self.open.iter().filter(|(_, open)| open.peer == peer);
        let oldest = of_peer.min_by_key(|(_, open)| open.activity.rank()).map(|(id, _)| *id);
        if let Some(open) = oldest.and_then(|id| self.open.remove(&id)) {
            tracing::debug!(peer = %open.peer.0, "too many connections: closing one that is idle");
            open.task.abort();
        }
    }
}

impl Activity {
    /// A request has come whole.
    pub(super) fn asked(self: &Arc<Self>) -> Answering {
        self.asked.store(self.order.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.is_answered.store(true, Ordering::Relaxed);
        Answering(Arc::clone(self))
    }

    /// The lowest goes first.
    fn rank(&self) -> (bool, u64) {
        (self.is_answered.load(Ordering::Relaxed), self.asked.load(Ordering::Relaxed))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.is_answered.store(false, Ordering::Relaxed);
    }
}

impl Peer {
    fn of(address: IpAddr) -> Peer {
        Peer(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 => v4,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(connections: &mut Connections, peer: &str) -> Arc<Activity> {
        let mut kept = None;
        connections.admit(peer.parse().unwrap(), |activity| {
            kept = Some(activity);
            std::future::pending()
        });
        kept.unwrap()
    }

    fn is_open(connections: &Connections, activity: &Arc<Activity>) -> bool {
        connections.open.values().any(|open| Arc::ptr_eq(&open.activity, activity))
    }

    // holds: X33
    #[tokio::test]
    async fn one_peer_has_no_more_than_its_share_and_loses_those_that_are_idle_for_longest() {
        let mut connections = Connections::default();
        let first = open(&mut connections, "10.0.0.1");
        let second = open(&mut connections, "10.0.0.1");
        let third = open(&mut connections, "10.0.0.1");
        let answered = first.asked();
        for _ in 0..PEER_MAX - 3 {
            open(&mut connections, "10.0.0.1");
        }
        drop(second.asked());
        assert_eq!(connections.open.len(), PEER_MAX);
        open(&mut connections, "::ffff:10.0.0.1");
        assert!(!is_open(&connections, &third), "it said nothing for longest");
        for _ in 0..PEER_MAX - 3 {
            open(&mut connections, "10.0.0.1");
        }
        assert!(is_open(&connections, &second), "it asked after those were opened that have gone");
        for _ in 0..2 * PEER_MAX {
            open(&mut connections, "10.0.0.1");
        }
        assert!(!is_open(&connections, &second));
        assert!(is_open(&connections, &first), "it is being answered");
        drop(answered);
        open(&mut connections, "10.0.0.1");
        assert!(!is_open(&connections, &first));
        assert_eq!(connections.open.len(), PEER_MAX);
    }

    // holds: X33
    #[tokio::test]
    async fn when_all_places_are_taken_those_who_have_most_lose_theirs() {
        let mut connections = Connections::default();
        let kubelet = open(&mut connections, "10.0.0.9");
        for peer in ["10.0.0.1", "10.0.0.2", "fd00::1:2:3:4", "fd00::5:6:7:8"] {
            for _ in 0..PEER_MAX {
                open(&mut connections, peer);
            }
            assert!(connections.open.len() <= CONNECTIONS_MAX);
        }
        assert!(is_open(&connections, &kubelet));
        let network = Peer::of("fd00::".parse().unwrap());
        assert!(connections.count(network) <= PEER_MAX, "a network is one peer");
        let late = open(&mut connections, "10.0.0.7");
        assert!(is_open(&connections, &late) && is_open(&connections, &kubelet));
        assert_eq!(connections.open.len(), CONNECTIONS_MAX);
    }
}
