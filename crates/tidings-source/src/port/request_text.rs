//! Describes a request for errors. The text never contains continue tokens or selectors.

use std::fmt;

use tidings_object::{ResourceKind, Scope};

use crate::{ListOptions, StreamScope, VersionMatch, WatchOptions};

/// For example `list pods in namespace a at version 5`.
pub(crate) fn list(resource: &ResourceKind, scope: &StreamScope, options: &ListOptions) -> String {
    let mut text = format!("list {resource}{}", ScopeSuffix(resource, scope));
    if let Some(version) = &options.version {
        text += match options.version_match {
            Some(VersionMatch::Exact) => " at exactly version ",
            Some(VersionMatch::NotOlderThan) => " not older than version ",
            None => " at version ",
        };
        text += &version.to_string();
    }
    if options.continue_token.is_some() {
        text += " (continued)";
    }
    text
}

/// For example `watch pods in namespace a from version 5`.
pub(crate) fn watch(resource: &ResourceKind, scope: &StreamScope, options: &WatchOptions) -> String {
    let mut text = format!("watch {resource}{}", ScopeSuffix(resource, scope));
    if let Some(version) = &options.version {
        text += &format!(" from version {version}");
    }
    if options.send_initial_events {
        text += " with initial events";
    }
    text
}

/// The scope; empty for cluster-scoped resources.
struct ScopeSuffix<'a>(&'a ResourceKind, &'a StreamScope);

impl fmt::Display for ScopeSuffix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.scope, self.1) {
            (Scope::Cluster, StreamScope::All) => Ok(()),
            (_, scope) => write!(f, " in {scope}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Node, Pod};
    use tidings_object::{Kind, Version};

    use super::*;

    #[test]
    fn the_text_names_verb_resource_scope_and_version_but_no_token() {
        let one = StreamScope::Namespace("a".into());
        let options = ListOptions {
            version: Some(Version::from(5)),
            version_match: Some(VersionMatch::Exact),
            limit: Some(500),
            continue_token: None,
        };
        assert_eq!(list(&Pod::resource(), &one, &options), "list pods in namespace a at exactly version 5");
        let options = ListOptions { continue_token: Some("secret".into()), ..ListOptions::default() };
        assert_eq!(
            list(&Pod::resource(), &StreamScope::All, &options),
            "list pods in all namespaces (continued)"
        );
        let options = WatchOptions {
            version: Some(Version::from(5)),
            send_initial_events: true,
            ..WatchOptions::default()
        };
        assert_eq!(
            watch(&Node::resource(), &StreamScope::All, &options),
            "watch nodes from version 5 with initial events"
        );
    }
}
