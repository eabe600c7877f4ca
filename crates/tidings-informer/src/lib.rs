//! Reflector, delta queue, indexed cache, shared informer and lister for Kubernetes.
