//! Decides which version a LIST reads and how many objects: a pure function of resourceVersion, resourceVersionMatch,
//! limit and continue.
//!
//! See
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list>.

use crate::request::RequestOptions;
use crate::request::continue_token::ContinueToken;
use crate::server::WatchCache;
use crate::status::ApiError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListPlan {
    pub(super) at: ListVersion,
    /// The largest number of objects per page.
    pub(super) limit: Option<usize>,
    /// The first key of the page.
    pub(super) start: Option<ContinueToken>,
}

/// Which version a LIST reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListVersion {
    /// The newest version.
    Newest,
    /// The newest version, once it is at least this one.
    NotOlderThan(u64),
    /// Exactly this version.
    Exactly(u64),
}

impl ListPlan {
    pub(super) fn of(options: &RequestOptions, watch_cache: WatchCache) -> Result<Self, ApiError> {
        // A malformed version is a 400 for lists, but a 500 elsewhere, as in Kubernetes.
        let version = options.version().map_err(|error| ApiError::bad_request(error.message))?;
        let limit = usize::try_from(options.limit).ok().filter(|limit| *limit > 0);
        if !options.continue_token.is_empty() {
            if version.is_some_and(|version| version > 0) {
                let message = "specifying resource version is not allowed when using continue";
                return Err(ApiError::bad_request(message));
            }
            let token = ContinueToken::decode(&options.continue_token)?;
            let at = token.version.map_or(ListVersion::Newest, ListVersion::Exactly);
            return Ok(Self { at, limit, start: Some(token) });
        }
        let at = match (version, options.resource_version_match.as_str()) {
            (None | Some(0), _) => ListVersion::Newest,
            (Some(version), "Exact") => ListVersion::Exactly(version),
            // For compatibility with clients older than resourceVersionMatch, a limit makes the version exact.
            (Some(version), "") if limit.is_some() => ListVersion::Exactly(version),
            (Some(version), _) => ListVersion::NotOlderThan(version),
        };
        let is_from_cache = version == Some(0) && watch_cache == WatchCache::On;
        Ok(Self { at, limit: limit.filter(|_| !is_from_cache), start: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::query;

    #[test]
    fn each_combination_reads_as_kubernetes_documents() {
        let token = ContinueToken::after("a", None, Some(7)).encode();
        let fresh = ContinueToken::after("a", None, None).encode();
        for (query, cached, at, limit) in [
            (String::new(), WatchCache::On, ListVersion::Newest, None),
            ("limit=5".to_owned(), WatchCache::On, ListVersion::Newest, Some(5)),
            ("limit=5&resourceVersion=0".to_owned(), WatchCache::On, ListVersion::Newest, None),
            ("limit=5&resourceVersion=0".to_owned(), WatchCache::Off, ListVersion::Newest, Some(5)),
            ("resourceVersion=9".to_owned(), WatchCache::On, ListVersion::NotOlderThan(9), None),
            ("resourceVersion=9&limit=2".to_owned(), WatchCache::On, ListVersion::Exactly(9), Some(2)),
            (
                "resourceVersion=9&limit=2&resourceVersionMatch=NotOlderThan".to_owned(),
                WatchCache::On,
                ListVersion::NotOlderThan(9),
                Some(2),
            ),
            (
                "resourceVersion=9&resourceVersionMatch=Exact".to_owned(),
                WatchCache::On,
                ListVersion::Exactly(9),
                None,
            ),
            (format!("limit=2&continue={token}"), WatchCache::On, ListVersion::Exactly(7), Some(2)),
            (format!("continue={token}&resourceVersion=0"), WatchCache::On, ListVersion::Exactly(7), None),
            (format!("continue={fresh}"), WatchCache::On, ListVersion::Newest, None),
        ] {
            let plan = ListPlan::of(&query::parse(&query).unwrap(), cached).unwrap();
            assert_eq!((plan.at, plan.limit), (at, limit), "{query}");
        }
        let refused = ListPlan::of(
            &query::parse(&format!("continue={token}&resourceVersion=3")).unwrap(),
            WatchCache::On,
        );
        assert_eq!(refused.unwrap_err().code, 400);
        let not_a_number = ListPlan::of(&query::parse("resourceVersion=x").unwrap(), WatchCache::On);
        assert_eq!(not_a_number.unwrap_err().code, 400);
    }
}
