//! The open connections, and which one is closed when there are too many.
//!
//! A connection is cheap to open, so idle connections must not block probes. A new connection is always accepted. If there
//! are too many, another one is closed: the one that has been idle for longest, or, if none is idle, the one whose request
//! is the oldest.
//!
//! 1. If the peer of the new connection has [`PEER_MAX`] connections, one of these is closed. So no peer can use all.
//! 2. If there are [`CONNECTIONS_MAX`] connections, one of the peer with the most is closed. So peers with few keep theirs.
//!
//! Behind one proxy, or on loopback, all clients are one peer. It still has [`PEER_MAX`] connections, and a client that
//! sends its request at once gets a response.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use tokio::task::{AbortHandle, Id, JoinSet};

use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// The most connections at a time.
pub(super) const CONNECTIONS_MAX: usize = 256;

/// The most connections of one peer at a time.
pub(super) const PEER_MAX: usize = 128;

/// The open connections. Dropping it closes them.
#[derive(Default)]
pub(super) struct Connections {
    tasks: JoinSet<()>,
    open: HashMap<Id, OpenConnection>,
    order: Arc<AtomicU64>,
}

struct OpenConnection {
    peer: Peer,
    activity: Arc<ConnectionActivity>,
    task: AbortHandle,
}

/// When a connection last sent a request, and whether a response is in progress.
pub(super) struct ConnectionActivity {
    order: Arc<AtomicU64>,
    /// The number of the last request, or of the opening. Higher is later.
    last_request: AtomicU64,
    is_responding: AtomicBool,
}

/// A response is in progress until this is dropped.
pub(super) struct Responding(Arc<ConnectionActivity>);

/// An IPv4 address, or an IPv6 /64 network: a client with one address of it can use all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Peer(IpAddr);

impl Connections {
    /// Accepts a connection, and closes another one if there are too many.
    pub(super) fn admit<F>(&mut self, peer: IpAddr, serve: impl FnOnce(Arc<ConnectionActivity>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let peer = Peer::of(peer);
        let activity = Arc::new(ConnectionActivity {
            order: Arc::clone(&self.order),
            last_request: AtomicU64::new(self.order.fetch_add(1, Ordering::Relaxed)),
            is_responding: AtomicBool::new(false),
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
        self.open.insert(task.id(), OpenConnection { peer, activity, task });
    }

    /// Waits until one has ended; for ever if there is none.
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
            tracing::debug!(peer = %open.peer.0, "too many connections, closing an idle one");
            open.task.abort();
        }
    }
}

impl ConnectionActivity {
    /// A whole request was received.
    pub(super) fn request_received(self: &Arc<Self>) -> Responding {
        self.last_request.store(self.order.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.is_responding.store(true, Ordering::Relaxed);
        Responding(Arc::clone(self))
    }

    /// The connection with the lowest is closed first.
    fn rank(&self) -> (bool, u64) {
        (self.is_responding.load(Ordering::Relaxed), self.last_request.load(Ordering::Relaxed))
    }
}

impl Drop for Responding {
    fn drop(&mut self) {
        self.0.is_responding.store(false, Ordering::Relaxed);
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

    fn open(connections: &mut Connections, peer: &str) -> Arc<ConnectionActivity> {
        let mut kept = None;
        connections.admit(peer.parse().unwrap(), |activity| {
            kept = Some(activity);
            std::future::pending()
        });
        kept.unwrap()
    }

    fn is_open(connections: &Connections, activity: &Arc<ConnectionActivity>) -> bool {
        connections.open.values().any(|open| Arc::ptr_eq(&open.activity, activity))
    }

    // holds: X33
    #[tokio::test]
    async fn a_peer_has_a_limit_and_its_longest_idle_connection_is_closed() {
        let mut connections = Connections::default();
        let first = open(&mut connections, "10.0.0.1");
        let second = open(&mut connections, "10.0.0.1");
        let third = open(&mut connections, "10.0.0.1");
        let responding = first.request_received();
        for _ in 0..PEER_MAX - 3 {
            open(&mut connections, "10.0.0.1");
        }
        drop(second.request_received());
        assert_eq!(connections.open.len(), PEER_MAX);
        open(&mut connections, "::ffff:10.0.0.1");
        assert!(!is_open(&connections, &third), "it was idle for longest");
        for _ in 0..PEER_MAX - 3 {
            open(&mut connections, "10.0.0.1");
        }
        assert!(is_open(&connections, &second), "its request is later than the openings of the closed ones");
        for _ in 0..2 * PEER_MAX {
            open(&mut connections, "10.0.0.1");
        }
        assert!(!is_open(&connections, &second));
        assert!(is_open(&connections, &first), "a response is in progress");
        drop(responding);
        open(&mut connections, "10.0.0.1");
        assert!(!is_open(&connections, &first));
        assert_eq!(connections.open.len(), PEER_MAX);
    }

    // holds: X33
    #[tokio::test]
    async fn at_the_total_limit_a_connection_of_the_peer_with_the_most_is_closed() {
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
