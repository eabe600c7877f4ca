//! Writing through a handle that remembers, so that the next reconcile reads its own writes.
