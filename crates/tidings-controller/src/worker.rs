//! Takes a key, calls the reconciler, applies what it returned.
