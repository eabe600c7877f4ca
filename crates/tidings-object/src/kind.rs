//! Which resource an object belongs to: group, version, kind, plural and scope, known at compile time
//! through [`Kind`] or at run time as a [`ResourceKind`].

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;

use k8s_openapi::{ClusterResourceScope, SubResourceScope};
use kube_core::Resource;
use kube_core::discovery::{self, ApiCapabilities, ApiResource};

/// One resource of an API server, as discovery would describe it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourceKind {
    /// The API group; empty for the core group.
    pub group: Cow<'static, str>,
    /// The version within the group, such as `v1`.
    pub version: Cow<'static, str>,
    /// The kind, such as `Pod`.
    pub kind: Cow<'static, str>,
    /// The plural as it stands in URLs, such as `pods`.
    pub plural: Cow<'static, str>,
    /// Whether its objects live in namespaces.
    pub scope: Scope,
}

/// Whether objects of a kind live in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Each object lives in one namespace.
    Namespaced,
    /// Objects belong to the cluster.
    Cluster,
}

/// How much of each object is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Projection {
    /// Whole objects.
    #[default]
    Full,
    /// `PartialObjectMetadata` only.
    Metadata,
}

/// A Rust type that is a view on the objects of one resource.
///
/// Every `kube::Resource` with a static kind has it. A slim struct of your own takes one line:
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
    /// The resource that kube's `ApiResource` names. That one does not say whether its objects live in namespaces, so the
    /// caller does; what discovery found converts by itself:
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

    /// The path of its collection, in one namespace or over all.
    pub fn url_path(&self, namespace: Option<&str>) -> String {
        // Joined, not formatted: a path is made for every write.
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

/// What discovery gives: the resource, and what it can do, which equals its scope.
impl From<(&ApiResource, &ApiCapabilities)> for ResourceKind {
    fn from((api, can): (&ApiResource, &ApiCapabilities)) -> Self {
        let scope = match can.scope {
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
    fn a_kind_known_at_run_time_has_the_scope_that_discovery_or_the_caller_says() {
        let node = ApiResource::erase::<Node>(&());
        let can = |scope| ApiCapabilities { scope, subresources: Vec::new(), operations: Vec::new() };
        assert_eq!(ResourceKind::from((&node, &can(discovery::Scope::Cluster))), Node::resource());
        assert_eq!(ResourceKind::of(&node, Scope::Cluster), Node::resource());
        assert_eq!(ResourceKind::of(&node, Scope::Cluster).url_path(Some("shop")), "/api/v1/nodes");
        let pod = ApiResource::erase::<Pod>(&());
        assert_eq!(ResourceKind::from((&pod, &can(discovery::Scope::Namespaced))), Pod::resource());
    }
}
