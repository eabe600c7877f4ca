//! What can be queued.

use std::hash::Hash;

/// Anything that can be told apart and copied; a key, as a rule, and cheap to clone. Nothing has to be implemented.
pub trait Item: Clone + Eq + Hash + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + Send + Sync + 'static> Item for T {}
