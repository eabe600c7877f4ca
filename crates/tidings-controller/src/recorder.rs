//! Telling people what happened, as events of the cluster.
