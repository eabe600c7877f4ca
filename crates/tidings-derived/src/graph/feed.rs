//! Collections whose values come from the program: files, other APIs, constants.

use std::fmt;
use std::sync::Arc;

use super::Graph;
use crate::collection::Collection;
use crate::element::{Element, Value};
use crate::node::input::{FeedInput, FeedQueue};
use crate::shared::GraphShared;

/// Feeds the values of a collection. Its clones feed the same collection. Changes that the task has not taken yet merge
/// by key.
///
/// ```
/// use tidings_derived::Graph;
///
/// let (graph, task) = Graph::new("example");
/// let (feed, limits) = graph.feed::<(String, u32)>("limits");
/// feed.set(("shop".to_owned(), 10));
/// feed.complete(); // from now on the collection counts as synced
/// # drop(task);
/// ```
pub struct Feed<E> {
    queue: Arc<FeedQueue<E>>,
    graph: Arc<GraphShared>,
}

impl Graph {
    /// A collection that the program feeds. It has synced when [`Feed::complete`] was called.
    pub fn feed<E: Element>(&self, name: &str) -> (Feed<E>, Collection<E>) {
        let queue = Arc::new(FeedQueue::new());
        let (own, seed) = (Arc::clone(&queue), self.shared.config.seed);
        let added =
            self.shared.add_node(name, "feed", None, |shared| Box::new(FeedInput::new(shared, own, seed)));
        (Feed { queue, graph: Arc::clone(&self.shared) }, Collection::new(&self.shared, added))
    }

    /// A collection whose values never change.
    pub fn fixed<E: Element>(&self, name: &str, values: impl IntoIterator<Item = E>) -> Collection<E> {
        let (feed, collection) = self.feed(name);
        feed.replace(values);
        feed.complete();
        collection
    }
}

impl<E: Element> Feed<E> {
    /// Stores a value under its key.
    pub fn set(&self, value: E) {
        let value = Value::computed(value);
        self.queue.put(value.shared_key(), Some(value));
        self.graph.fed();
    }

    /// Removes the value with this key.
    pub fn remove(&self, key: &str) {
        self.queue.put(key.into(), None);
        self.graph.fed();
    }

    /// Replaces all values. Values that are equal to those before notify nobody.
    pub fn replace(&self, values: impl IntoIterator<Item = E>) {
        let values = values.into_iter().map(Value::computed);
        self.queue.replace_all(values.map(|value| (value.shared_key(), Some(value))).collect());
        self.graph.fed();
    }

    /// Marks the first state as complete: the collection syncs with what was fed before.
    pub fn complete(&self) {
        self.queue.complete();
        self.graph.fed();
    }
}

impl<E> Clone for Feed<E> {
    fn clone(&self) -> Self {
        Feed { queue: Arc::clone(&self.queue), graph: Arc::clone(&self.graph) }
    }
}

impl<E> fmt::Debug for Feed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").finish_non_exhaustive()
    }
}
