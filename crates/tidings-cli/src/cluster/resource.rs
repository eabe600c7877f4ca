//! Finds a resource by any of its names, as kubectl does: `pods`, `po`, `pod`, `Pod`, `deployments.apps`,
//! `deployments.v1.apps`. It asks the server what there is, and nothing else.

use futures_util::StreamExt as _;
use futures_util::stream;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroup, APIResource, APIResourceList};
use kube_client::Client;
use tidings::{ResourceKind, Scope};

use crate::failure::{CliResult, Failure, FailureCode};

/// How many groups are query at the same time.
const GROUPS_AT_ONCE: usize = 8;

/// The resource of that name, in the core group first and then in the order in which the server lists its groups.
pub(crate) async fn find(client: &Client, name: &str) -> CliResult<ResourceKind> {
    let wanted = ResourceName::parse(name);
    if wanted.may_be_in("", "v1") {
        let core = client.list_core_api_resources("v1").await;
        let core =
            core.map_err(|error| Failure::from_request("asking the server for its resources", &error))?;
        if let Some(found) = wanted.pick("", &core) {
            return Ok(found);
        }
    }
    let groups = client.list_api_groups().await;
    let groups = groups.map_err(|error| Failure::from_request("asking the server for its groups", &error))?;
    let query =
        groups.groups.iter().flat_map(|group| versions(group, &wanted)).map(|(group, version)| async move {
            let list = client.list_api_group_resources(&format!("{group}/{version}")).await;
            (group, list)
        });
    let mut lists = stream::iter(query).buffered(GROUPS_AT_ONCE);
    while let Some((group, list)) = lists.next().await {
        // A group whose own server is down hides only itself.
        if let Some(found) = list.ok().and_then(|list| wanted.pick(&group, &list)) {
            return Ok(found);
        }
    }
    let message = format!("the server has no resource {name:?}; `kubectl api-resources` lists what it has");
    Err(Failure::new(FailureCode::NotFound, message))
}

/// The preferred version of a group, or the one that was query for.
fn versions(group: &APIGroup, wanted: &ResourceName<'_>) -> Option<(String, String)> {
    let preferred = group.preferred_version.as_ref().or_else(|| group.versions.first())?;
    let version = wanted.version.unwrap_or(&preferred.version);
    wanted.may_be_in(&group.name, version).then(|| (group.name.clone(), version.to_owned()))
}

/// A name, taken apart.
struct ResourceName<'a> {
    resource: String,
    version: Option<&'a str>,
    group: Option<&'a str>,
}

impl<'a> ResourceName<'a> {
    /// `resource`, `resource.group` or `resource.version.group`; a version is `v` and a digit.
    fn parse(name: &'a str) -> Self {
        let (resource, rest) =
            name.split_once('.').map_or((name, None), |(resource, rest)| (resource, Some(rest)));
        let is_version = |text: &str| {
            text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let (version, group) = match rest {
            None => (None, None),
            Some(rest) => match rest.split_once('.') {
                Some((version, group)) if is_version(version) => (Some(version), Some(group)),
                None if is_version(rest) => (Some(rest), Some("")),
                _ => (None, Some(rest)),
            },
        };
        ResourceName { resource: resource.to_lowercase(), version, group }
    }

    fn may_be_in(&self, group: &str, version: &str) -> bool {
        self.group.is_none_or(|wanted| wanted == group) && self.version.is_none_or(|wanted| wanted == version)
    }

    fn pick(&self, group: &str, list: &APIResourceList) -> Option<ResourceKind> {
        let version = list.group_version.rsplit('/').next()?;
        let found = list.resources.iter().find(|resource| self.is(resource))?;
        Some(ResourceKind {
            group: group.to_owned().into(),
            version: version.to_owned().into(),
            kind: found.kind.clone().into(),
            plural: found.name.clone().into(),
            scope: if found.namespaced { Scope::Namespaced } else { Scope::Cluster },
        })
    }

    /// By its plural, singular, kind or a short name; never a subresource, nor what can't be watched.
    fn is(&self, resource: &APIResource) -> bool {
        let is_watchable = ["list", "watch"].iter().all(|verb| resource.verbs.iter().any(|has| has == verb));
        let mut short_names = resource.short_names.iter().flatten();
        is_watchable
            && !resource.name.contains('/')
            && (resource.name == self.resource
                || resource.singular_name == self.resource
                || resource.kind.to_lowercase() == self.resource
                || short_names.any(|name| *name == self.resource))
    }
}

#[cfg(test)]
mod tests {
    use tidings_apiserver::ApiServer;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_resource_is_found_by_any_of_its_names() {
        let server = ApiServer::start().await;
        let client = server.client();
        for (name, plural, group) in [
            ("pods", "pods", ""),
            ("po", "pods", ""),
            ("Pod", "pods", ""),
            ("deploy", "deployments", "apps"),
            ("deployments.apps", "deployments", "apps"),
            ("deployment.v1.apps", "deployments", "apps"),
            ("nodes.v1", "nodes", ""),
            ("crd", "customresourcedefinitions", "apiextensions.k8s.io"),
        ] {
            let found = find(&client, name).await.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((&*found.plural, &*found.group), (plural, group), "{name}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_unknown_resource_is_named_in_the_error() {
        let server = ApiServer::start().await;
        for name in ["gadgets", "pods.apps", "pods/log", "pods.v9", ""] {
            let error = find(&server.client(), name).await.unwrap_err();
            assert!(error.to_string().contains(&format!("no resource {name:?}")), "{error}");
        }
    }
}
