//! Parses the query of a request into its options.
//!
//! Unknown options are ignored, as in Kubernetes. A known option with a malformed value is a 400, and so is a malformed
//! escape.

use super::{Plus, percent_decoded};
use crate::status::{ApiError, StatusCause};

/// The options of a request. Each kind of request uses some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestOptions {
    /// `labelSelector`, as sent.
    pub label_selector: String,
    /// `fieldSelector`, as sent.
    pub field_selector: String,
    /// `shardSelector`, as sent; empty when absent.
    pub(crate) shard_selector: String,
    /// `resourceVersion`, as sent; empty when absent.
    pub resource_version: String,
    /// `resourceVersionMatch`, as sent; empty when absent.
    pub(crate) resource_version_match: String,
    /// `limit`; 0 when absent.
    pub limit: i64,
    /// `continue`; empty when absent.
    pub continue_token: String,
    /// `watch`.
    pub is_watch: bool,
    /// `allowWatchBookmarks`.
    pub allows_bookmarks: bool,
    /// `sendInitialEvents`.
    pub send_initial_events: Option<bool>,
    /// `timeoutSeconds`.
    pub timeout_seconds: Option<u64>,
    /// All values of `dryRun`.
    pub dry_run: Vec<String>,
    /// `fieldManager`; empty when absent.
    pub(crate) field_manager: String,
    /// `fieldValidation`; empty when absent.
    pub(crate) field_validation: String,
    /// `force`.
    pub(crate) is_forced: bool,
    /// `gracePeriodSeconds`.
    pub(crate) grace_period_seconds: Option<i64>,
    /// `propagationPolicy`; empty when absent.
    pub propagation_policy: String,
    /// `orphanDependents`.
    pub(crate) orphan_dependents: Option<bool>,
    /// `includeObject`, for Table responses; empty when absent.
    pub(crate) include_object: String,
}

/// The longest name of a field manager, in bytes.
const FIELD_MANAGER_BYTES_MAX: usize = 128;

/// Parses a query, without its `?`.
pub(crate) fn parse(query: &str) -> Result<RequestOptions, ApiError> {
    let mut options = RequestOptions::default();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = percent_decoded(name, Plus::IsSpace).ok_or_else(|| malformed(pair))?;
        let value = percent_decoded(value, Plus::IsSpace).ok_or_else(|| malformed(pair))?;
        options.take(&name, value)?;
    }
    Ok(options)
}

impl RequestOptions {
    fn take(&mut self, name: &str, value: String) -> Result<(), ApiError> {
        match name {
            "labelSelector" => self.label_selector = value,
            "fieldSelector" => self.field_selector = value,
            "shardSelector" => self.shard_selector = value,
            "resourceVersion" => self.resource_version = value,
            "resourceVersionMatch" => self.resource_version_match = value,
            "limit" => self.limit = number(&value)?,
            "continue" => self.continue_token = value,
            "watch" => self.is_watch = flag(&value),
            "allowWatchBookmarks" => self.allows_bookmarks = flag(&value),
            "sendInitialEvents" => self.send_initial_events = Some(flag(&value)),
            "timeoutSeconds" => self.timeout_seconds = u64::try_from(number(&value)?).ok().filter(|s| *s > 0),
            "dryRun" => self.dry_run.push(value),
            "fieldManager" => self.field_manager = value,
            "fieldValidation" => self.field_validation = value,
            "force" => self.is_forced = flag(&value),
            "gracePeriodSeconds" => self.grace_period_seconds = Some(number(&value)?),
            "propagationPolicy" => self.propagation_policy = value,
            "orphanDependents" => self.orphan_dependents = Some(flag(&value)),
            "includeObject" => self.include_object = value,
            _ => {}
        }
        Ok(())
    }

    /// A 422 for combinations of options that Kubernetes forbids for lists and watches.
    pub(crate) fn check_list(&self) -> Result<(), ApiError> {
        let causes = if self.is_watch { self.watch_causes() } else { self.list_causes() };
        if causes.is_empty() {
            return Ok(());
        }
        Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", causes))
    }

    fn list_causes(&self) -> Vec<StatusCause> {
        let field = "resourceVersionMatch";
        let mut causes = Vec::new();
        let wanted = self.resource_version_match.as_str();
        if !wanted.is_empty() {
            if self.resource_version.is_empty() {
                causes.push(forbidden(
                    field,
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                ));
            }
            if !self.continue_token.is_empty() {
                causes.push(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
            }
            if wanted != "Exact" && wanted != "NotOlderThan" {
                causes.push(unsupported(field, wanted, "\"\", \"Exact\", \"NotOlderThan\""));
            }
            if wanted == "Exact" && self.resource_version == "0" {
                let message = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
                causes.push(forbidden(field, message));
            }
        }
        if self.send_initial_events.is_some() {
            causes.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        causes
    }

    fn watch_causes(&self) -> Vec<StatusCause> {
        let field = "resourceVersionMatch";
        let mut causes = Vec::new();
        let wanted = self.resource_version_match.as_str();
        if self.send_initial_events.is_some() && wanted != "NotOlderThan" {
            let message = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            causes.push(forbidden(field, message));
        }
        if !wanted.is_empty() {
            if self.send_initial_events.is_none() {
                let message =
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
                causes.push(forbidden(field, message));
            }
            if wanted != "NotOlderThan" {
                causes.push(unsupported(field, wanted, "\"NotOlderThan\""));
            }
        }
        if !self.continue_token.is_empty() {
            causes.push(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
        }
        causes
    }

    /// The requested version; `None` when absent.
    pub(crate) fn version(&self) -> Result<Option<u64>, ApiError> {
        if self.resource_version.is_empty() {
            return Ok(None);
        }
        let parsed = self.resource_version.parse();
        let message = || format!("invalid resource version: Invalid value: \"{}\"", self.resource_version);
        parsed.map(Some).map_err(|_| ApiError::unexpected(message()))
    }

    /// A 422 for invalid options of a write. `kind` is the kind of the options, such as `UpdateOptions`.
    pub(crate) fn check_write(&self, kind: &str) -> Result<(), ApiError> {
        let mut causes = Vec::new();
        if !matches!(self.field_validation.as_str(), "" | "Ignore" | "Warn" | "Strict") {
            let supported = "\"Ignore\", \"Strict\", \"Warn\"";
            causes.push(unsupported("fieldValidation", &self.field_validation, supported));
        }
        if self.field_manager.len() > FIELD_MANAGER_BYTES_MAX {
            let message = format!("Too long: may not be more than {FIELD_MANAGER_BYTES_MAX} bytes");
            causes.push(StatusCause::field("FieldValueTooLong", "fieldManager", message));
        }
        if causes.is_empty() { Ok(()) } else { Err(ApiError::invalid("meta.k8s.io", kind, "", causes)) }
    }

    /// Whether the write is a dry run; a 422 for an invalid value.
    pub(crate) fn is_dry_run(&self, kind: &str) -> Result<bool, ApiError> {
        match self.dry_run.iter().find(|value| *value != "All") {
            None => Ok(!self.dry_run.is_empty()),
            Some(value) => {
                let cause = unsupported("dryRun", value, "\"All\"");
                Err(ApiError::invalid("meta.k8s.io", kind, "", vec![cause]))
            }
        }
    }
}

/// Parses a boolean as Kubernetes does: everything but `false` and `0` is true, also a parameter without a value.
fn flag(value: &str) -> bool {
    !value.eq_ignore_ascii_case("false") && value != "0"
}

fn number(value: &str) -> Result<i64, ApiError> {
    if value.is_empty() {
        return Ok(0);
    }
    value
        .parse()
        .map_err(|_| ApiError::bad_request(format!("strconv.ParseInt: parsing {value:?}: invalid syntax")))
}

fn malformed(pair: &str) -> ApiError {
    ApiError::bad_request(format!("invalid URL escape in query: {pair:?}"))
}

fn forbidden(field: &str, why: &str) -> StatusCause {
    StatusCause::forbidden(field, format!("Forbidden: {why}"))
}

fn unsupported(field: &str, value: &str, supported: &str) -> StatusCause {
    StatusCause::field(
        "FieldValueNotSupported",
        field,
        format!("Unsupported value: {value:?}: supported values: {supported}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed_with_their_escapes() {
        let options =
            parse("labelSelector=a%3Db%2Cc+in+(d)&limit=500&watch&allowWatchBookmarks=false&unknown=1")
                .unwrap();
        assert_eq!(options.label_selector, "a=b,c in (d)");
        assert_eq!(options.limit, 500);
        assert!(options.is_watch && !options.allows_bookmarks);
    }

    #[test]
    fn malformed_options_are_a_bad_request() {
        for query in ["limit=x", "labelSelector=%zz", "timeoutSeconds=1.5"] {
            assert_eq!(parse(query).unwrap_err().code, 400, "{query}");
        }
    }

    #[test]
    fn combinations_are_refused_as_in_kubernetes() {
        for (query, fields) in [
            ("resourceVersionMatch=Exact", vec!["resourceVersionMatch"]),
            ("resourceVersionMatch=Exact&resourceVersion=0", vec!["resourceVersionMatch"]),
            ("resourceVersionMatch=Other&resourceVersion=1", vec!["resourceVersionMatch"]),
            ("resourceVersionMatch=Exact&resourceVersion=1&continue=x", vec!["resourceVersionMatch"]),
            ("sendInitialEvents=true", vec!["sendInitialEvents"]),
            ("watch=1&sendInitialEvents=true", vec!["resourceVersionMatch"]),
            ("watch=1&resourceVersionMatch=NotOlderThan", vec!["resourceVersionMatch"]),
            ("watch=1&resourceVersionMatch=Exact", vec!["resourceVersionMatch", "resourceVersionMatch"]),
            ("watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", vec![]),
            ("resourceVersionMatch=NotOlderThan&resourceVersion=0", vec![]),
            ("resourceVersionMatch=Exact&resourceVersion=7", vec![]),
        ] {
            let causes = match parse(query).unwrap().check_list() {
                Ok(()) => vec![],
                Err(error) => {
                    assert_eq!((error.code, error.reason), (422, "Invalid"), "{query}");
                    error.details.causes
                }
            };
            let named: Vec<_> = causes.iter().map(|cause| cause.field.as_str()).collect();
            assert_eq!(named, fields, "{query}");
        }
    }
}
