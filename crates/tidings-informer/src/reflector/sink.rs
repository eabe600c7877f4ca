//! The trait that a reflector writes into.

use std::future::Future;
use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

/// Receives the objects of one stream. A method that may have to wait for room is asynchronous: while it waits, the
/// reflector reads nothing from the socket (backpressure).
pub trait Sink: Send {
    /// Collects a list.
    type Replacement<'a>: Replacement
    where
        Self: 'a;

    /// Begins to replace everything in `scope` by a list. Dropping the replacement changes nothing.
    fn begin_replace(&mut self, scope: &StreamScope) -> Self::Replacement<'_>;

    /// Receives one event of a watch.
    fn change(&mut self, change: ChangeType, object: Arc<RawObject>) -> impl Future<Output = ()> + Send;

    /// Receives a bookmark: every change up to this version has been received.
    fn bookmark(&mut self, version: Version) -> impl Future<Output = ()> + Send;
}

/// A list that is being received. It has no effect before [`commit`](Self::commit).
pub trait Replacement: Send {
    /// Adds one object of the list. An object with the same key replaces the one before.
    fn accept(&mut self, object: Arc<RawObject>);

    /// Removes an object again: a streaming list may delete an object that it has already sent.
    fn retract(&mut self, object: &RawObject);

    /// The number of its objects.
    fn len(&self) -> usize;

    /// Whether it has no objects.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list is complete: it takes effect now.
    fn commit(self, version: Version, epoch: Epoch) -> impl Future<Output = ()> + Send;
}

/// Whether the versions of a list continue the versions before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epoch {
    /// Its version is not lower than the last version of this stream.
    Same,
    /// The version of the server's most recent state is lower than the last version of this stream: the server was
    /// restored from a backup and assigns versions a second time.
    New,
}
