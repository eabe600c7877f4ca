//! The resource that an object belongs to: group, version, kind, plural and scope. [`Kind`] gives it at compile time,
//! [`ResourceKind`] holds it at run time.

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;

use k8s_openapi::{ClusterResourceScope, SubResourceScope};
use kube_core::Resource;
use kube_core::discovery::{self, ApiCapabilities, ApiResource};

/// One resource of an API server, as discovery describes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourceKind {
    /// The API group. The core group is the empty text.
    pub group: Cow<'static, str>,
    /// The version within the group, such as `v1`.
    pub version: Cow<'static, str>,
    /// The kind, such as `Pod`.
    pub kind: Cow<'static, str>,
    /// The plural in URLs, such as `pods`.
    pub plural: Cow<'static, str>,
    /// Whether its objects belong to namespaces.
    pub scope: Scope,
}

/// Whether the objects of a kind belong to a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Each object belongs to one namespace.
    Namespaced,
    /// Objects belong to the cluster.
    Cluster,
}

/// How much of each object the server sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Projection {
    /// Whole objects.
    #[default]
    Full,
    /// Only the metadata, as `PartialObjectMetadata`.
    Metadata,
}

/// A Rust type that is a view on the objects of one resource.
///
/// Every `kube::Resource` with a static kind implements it. A small struct of your own needs one line:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_object::{Kind, ResourceKind};
///
/// #[derive(serde::Deserialize)]
/// struct PodPhase { status: Option<Status> }
/// #[derive(serde::Deserialize)]
/// struct Status { phase: Option<String> }
///
/// impl Kind for PodPhase { fn resource() -> ResourceKind { Pod::resource() } }
/// assert_eq!(PodPhase::resource().plural, "pods");
/// ```
pub trait Kind {
    /// The resource this type is a view on.
    fn resource() -> ResourceKind;
}

impl<K> Kind for K
where
    K: Resource<DynamicType = ()>,
    K::Scope: 'static,
{
    fn resource() -> ResourceKind {
        let scope = TypeId::of::<K::Scope>();
        let cluster =
            scope == TypeId::of::<ClusterResourceScope>() || scope == TypeId::of::<SubResourceScope>();
        ResourceKind {
            group: K::group(&()),
            version: K::version(&()),
            kind: K::kind(&()),
            plural: K::plural(&()),
            scope: if cluster { Scope::Cluster } else { Scope::Namespaced },
        }
    }
}

impl ResourceKind {
    /// The resource of kube's `ApiResource`. An `ApiResource` has no scope, so the caller gives it. The result of a
    /// discovery has a scope, and converts with `From`:
    ///
    /// ```
    /// use tidings_object::{Kind, ResourceKind, Scope};
    /// # use k8s_openapi::api::core::v1::Node;
    /// # use kube_core::ApiResource;
    ///
    /// let nodes = ResourceKind::of(&ApiResource::erase::<Node>(&()), Scope::Cluster);
    /// assert_eq!(nodes, Node::resource());
    ///
    /// // let (api, capabilities) = kube::discovery::pinned_kind(&client, &gvk).await?;
    /// // let resource = ResourceKind::from((&api, &capabilities));
    /// ```
    pub fn of(api: &ApiResource, scope: Scope) -> ResourceKind {
        ResourceKind {
            group: api.group.clone().into(),
            version: api.version.clone().into(),
            kind: api.kind.clone().into(),
            plural: api.plural.clone().into(),
            scope,
        }
    }

    /// `group/version`, or the version alone in the core group.
    pub fn api_version(&self) -> Cow<'_, str> {
        if self.group.is_empty() {
            Cow::Borrowed(&self.version)
        } else {
            Cow::Owned(format!("{}/{}", self.group, self.version))
        }
    }

    /// The URL path of its collection, in one namespace or in all.
    #[doc(hidden)]
    pub fn url_path(&self, namespace: Option<&str>) -> String {
        // Concatenated, not formatted, because every write needs a path.
        let root = if self.group.is_empty() { "/api/" } else { "/apis/" };
        let (api_version, plural) = (self.api_version(), &*self.plural);
        match (self.scope, namespace) {
            (Scope::Namespaced, Some(namespace)) => {
                [root, &*api_version, "/namespaces/", namespace, "/", plural].concat()
            }
            _ => [root, &*api_version, "/", plural].concat(),
        }
    }
}

/// `pods`, or `deployments.apps`.
impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plural)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        Ok(())
    }
}

/// The result of a discovery: the resource and its capabilities, which include the scope.
impl From<(&ApiResource, &ApiCapabilities)> for ResourceKind {
    fn from((api, capabilities): (&ApiResource, &ApiCapabilities)) -> Self {
        let scope = match capabilities.scope {
            discovery::Scope::Cluster => Scope::Cluster,
            discovery::Scope::Namespaced => Scope::Namespaced,
        };
        ResourceKind::of(api, scope)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Node, Pod};

    use super::*;

    #[test]
    fn a_kind_known_at_run_time_has_the_scope_of_discovery_or_of_the_caller() {
        let node = ApiResource::erase::<Node>(&());
        let can = |scope| ApiCapabilities { scope, subresources: Vec::new(), operations: Vec::new() };
        assert_eq!(ResourceKind::from((&node, &can(discovery::Scope::Cluster))), Node::resource());
        assert_eq!(ResourceKind::of(&node, Scope::Cluster), Node::resource());
        assert_eq!(ResourceKind::of(&node, Scope::Cluster).url_path(Some("shop")), "/api/v1/nodes");
        let pod = ApiResource::erase::<Pod>(&());
        assert_eq!(ResourceKind::from((&pod, &can(discovery::Scope::Namespaced))), Pod::resource());
    }
}
