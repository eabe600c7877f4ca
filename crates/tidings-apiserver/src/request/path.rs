//! Parses a request path into a resource or a document.
//!
//! A path is split and checked before anything is looked up, so path traversal (`..`, `%2f`, empty segments) never
//! reaches a key.

use super::{Plus, percent_decoded};

/// What a request path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestTarget {
    /// A resource, one of its objects, or a subresource.
    Resource(ResourcePath),
    /// Another path: discovery, health, version, OpenAPI.
    Document(String),
}

/// A path below `/api/v1` or `/apis/group/version`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourcePath {
    /// Empty for the core group.
    pub group: String,
    pub version: String,
    pub plural: String,
    pub namespace: Option<String>,
    pub name: Option<String>,
    pub subresource: Option<String>,
    /// Whether the path has the deprecated `watch` segment.
    pub is_watch: bool,
}

/// The largest length of a path, in bytes.
const PATH_BYTES_MAX: usize = 8192;

/// Parses a path; `None` if it is not valid.
pub(crate) fn parse(path: &str) -> Option<RequestTarget> {
    if path.len() > PATH_BYTES_MAX || !path.starts_with('/') {
        return None;
    }
    let trimmed = path.trim_end_matches('/');
    let mut parts = Vec::new();
    for part in trimmed.split('/').skip(1) {
        let part = percent_decoded(part, Plus::IsPlus)?;
        if part.contains(['/', '\0', '\\']) {
            return None;
        }
        parts.push(part);
    }
    let has_traversal = |parts: &[String]| parts.iter().any(|part| matches!(part.as_str(), "" | "." | ".."));
    match parts.first().map(String::as_str) {
        Some("api") if parts.len() > 2 && has_traversal(&parts[..2]) => None,
        Some("apis") if parts.len() > 3 && has_traversal(&parts[..3]) => None,
        Some("api") if parts.len() > 2 => resource(String::new(), &parts[1], &parts[2..]),
        Some("apis") if parts.len() > 3 => resource(parts[1].clone(), &parts[2], &parts[3..]),
        _ if has_traversal(&parts) => None,
        _ => Some(RequestTarget::Document(format!("/{}", parts.join("/")))),
    }
}

fn resource(group: String, version: &str, mut rest: &[String]) -> Option<RequestTarget> {
    let mut found = ResourcePath { group, version: version.to_owned(), ..ResourcePath::default() };
    if rest.first().is_some_and(|part| part == "watch") && rest.len() > 1 {
        found.is_watch = true;
        rest = &rest[1..];
    }
    let is_inside_namespace = rest.len() > 2 && rest[0] == "namespaces" && !is_of_namespace(&rest[2..]);
    if is_inside_namespace {
        // An empty namespace means all namespaces.
        found.namespace = Some(rest[1].clone()).filter(|namespace| !namespace.is_empty());
        rest = &rest[2..];
    }
    if rest.len() > 3 {
        // Only `proxy` has longer paths, and it is not imitated.
        return None;
    }
    found.plural = rest.first()?.clone();
    found.name = rest.get(1).cloned();
    found.subresource = rest.get(2).cloned();
    let is_dots = |part: &String| matches!(part.as_str(), "." | "..");
    let is_traversal = |part: &String| part.is_empty() || is_dots(part);
    // The names `.` and `..` pass here: the server answers them with a 400 later, as Kubernetes does.
    let has_traversal = is_traversal(&found.plural)
        || found.namespace.as_ref().is_some_and(is_traversal)
        || found.subresource.as_ref().is_some_and(is_traversal)
        || found.name.as_ref().is_some_and(|name| name.is_empty() || (is_dots(name) && rest.len() > 2));
    if has_traversal { None } else { Some(RequestTarget::Resource(found)) }
}

/// `namespaces/x/status` and `namespaces/x/finalize` are subresources of the namespace, not resources in it.
fn is_of_namespace(rest: &[String]) -> bool {
    matches!(rest, [one] if one == "status" || one == "finalize")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(path: &str) -> String {
        match parse(path) {
            None => "nothing".to_owned(),
            Some(RequestTarget::Document(path)) => format!("document {path}"),
            Some(RequestTarget::Resource(r)) => {
                let part = |part: Option<String>| part.unwrap_or_else(|| "-".to_owned());
                format!(
                    "{} {} {} {} {} {}{}",
                    r.group,
                    r.version,
                    r.plural,
                    part(r.namespace),
                    part(r.name),
                    part(r.subresource),
                    if r.is_watch { " watch" } else { "" },
                )
            }
        }
    }

    #[test]
    fn each_path_names_the_same_as_in_kubernetes() {
        for (path, expected) in [
            ("/api/v1/pods", " v1 pods - - -"),
            ("/api/v1/pods/", " v1 pods - - -"),
            ("/api/v1/namespaces/a/pods", " v1 pods a - -"),
            ("/api/v1/namespaces/a/pods/x", " v1 pods a x -"),
            ("/api/v1/namespaces/a/pods/x/status", " v1 pods a x status"),
            ("/api/v1/namespaces", " v1 namespaces - - -"),
            ("/api/v1/namespaces/a", " v1 namespaces - a -"),
            ("/api/v1/namespaces/a/status", " v1 namespaces - a status"),
            ("/apis/apps/v1/namespaces/a/deployments/x/scale", "apps v1 deployments a x scale"),
            ("/apis/apps/v1/watch/deployments", "apps v1 deployments - - - watch"),
            ("/api/v1/nodes/n%3A1", " v1 nodes - n:1 -"),
            ("/api", "document /api"),
            ("/api/v1", "document /api/v1"),
            ("/apis/apps/v1", "document /apis/apps/v1"),
            ("/", "document /"),
            ("/healthz", "document /healthz"),
            ("/api/v1/pods/../secrets", "nothing"),
            ("/api/v1/namespaces/a/pods/%2e%2e", " v1 pods a .. -"),
            ("/api/v1/namespaces/a/../a/pods", "nothing"),
            ("/api/v1/namespaces/../pods", "nothing"),
            ("/api/v1/namespaces//pods", " v1 pods - - -"),
            ("/api/v1//pods", "nothing"),
            ("/apis//v1/pods/x", "nothing"),
            ("/api/v1/namespaces/a%2fb/pods/x", "nothing"),
            ("/api//v1/pods", "nothing"),
            ("/api/v1/namespaces/a/pods/x/log/y/z", "nothing"),
            ("/api/v1/pods/%zz", "nothing"),
            ("/api/v1/pods/%ff", "nothing"),
            ("api/v1", "nothing"),
        ] {
            assert_eq!(summary(path), expected, "{path}");
        }
    }
}
