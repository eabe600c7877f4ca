//! What a request is about: verb, resource and object, read from its method and path. Never reads a body.

use http::{Method, Uri};

/// What a request does with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
}

impl Verb {
    pub(crate) fn is_write(self) -> bool {
        !matches!(self, Verb::Get | Verb::List | Verb::Watch)
    }

    fn word(self) -> &'static str {
        match self {
            Verb::Get => "get",
            Verb::List => "list",
            Verb::Watch => "watch",
            Verb::Create => "create",
            Verb::Update => "update",
            Verb::Patch => "patch",
            Verb::Delete => "delete",
            Verb::DeleteCollection => "delete all of",
        }
    }
}

/// The object or collection of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) verb: Verb,
    /// `pods` or `deployments.apps`.
    pub(crate) resource: String,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
}

impl Target {
    /// `None` for documents such as discovery.
    pub(crate) fn parse(method: &Method, uri: &Uri) -> Option<Target> {
        let parts: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
        let (group, rest) = match parts.as_slice() {
            ["api", _, rest @ ..] => ("", rest),
            ["apis", group, _, rest @ ..] => (*group, rest),
            _ => return None,
        };
        let (namespace, rest) = match rest {
            ["namespaces", _, "status" | "finalize"] => (None, rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            _ => (None, rest),
        };
        let plural = *rest.first()?;
        let name = rest.get(1).copied();
        let resource = if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") };
        let query = uri.query().unwrap_or_default();
        let is_watch =
            query.split('&').any(|pair| pair == "watch=true" || pair == "watch=1" || pair == "watch");
        let verb = match (method, name) {
            (&Method::GET, None) if is_watch => Verb::Watch,
            (&Method::GET, None) => Verb::List,
            (&Method::GET, Some(_)) => Verb::Get,
            (&Method::POST, _) => Verb::Create,
            (&Method::PUT, _) => Verb::Update,
            (&Method::PATCH, _) => Verb::Patch,
            (&Method::DELETE, Some(_)) => Verb::Delete,
            (&Method::DELETE, None) => Verb::DeleteCollection,
            _ => return None,
        };
        Some(Target {
            verb,
            resource,
            namespace: namespace.map(str::to_owned),
            name: name.map(str::to_owned),
            subresource: rest.get(2).map(|&name| name.to_owned()),
        })
    }

    /// Whether the simulation ignores the resource: events and leases are not the state that a controller manages.
    pub(crate) fn is_ignored(&self) -> bool {
        is_ignored(&self.resource)
    }

    /// `patch configmaps default/hi`, with `name` if the path has none.
    pub(crate) fn text(&self, name: Option<&str>) -> String {
        let name = self.name.as_deref().or(name).unwrap_or("");
        let place = match (&self.namespace, name) {
            (Some(namespace), name) => format!(" {namespace}/{name}"),
            (None, "") => String::new(),
            (None, name) => format!(" {name}"),
        };
        let subresource = self.subresource.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        format!("{} {}{place}{subresource}", self.verb.word(), self.resource)
    }
}

/// Whether the simulation ignores a resource.
pub(crate) fn is_ignored(resource: &str) -> bool {
    matches!(resource, "events" | "events.events.k8s.io" | "leases.coordination.k8s.io")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_resource_and_object() {
        let parse = |method: Method, uri: &str| {
            let target = Target::parse(&method, &uri.parse().unwrap())?;
            Some(format!("{} {:?}", target.text(None), target.verb))
        };
        let get = |uri| parse(Method::GET, uri).unwrap();
        assert_eq!(get("/api/v1/namespaces/a/pods/b"), "get pods a/b Get");
        assert_eq!(get("/apis/apps/v1/deployments?watch=true&x=y"), "watch deployments.apps Watch");
        assert_eq!(get("/api/v1/namespaces/a"), "get namespaces a Get");
        assert_eq!(get("/api/v1/namespaces/a/pods?watchful=true"), "list pods a/ List");
        let patch = parse(Method::PATCH, "/apis/x.y/v1/namespaces/a/foos/b/status").unwrap();
        assert_eq!(patch, "patch foos.x.y a/b (status) Patch");
        assert_eq!(parse(Method::GET, "/version"), None);
    }
}
