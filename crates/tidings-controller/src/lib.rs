//! From a notification to Reconcile.
