//! A second API server over the same objects that lags behind the first one: stale reads, and watches that go back in
//! time.
//!
//! Clusters have several API servers behind one address, each with its own cache. A client whose connection moves to
//! another server may read a state older than the one it has seen. This module imitates the server that lags behind
//! (the follower). It has its own store, and applies the changes of the first server (the leader) only when the test
//! calls `advance`.
//!
//! | request | answer |
//! |---|---|
//! | GET, LIST, WATCH at version 0 | from the follower's own, older state |
//! | GET, LIST at a version newer than the follower's | waits, then 504 with the cause `ResourceVersionTooLarge` |
//! | WATCH from a version newer than the follower's | no event until the follower has passed that version |
//! | GET, LIST without a version | consistent: answered by the leader |
//! | WATCH without a version | consistent: the follower first applies all changes |
//! | writes, discovery | answered by the leader |

use std::sync::Arc;

use super::{Core, InProcess};
use crate::ApiServer;
use crate::fault::Faults;
use crate::registry::ResourceRegistry;
use crate::request::RequestOptions;
use crate::resource::Verb;
use crate::store::ReplicationQueue;

/// A second API server over the same objects, which lags behind the first one until a test lets it catch up.
///
/// It serves the same resources, custom ones too. [`ApiServer::restore`] and [`ApiServer::expire_history`] affect it at
/// once.
///
/// ```
/// use tidings_apiserver::ApiServer;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let server = ApiServer::start().await;
/// let lagging = server.lagging();
/// server.put("pods", serde_json::json!({ "metadata": { "name": "web-0" } }));
/// assert_eq!((lagging.behind(), lagging.version()), (1, server.version() - 1));
/// lagging.catch_up();
/// assert_eq!(lagging.version(), server.version());
/// # }
/// ```
#[derive(Clone)]
pub struct LaggingServer {
    core: Arc<Core>,
}

/// The server whose changes a lagging server applies.
pub(crate) struct Leader {
    core: Arc<Core>,
    queue: Arc<ReplicationQueue>,
}

impl Leader {
    pub(super) fn registry(&self) -> &Arc<ResourceRegistry> {
        &self.core.registry
    }
}

impl ApiServer {
    /// A second server over the same objects, which shows a change only after [`advance`](LaggingServer::advance).
    pub fn lagging(&self) -> LaggingServer {
        let leader = self.core();
        let (saved, queue) = leader.store.follow();
        let core = Arc::new(Core::new(
            leader.settings.clone(),
            leader.users.clone(),
            leader.clock.clone(),
            Some(Leader { core: Arc::clone(leader), queue }),
        ));
        core.store.restore(&saved);
        // The follower has no history of earlier changes.
        core.store.compact(None);
        leader.followers.lock().push(Arc::downgrade(&core));
        LaggingServer { core }
    }
}

impl LaggingServer {
    /// The in-process transport, as a `tower` service.
    pub fn service(&self) -> InProcess {
        InProcess::new(Arc::clone(&self.core))
    }

    /// A kube client over the in-process transport, as an administrator.
    pub fn client(&self) -> kube_client::Client {
        kube_client::Client::new(self.service(), "default")
    }

    /// Fault injection for the requests that this server receives.
    pub fn faults(&self) -> &Faults {
        &self.core.faults
    }

    /// The newest version that this server shows.
    pub fn version(&self) -> u64 {
        self.core.store.version()
    }

    /// How many changes of the first server this one does not show yet.
    pub fn behind(&self) -> usize {
        self.core.leader.as_ref().map_or(0, |leader| leader.queue.len())
    }

    /// Applies the next `changes` changes of the first server, or all if there are fewer.
    pub fn advance(&self, changes: usize) {
        self.core.apply_changes(changes);
    }

    /// Applies all changes of the first server.
    pub fn catch_up(&self) {
        self.advance(usize::MAX);
    }
}

impl Core {
    fn apply_changes(&self, changes: usize) {
        let Some(Leader { core: leader, queue }) = &self.leader else { return };
        if queue.has_overflowed() {
            queue.clear();
            self.store.restore(&leader.store.save());
            self.store.compact(None);
            return;
        }
        for _ in 0..changes {
            if !self.store.apply_next(queue) {
                return;
            }
        }
    }

    /// The live followers of this server.
    pub(super) fn followers(&self) -> Vec<Arc<Core>> {
        let mut followers = self.followers.lock();
        followers.retain(|follower| follower.strong_count() > 0);
        followers.iter().filter_map(std::sync::Weak::upgrade).collect()
    }

    /// The leader was restored to a saved state, so the queued changes never happened.
    pub(super) fn follow_restored(&self, saved: &crate::store::SavedState) {
        if let Some(leader) = &self.leader {
            leader.queue.clear();
            self.store.restore(saved);
        }
    }

    /// The server that answers a request: this one or its leader. See the table above.
    pub(super) fn answering<'a>(
        self: &'a Arc<Self>,
        verb: Option<Verb>,
        options: Option<&RequestOptions>,
    ) -> &'a Arc<Self> {
        let Some(leader) = &self.leader else { return self };
        let has_version = options.is_some_and(|options| {
            !options.continue_token.is_empty() || options.version().is_ok_and(|version| version.is_some())
        });
        match verb {
            Some(Verb::Get | Verb::List | Verb::Watch) if has_version => self,
            Some(Verb::Watch) => {
                self.apply_changes(usize::MAX);
                self
            }
            _ => &leader.core,
        }
    }
}
