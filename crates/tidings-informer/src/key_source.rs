//! A source of keys that change: what a controller needs to know of something that is not an informer, such as a
//! derived collection. It must never carry values: a request is a key.

use std::error::Error;
use std::sync::Arc;

use futures_util::future::BoxFuture;

/// Something with keys that are added, updated and deleted, such as a derived collection.
///
/// A controller of such a source reconciles its keys. Implement this for a source of your own:
///
/// - The subscriber is called for every key that exists when the source syncs, or when the subscriber is added later,
///   and then for each change of a key.
/// - It is called after the change can be read. So a reconcile that has read a state is requested again when that state
///   has changed.
/// - Changes are not merged before they are reported: requests merge on the queue of the controller.
pub trait KeySource: Send + Sync + 'static {
    /// Its name, in errors and metrics.
    fn name(&self) -> String;

    /// Adds a subscriber, with a name for errors. The subscription keeps the source running until it is removed.
    fn subscribe(&self, name: &str, subscriber: KeySubscriber) -> Result<Arc<dyn KeySubscription>, BoxError>;
}

/// Called with each key that is added, updated or deleted. It must return at once. An error refuses the key: the source
/// reports it.
pub type KeySubscriber = Box<dyn Fn(&str, KeyChange) -> Result<(), BoxError> + Send + Sync>;

/// What happened to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyChange {
    /// It existed before the subscriber was added, or before the source synced.
    Initial,
    /// It was added.
    Added,
    /// Its value has changed.
    Updated,
    /// It was deleted.
    Deleted,
}

/// The registration of a [`KeySubscriber`]. Dropping it does not remove the subscriber.
pub trait KeySubscription: Send + Sync {
    /// Why the subscriber was not called for every initial key yet. `None` if it was.
    fn unsynced(&self) -> Option<String>;

    /// Waits until the subscriber was called for every initial key. It is an error if that will never happen.
    fn synced(&self) -> BoxFuture<'_, Result<(), BoxError>>;

    /// Waits until the source reports no more changes although it was not stopped. Waits for ever if that never happens.
    fn failed(&self) -> BoxFuture<'static, BoxError>;

    /// Removes the subscriber. A call that has begun may still return after this.
    fn remove(&self);
}

/// Why a source of keys can't be used, or why a subscriber refuses a key. Its text includes the name of the source. Such
/// errors only appear in reports, so that a source may have an error type of its own.
type BoxError = Box<dyn Error + Send + Sync>;
