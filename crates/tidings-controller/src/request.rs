//! What a reconciler is asked to look at: a key, and nothing more.
