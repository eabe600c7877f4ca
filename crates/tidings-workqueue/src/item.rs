//! The items of a queue.

use std::hash::Hash;

/// An item of a queue, usually a key that is cheap to clone. It is implemented for all suitable types.
pub trait Item: Clone + Eq + Hash + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + Send + Sync + 'static> Item for T {}
