//! A second API server over the same objects that is behind the first one: stale reads, and watches that go back.
//!
//! Clusters have several API servers behind one address, each with a cache of its own. A client that is sent from one to
//! another may read a state that is older than what it knows. This imitates the one that is behind. It has a store of its
//! own, which applies the changes of the first one when the test says so, and never by itself.
//!
//! | request | answer |
//! |---|---|
//! | GET, LIST, WATCH at version 0 | from its own, older state |
//! | GET, LIST at a version that it has not reached | waits, then 504 with the cause `ResourceVersionTooLarge` |
//! | WATCH from a version that it has not reached | silence until it has passed that version |
//! | GET, LIST without a version | consistent: from the first server |
//! | WATCH without a version | consistent: it catches up before it answers |
//! | writes, discovery | by the first server |

use std::sync::Arc;

use super::{Core, InProcess};
use crate::ApiServer;
use crate::fault::Faults;
use crate::request::RequestOptions;
use crate::resource::Verb;
use crate::store::ReplicationQueue;

/// A second API server over the same objects that is behind the first one until it is allowed to catch up.
///
/// It serves the built-in kinds. Going back in time and forgetting history affect it at once.
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

/// The server that a lagging one follows.
pub(crate) struct Leader {
    core: Arc<Core>,
    queue: Arc<ReplicationQueue>,
}

impl ApiServer {
    /// Another server over the same objects, which shows only what it is [allowed to](LaggingServer::advance).
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
        // What was before is in no history here.
        core.store.compact(None);
        leader.followers.lock().push(Arc::downgrade(&core));
        LaggingServer { core }
    }
}

impl LaggingServer {
    /// The `tower` service: no socket, no task.
    pub fn service(&self) -> InProcess {
        InProcess::new(Arc::clone(&self.core))
    }

    /// A client that calls this server, as an administrator.
    pub fn client(&self) -> kube_client::Client {
        kube_client::Client::new(self.service(), "default")
    }

    /// What goes wrong with the requests that this server is sent, and how often it did.
    pub fn faults(&self) -> &Faults {
        &self.core.faults
    }

    /// The newest version that it shows.
    pub fn version(&self) -> u64 {
        self.core.store.version()
    }

    /// How many changes of the first server it does not show yet.
    pub fn behind(&self) -> usize {
        self.core.leader.as_ref().map_or(0, |leader| leader.queue.len())
    }

    /// Shows so many more changes, or all if there are fewer.
    pub fn advance(&self, changes: usize) {
        self.core.apply_changes(changes);
    }

    /// Shows everything that has happened so far.
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

    /// The server's cores that follow this one.
    pub(super) fn followers(&self) -> Vec<Arc<Core>> {
        let mut followers = self.followers.lock();
        followers.retain(|follower| follower.strong_count() > 0);
        followers.iter().filter_map(std::sync::Weak::upgrade).collect()
    }

    /// The first server has another state: what was waiting never happened.
    pub(super) fn follow_restored(&self, saved: &crate::store::SavedState) {
        if let Some(leader) = &self.leader {
            leader.queue.clear();
            self.store.restore(saved);
        }
    }

    /// Who answers a request that this server was sent.
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
