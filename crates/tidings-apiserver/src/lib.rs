//! A Kubernetes API server in the process, for tests and demos without a cluster.
