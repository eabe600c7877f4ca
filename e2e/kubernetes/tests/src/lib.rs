//! A real kube-apiserver with etcd for tests: built once, started for each group, ended with it.
