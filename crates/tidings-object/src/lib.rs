//! What a Kubernetes API server sent: identity, packed body, views and selectors.
