//! Informers for Kubernetes controllers: caches what the server sent, decodes what you look at.
