//! Sharing the keys of one kind among many replicas.
