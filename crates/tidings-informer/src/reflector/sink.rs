//! What a reflector writes into.

use std::future::Future;
use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

/// Where the objects of one stream go. Every method that may have to wait for room is asynchronous: the wait
/// is the backpressure that reaches the socket.
pub trait Sink: Send {
    /// What a list is collected in.
    type Replacement<'a>: Replacement
    where
        Self: 'a;

    /// Begins to replace everything in `scope` by a list. Dropping it changes nothing.
    fn begin_replace(&mut self, scope: &StreamScope) -> Self::Replacement<'_>;

    /// One event of a watch.
    fn change(&mut self, change: ChangeType, object: Arc<RawObject>) -> impl Future<Output = ()> + Send;

    /// Every change up to this version has been handed over.
    fn bookmark(&mut self, version: Version) -> impl Future<Output = ()> + Send;
}

/// A list on its way in. Nobody sees any of it before [`commit`](Self::commit).
pub trait Replacement: Send {
    /// One object of the list. The same key again takes the place of the one before.
    fn accept(&mut self, object: Arc<RawObject>);

    /// Takes an object out again: a streaming list may delete what it has already sent.
    fn retract(&mut self, object: &RawObject);

    /// How many objects it holds.
    fn len(&self) -> usize;

    /// Whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list is whole.
    fn commit(self, version: Version, epoch: Epoch) -> impl Future<Output = ()> + Send;
}

/// Whether a list continues what came before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epoch {
    /// Its version is not lower than what this stream had reached.
    Same,
    /// The server answered a list of its most recent state with a version lower than one we had: it was
    /// restored from a backup, and versions are given out again.
    New,
}
