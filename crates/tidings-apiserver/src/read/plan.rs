//! Which version a LIST reads, and how much of it: the table of resourceVersion, resourceVersionMatch, limit and continue.
//!
//! Pure: given the options, what to read. See
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list>.

use crate::request::RequestOptions;
use crate::request::continue_token::ContinueToken;
use crate::server::WatchCache;
use crate::status::ApiError;

/// What a LIST reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListPlan {
    pub(super) at: ListVersion,
    /// Most objects of one page.
    pub(super) limit: Option<usize>,
    /// First key of the page, relative to the list's namespace.
    pub(super) start: Option<ContinueToken>,
}

/// Which version a LIST reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListVersion {
    /// The newest there is.
    Newest,
    /// The newest there is, once it is not older than this one.
    NotOlderThan(u64),
    /// Exactly this one.
    Exactly(u64),
}

impl ListPlan {
    pub(super) fn of(options: &RequestOptions, watch_cache: WatchCache) -> Result<Self, ApiError> {
        // A real server foresees this for lists alone.
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
            // Before resourceVersionMatch existed, a limit made the version exact; it still does.
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
    fn each_combination_reads_what_kubernetes_documents() {
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
