//! Finds a resource by any of its names, as kubectl does: `pods`, `po`, `pod`, `Pod`, `deployments.apps`,
//! `deployments.v1.apps`. It only sends discovery requests.

use futures_util::StreamExt as _;
use futures_util::stream;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroup, APIResource, APIResourceList};
use kube_client::Client;
use tidings::{ResourceKind, Scope};

use crate::failure::{CliResult, Failure, FailureCode};

/// How many API groups are requested concurrently.
const GROUPS_AT_ONCE: usize = 8;

/// Searches the core group first, then the other groups in the order in which the server lists them.
pub(crate) async fn find(client: &Client, name: &str) -> CliResult<ResourceKind> {
    let wanted = ResourceName::parse(name);
    if wanted.may_be_in("", "v1") {
        let core = client.list_core_api_resources("v1").await;
        let core =
            core.map_err(|error| Failure::from_request("listing the resources of the server", &error))?;
        if let Some(found) = wanted.pick("", &core) {
            return Ok(found);
        }
    }
    let groups = client.list_api_groups().await;
    let groups =
        groups.map_err(|error| Failure::from_request("listing the API groups of the server", &error))?;
    let requests =
        groups.groups.iter().flat_map(|group| versions(group, &wanted)).map(|(group, version)| async move {
            let list = client.list_api_group_resources(&format!("{group}/{version}")).await;
            (group, list)
        });
    let mut lists = stream::iter(requests).buffered(GROUPS_AT_ONCE);
    while let Some((group, list)) = lists.next().await {
        // An aggregated API server that is down makes only its own group unavailable.
        if let Some(found) = list.ok().and_then(|list| wanted.pick(&group, &list)) {
            return Ok(found);
        }
    }
    let message = format!("the server has no resource {name:?}; `kubectl api-resources` lists what it has");
    Err(Failure::new(FailureCode::NotFound, message))
}

/// The group with the version that was requested, or else with its preferred version.
fn versions(group: &APIGroup, wanted: &ResourceName<'_>) -> Option<(String, String)> {
    let preferred = group.preferred_version.as_ref().or_else(|| group.versions.first())?;
    let version = wanted.version.unwrap_or(&preferred.version);
    wanted.may_be_in(&group.name, version).then(|| (group.name.clone(), version.to_owned()))
}

/// The parts of a resource name.
struct ResourceName<'a> {
    resource: String,
    version: Option<&'a str>,
    group: Option<&'a str>,
}

impl<'a> ResourceName<'a> {
    /// `resource`, `resource.group` or `resource.version.group`. A version is `v` followed by a digit.
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

    /// Matches plural, singular, kind and short names. Subresources and resources that can't be watched never match.
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
