//! One leader among many replicas, by a Lease.
