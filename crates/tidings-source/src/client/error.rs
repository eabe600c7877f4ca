//! Errors of making a client or a source.

/// Why a client or a source can't be made.
///
/// Reasons are in our own words where those of kube would quote credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// There is neither a usable kubeconfig nor an environment inside a cluster.
    #[error(
        "no configuration of a cluster found: {reason}, and this process does not run in a pod; \
         set KUBECONFIG, write ~/.kube/config, or run inside a cluster"
    )]
    NoConfig {
        /// What is wrong with the kubeconfig.
        reason: String,
    },
    /// The configuration can't be used.
    #[error("making a client from the configuration: {reason}")]
    InvalidConfig {
        /// What is wrong with it.
        reason: String,
    },
    /// A part of a resource is empty, or has characters that a URL path of the API can't have.
    #[error("the {part} of a resource can't be {text:?}; use letters, digits, '-', '.' and '_'")]
    InvalidResource {
        /// Which part: `group`, `version` or `plural`.
        part: &'static str,
        /// Its text.
        text: String,
    },
    /// A namespace can't have this name. Use no namespace for all namespaces.
    #[error("{name:?} is not a valid namespace; use at most 63 lower case letters, digits and '-'")]
    InvalidNamespace {
        /// The name.
        name: String,
    },
    /// The resource is cluster-scoped.
    #[error("{resource} are cluster-scoped, so that they can't be read in namespace {namespace:?}")]
    NotNamespaced {
        /// The resource.
        resource: String,
        /// The namespace.
        namespace: String,
    },
    /// The intake belongs to another resource.
    #[error("a source of {expected} can't use an intake of {found}")]
    WrongIntake {
        /// The resource of the source.
        expected: String,
        /// The resource of the intake.
        found: String,
    },
}
