//! The query string of a request. Every value is escaped, so that no value can add a parameter.

use std::borrow::Cow;

use crate::{ListOptions, VersionMatch, WatchOptions};

/// The query parameters of one LIST or WATCH, under their Kubernetes names.
///
/// A [tweak](crate::KubeSourceBuilder::tweak) can change them before the request is sent:
///
/// ```
/// use tidings_source::Query;
///
/// fn tweak(query: &mut Query) {
///     query.set("shardSelector", "shardRange(object.metadata.uid, '0x0', '0x8')");
///     if !query.is_watch() {
///         query.set("limit", "100");
///     }
/// }
/// # tweak(&mut Query::default());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    pairs: Vec<(Cow<'static, str>, String)>,
}

impl Query {
    pub(crate) fn of_list(options: &ListOptions) -> Query {
        let mut query = Query::default();
        query.set_some("limit", options.limit.as_ref());
        query.set_some("continue", options.continue_token.as_ref());
        query.set_some("resourceVersion", options.version.as_ref());
        if let Some(version_match) = options.version_match {
            query.set(
                "resourceVersionMatch",
                match version_match {
                    VersionMatch::NotOlderThan => "NotOlderThan",
                    VersionMatch::Exact => "Exact",
                },
            );
        }
        query
    }

    pub(crate) fn of_watch(options: &WatchOptions) -> Query {
        let mut query = Query::default();
        query.set("watch", "true");
        query.set_some("resourceVersion", options.version.as_ref());
        query.set_some("timeoutSeconds", options.timeout_seconds.as_ref());
        if options.allow_bookmarks {
            query.set("allowWatchBookmarks", "true");
        }
        if options.send_initial_events {
            query.set("sendInitialEvents", "true");
            query.set("resourceVersionMatch", "NotOlderThan");
        }
        query
    }

    /// Whether it is the query of a WATCH.
    pub fn is_watch(&self) -> bool {
        self.value("watch").is_some_and(|value| value == "true" || value == "1")
    }

    /// The value of a parameter.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(own, _)| own == name).map(|(_, value)| &**value)
    }

    /// Sets a parameter, and replaces its previous value.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) {
        let name = name.into();
        self.remove(&name);
        self.pairs.push((name, value.into()));
    }

    /// Removes a parameter.
    pub fn remove(&mut self, name: &str) {
        self.pairs.retain(|(own, _)| own != name);
    }

    pub(crate) fn set_some(&mut self, name: &'static str, value: Option<&impl ToString>) {
        if let Some(value) = value {
            self.set(name, value.to_string());
        }
    }

    /// For example `path?a=1&b=2`.
    pub(crate) fn uri(&self, path: &str) -> String {
        let mut uri = path.to_owned();
        for (i, (name, value)) in self.pairs.iter().enumerate() {
            uri.push(if i == 0 { '?' } else { '&' });
            escape(name, &mut uri);
            uri.push('=');
            escape(value, &mut uri);
        }
        uri
    }
}

fn escape(text: &str, into: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            into.push('%');
            into.push(char::from(HEX[usize::from(byte >> 4)]));
            into.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use tidings_object::Version;

    use super::*;

    #[test]
    fn parameters_have_their_kubernetes_names() {
        let options = ListOptions {
            version: Some(Version::from(5)),
            version_match: Some(VersionMatch::Exact),
            limit: Some(500),
            continue_token: Some("a+b/c=".to_owned()),
        };
        assert_eq!(
            Query::of_list(&options).uri("/api/v1/pods"),
            "/api/v1/pods?limit=500&continue=a%2Bb%2Fc%3D&resourceVersion=5&resourceVersionMatch=Exact"
        );
        assert_eq!(Query::of_list(&ListOptions::default()).uri("/x"), "/x");
    }

    // holds: R31, R50
    #[test]
    fn a_watch_requests_bookmarks_and_initial_events_only_if_set() {
        let options = WatchOptions {
            version: Some(Version::from(5)),
            timeout_seconds: Some(300),
            allow_bookmarks: true,
            send_initial_events: false,
        };
        assert_eq!(
            Query::of_watch(&options).uri("/x"),
            "/x?watch=true&resourceVersion=5&timeoutSeconds=300&allowWatchBookmarks=true"
        );
        let options = WatchOptions { send_initial_events: true, ..WatchOptions::default() };
        assert_eq!(
            Query::of_watch(&options).uri("/x"),
            "/x?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
        );
    }

    #[test]
    fn a_value_can_not_add_a_parameter() {
        let mut query = Query::default();
        query.set("labelSelector", "a in (b,c)&watch=true#é");
        assert_eq!(query.uri("/x"), "/x?labelSelector=a%20in%20%28b%2Cc%29%26watch%3Dtrue%23%C3%A9");
        assert!(!query.is_watch());
    }
}
