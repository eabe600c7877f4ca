//! One kind, its reconciler, its queue and its workers.
