//! The handle of a collection: reads, indexes, handlers. The operators that make collections of it are in `operators`.

mod operators;
mod reads;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::dependency::NodeId;
use crate::element::Element;
use crate::error::DerivedError;
use crate::handler::{CollectionNotification, CollectionNotifications, CollectionRegistration, run_handler};
use crate::mailbox::Mailbox;
use crate::shared::{EndUnused, GraphShared, KeepAlive, NewReceiver, NodeShared};
use crate::stats::CollectionStats;
use crate::table::{IndexFunction, IndexSpec};

pub use operators::{IntoOutput, IntoOutputs, Transformation};
pub(crate) use operators::{computed, derive};
pub use reads::{CollectionLister, CollectionSnapshot};

/// A collection of a [`Graph`](crate::Graph): values with unique keys that follow their inputs. This is a handle: its
/// clones are the same collection.
///
/// A collection lives as long as something uses it: handles, listers, snapshots' handles, streams, handlers, and
/// collections that were made of it. When the last of them is gone, its work ends and its memory is freed, and an
/// informer that nothing else uses stops.
pub struct Collection<E> {
    pub(crate) graph: Arc<GraphShared>,
    pub(crate) node: Arc<NodeShared>,
    pub(crate) keep_alive: Arc<KeepAlive>,
    element: std::marker::PhantomData<fn() -> E>,
}

/// An index of a collection: from a value to the elements that have it.
pub struct CollectionIndex<E> {
    collection: Collection<E>,
    number: u32,
    keep_alive: Arc<KeepAlive>,
}

impl<E: Element> Collection<E> {
    pub(crate) fn new(
        graph: &Arc<GraphShared>,
        (node, keep_alive): (Arc<NodeShared>, Arc<KeepAlive>),
    ) -> Self {
        Collection { graph: Arc::clone(graph), node, keep_alive, element: std::marker::PhantomData }
    }

    pub(crate) fn id(&self) -> NodeId {
        self.node.id()
    }

    pub(crate) fn graph_id(&self) -> usize {
        self.graph.id()
    }

    /// Its name in logs, metrics and errors.
    pub fn name(&self) -> &str {
        self.node.name()
    }

    /// Adds an index. The function returns the values of an element. It may be added at any time, and is dropped with
    /// its last handle.
    ///
    /// ```
    /// use tidings_derived::{Collection, EvaluationContext};
    ///
    /// fn example(workloads: &Collection<(String, Vec<String>)>) {
    ///     let by_service = workloads.index(|(_, services)| services.clone());
    ///     let of_web = |cx: &EvaluationContext<'_>| cx.by_index(&by_service, "shop/web").len();
    /// }
    /// ```
    pub fn index(&self, values: impl Fn(&E) -> Vec<String> + Send + Sync + 'static) -> CollectionIndex<E> {
        let values_of: IndexFunction<E> = Arc::new(values);
        let keep_alive = Arc::new(KeepAlive(Arc::clone(&self.graph)));
        let users = Arc::downgrade(&keep_alive);
        let number = self
            .graph
            .add_index(&self.node, |number| Box::new(Arc::new(IndexSpec { number, values_of, users })));
        CollectionIndex { collection: self.clone(), number, keep_alive }
    }

    /// Adds a handler, at any time. It receives all values as initial additions, and then every change. It has a task of
    /// its own and one call at a time: a slow handler holds up nothing, and gets one notification for several changes of
    /// a key. It keeps the collection running until it is removed.
    pub fn add_handler(
        &self,
        name: impl Into<String>,
        call: impl FnMut(&CollectionNotification<E>) + Send + 'static,
    ) -> Result<CollectionRegistration<E>, DerivedError> {
        let mailbox = Arc::new(Mailbox::new(name.into(), Some(Arc::clone(&self.keep_alive))));
        let task = run_handler(Arc::clone(&mailbox), call, Arc::clone(&self.node));
        self.register_mailbox(&mailbox, Some(Box::pin(task)))?;
        Ok(CollectionRegistration::new(mailbox, &self.node))
    }

    /// The notifications as a `Stream`, with the same guarantees as for a handler.
    pub fn notifications(&self) -> Result<CollectionNotifications<E>, DerivedError> {
        let mailbox = Arc::new(Mailbox::new("stream".to_owned(), None));
        self.register_mailbox(&mailbox, None)?;
        Ok(CollectionNotifications::new(mailbox, Arc::clone(&self.keep_alive)))
    }

    fn register_mailbox(
        &self,
        mailbox: &Arc<Mailbox<E>>,
        task: Option<BoxFuture<'static, ()>>,
    ) -> Result<(), DerivedError> {
        let own = Arc::clone(mailbox);
        self.register(mailbox.name(), Box::new(Arc::clone(mailbox)), Box::new(move || own.end()), task)
    }

    /// Passes a receiver of changes to the task. `end` is called if no task takes it over.
    pub(crate) fn register(
        &self,
        name: &str,
        receiver: Box<dyn Any + Send>,
        end: Box<dyn FnOnce() + Send>,
        task: Option<BoxFuture<'static, ()>>,
    ) -> Result<(), DerivedError> {
        let what = format!("handler {name:?} of collection {:?}", self.name());
        let new = NewReceiver { node: self.id(), receiver, task, unused: EndUnused(Some(end)) };
        self.graph.add_receiver(new, what)
    }

    /// Whether all of its inputs have listed, and every value of that state is published.
    pub fn is_synced(&self) -> bool {
        self.node.is_synced()
    }

    /// Waits until [`is_synced`](Self::is_synced). It is an error if the graph stops before that.
    pub async fn synced(&self) -> Result<(), DerivedError> {
        self.graph.wait_synced(&self.node).await
    }

    pub(crate) fn not_synced(&self) -> DerivedError {
        self.graph.not_synced(&self.node)
    }

    /// Its statistics.
    pub fn stats(&self) -> CollectionStats {
        self.node.stats()
    }
}

impl<E> CollectionIndex<E> {
    pub(crate) fn collection(&self) -> &Collection<E> {
        &self.collection
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }
}

impl<E> Clone for Collection<E> {
    fn clone(&self) -> Self {
        Collection {
            graph: Arc::clone(&self.graph),
            node: Arc::clone(&self.node),
            keep_alive: Arc::clone(&self.keep_alive),
            element: std::marker::PhantomData,
        }
    }
}

impl<E> Clone for CollectionIndex<E> {
    fn clone(&self) -> Self {
        CollectionIndex {
            collection: self.collection.clone(),
            number: self.number,
            keep_alive: Arc::clone(&self.keep_alive),
        }
    }
}

impl<E> fmt::Debug for Collection<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collection")
            .field("name", &self.node.name())
            .field("is_synced", &self.node.is_synced())
            .finish_non_exhaustive()
    }
}

impl<E> fmt::Debug for CollectionIndex<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectionIndex").field("collection", &self.collection).finish_non_exhaustive()
    }
}
