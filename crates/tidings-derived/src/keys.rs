//! The keys of a collection as a source of requests for controllers.
//!
//! A subscriber is called by the graph's task itself, after the round was published. It has no mailbox, because a mailbox
//! merges: a handler that is late never learns of a state that came and went, but a reconcile may have read it.
//!
//! ```text
//! value A -> B, pending in the mailbox; a reconcile reads B and acts on it; B -> A
//! mailbox:     A to A is no change, and nothing is reported: what was done for B stays
//! subscriber:  called for B, then for A: the key is reconciled again
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidings_informer::{KeyChange, KeySource, KeySubscriber, KeySubscription};
use tidings_util::panic_message;
use tokio::sync::SetOnce;

use crate::collection::Collection;
use crate::element::Element;
use crate::error::{CollectionFault, DerivedError, FaultKind};
use crate::shared::{GraphShared, KeepAlive, NodeShared};
use crate::sync::Mutex;

/// The error type of [`KeySource`] and its subscriptions.
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A subscriber to the keys of one collection.
pub(crate) struct KeyReceiver {
    name: String,
    call: KeySubscriber,
    /// Set when the subscriber was called for every initial key.
    synced: SetOnce<()>,
    /// Keeps the collection running. `None` after the subscriber was removed.
    keep_alive: Mutex<Option<Arc<KeepAlive>>>,
}

impl KeyReceiver {
    pub(crate) fn is_open(&self) -> bool {
        self.keep_alive.lock().is_some()
    }

    /// Calls the subscriber with keys. A key that it refuses is reported as a fault of the collection.
    pub(crate) fn push<'a>(
        &self,
        changes: impl Iterator<Item = (&'a str, KeyChange)>,
        collection: &NodeShared,
    ) {
        for (key, change) in changes {
            let kind = match catch_unwind(AssertUnwindSafe(|| (self.call)(key, change))) {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => {
                    FaultKind::KeyRefused { subscriber: self.name.clone(), message: error.to_string() }
                }
                Err(panic) => {
                    FaultKind::HandlerPanicked { handler: self.name.clone(), message: panic_message(&*panic) }
                }
            };
            let collection_name = collection.name().to_owned();
            collection.report_fault(CollectionFault {
                collection: collection_name,
                key: key.to_owned(),
                kind,
            });
        }
    }

    pub(crate) fn initial_complete(&self) {
        let _ = self.synced.set(());
    }

    pub(crate) fn end(&self) {
        let keep_alive = self.keep_alive.lock().take();
        // Not under the lock: dropping the last one wakes the task.
        drop(keep_alive);
    }
}

/// The registration of a [`KeyReceiver`]. It does not keep the collection in the reports of its graph.
struct Subscription {
    receiver: Arc<KeyReceiver>,
    graph: Arc<GraphShared>,
    node: Weak<NodeShared>,
    collection: String,
}

impl Subscription {
    async fn wait_synced(&self) -> Result<(), DerivedError> {
        if let Some(node) = self.node.upgrade() {
            self.graph.wait_synced(&node).await?;
        }
        tokio::select! {
            biased;
            _ = self.receiver.synced.wait() => Ok(()),
            _ = self.graph.stopped.wait() => Err(self.not_synced()),
        }
    }

    fn not_synced(&self) -> DerivedError {
        match self.node.upgrade() {
            Some(node) => self.graph.not_synced(&node),
            None => DerivedError::NotSynced {
                collection: self.collection.clone(),
                reason: "it has ended".to_owned(),
            },
        }
    }
}

impl KeySubscription for Subscription {
    fn unsynced(&self) -> Option<String> {
        match self.receiver.synced.initialized() {
            true => None,
            false => Some(self.not_synced().to_string()),
        }
    }

    fn synced(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        async { self.wait_synced().await.map_err(BoxError::from) }.boxed()
    }

    fn failed(&self) -> BoxFuture<'static, BoxError> {
        let (graph, collection) = (Arc::clone(&self.graph), self.collection.clone());
        async move {
            graph.stopped.wait().await;
            match graph.failure() {
                Some(failure) => format!("collection {collection:?} follows nothing: {failure}").into(),
                None => std::future::pending().await,
            }
        }
        .boxed()
    }

    fn remove(&self) {
        self.receiver.end();
    }
}

impl<E: Element> KeySource for Collection<E> {
    fn name(&self) -> String {
        Collection::name(self).to_owned()
    }

    fn subscribe(&self, name: &str, subscriber: KeySubscriber) -> Result<Arc<dyn KeySubscription>, BoxError> {
        let receiver = Arc::new(KeyReceiver {
            name: name.to_owned(),
            call: subscriber,
            synced: SetOnce::new(),
            keep_alive: Mutex::new(Some(Arc::clone(&self.keep_alive))),
        });
        let own = Arc::clone(&receiver);
        self.register(name, Box::new(Arc::clone(&receiver)), Box::new(move || own.end()), None)?;
        let (graph, node) = (Arc::clone(&self.graph), Arc::downgrade(&self.node));
        let collection = Collection::name(self).to_owned();
        Ok(Arc::new(Subscription { receiver, graph, node, collection }))
    }
}
