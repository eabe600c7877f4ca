//! Error responses: a Kubernetes `Status` object with code, reason, message and details.
//!
//! Each constructor of [`ApiError`] makes one kind of error response of a real server.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::resource::ResourceDef;

/// An error response. It is sent as a `Status` object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} ({code}): {message}")]
pub(crate) struct ApiError {
    pub code: u16,
    /// Such as `NotFound`.
    pub reason: &'static str,
    pub message: String,
    pub details: Box<StatusDetails>,
    /// The continue token that a 410 for a page offers.
    pub continue_token: Option<String>,
    pub form: DetailsForm,
}

/// When a `Status` has details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DetailsForm {
    /// If there are any.
    #[default]
    IfAny,
    /// Always, even if they are empty, as for unknown paths.
    Always,
}

/// The details of a `Status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StatusDetails {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The plural of the resource; the kind for validation errors.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<StatusCause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<u32>,
}

/// One cause of an error, usually about one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StatusCause {
    /// Such as `FieldValueInvalid`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Such as `metadata.name`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
}

#[derive(Serialize)]
struct StatusJson<'a> {
    kind: &'static str,
    #[serde(rename = "apiVersion")]
    api_version: &'static str,
    metadata: StatusMetadataJson<'a>,
    status: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a StatusDetails>,
    code: u16,
}

#[derive(Serialize)]
struct StatusMetadataJson<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    continue_token: Option<&'a str>,
}

impl StatusCause {
    pub(crate) fn field(reason: &str, field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { reason: reason.to_owned(), message: message.into(), field: field.into() }
    }

    /// `FieldValueInvalid`.
    pub(crate) fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::field("FieldValueInvalid", field, message)
    }

    /// `FieldValueRequired`.
    pub(crate) fn required(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::field("FieldValueRequired", field, message)
    }

    /// `FieldValueForbidden`.
    pub(crate) fn forbidden(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::field("FieldValueForbidden", field, message)
    }
}

impl ApiError {
    /// Any error that has no constructor below.
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            details: Box::default(),
            continue_token: None,
            form: DetailsForm::IfAny,
        }
    }

    /// The same error, with details even if they are empty.
    fn generic(mut self) -> Self {
        self.form = DetailsForm::Always;
        self
    }

    fn about(mut self, def: &ResourceDef, name: &str) -> Self {
        self.details.name = name.to_owned();
        self.details.group = def.group.to_string();
        self.details.kind = def.plural.to_string();
        self
    }

    /// 404 for one object.
    pub(crate) fn not_found(def: &ResourceDef, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{} \"{name}\" not found", def.group_resource())).about(def, name)
    }

    /// 404 for an unknown path.
    pub(crate) fn unknown_path() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource").generic()
    }

    /// 404 for an unknown subresource.
    pub(crate) fn unknown_subresource(def: &ResourceDef, name: &str) -> Self {
        if def.is_custom() { Self::unknown_path().about(def, name) } else { Self::unknown_path() }
    }

    /// 409 for an object that exists already.
    pub(crate) fn already_exists(def: &ResourceDef, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{} \"{name}\" already exists", def.group_resource()))
            .about(def, name)
    }

    /// 409 for a write that conflicts with the present state.
    pub(crate) fn conflict(def: &ResourceDef, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", def.group_resource());
        Self::new(409, "Conflict", message).about(def, name)
    }

    /// 409 for a stale `resourceVersion`.
    pub(crate) fn stale(def: &ResourceDef, name: &str) -> Self {
        let why =
            "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(def, name, why)
    }

    /// 422 with the causes. The details have the kind and not the plural, as on a real server.
    pub(crate) fn invalid(group: &str, kind: &str, name: &str, causes: Vec<StatusCause>) -> Self {
        let subject = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let texts: Vec<_> = causes.iter().map(|c| format!("{}: {}", c.field, c.message)).collect();
        let list = if texts.len() == 1 { texts[0].clone() } else { format!("[{}]", texts.join(", ")) };
        let mut error = Self::new(422, "Invalid", format!("{subject} \"{name}\" is invalid: {list}"));
        error.details.causes = causes;
        error.details.name = name.to_owned();
        error.details.group = group.to_owned();
        error.details.kind = kind.to_owned();
        error
    }

    /// 422 for an object of this resource.
    pub(crate) fn invalid_object(def: &ResourceDef, name: &str, causes: Vec<StatusCause>) -> Self {
        Self::invalid(&def.group, &def.kind, name, causes)
    }

    /// 400.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 410 for a version that is no longer in the history.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 410 for a continue token with an expired version. Offers a token that continues at the newest version.
    pub(crate) fn expired_continue(fresh: String) -> Self {
        let mut error = Self::expired(
            "The provided continue parameter is too old to display a consistent list result. You can start a new list \
             without the continue parameter, or use the continue token in this response to retrieve the remainder of \
             the results. Continuing with the provided token results in an inconsistent list - objects that were \
             created, modified, or deleted between the time the first chunk was returned and now may show up in the \
             list.",
        );
        error.continue_token = Some(fresh);
        error
    }

    /// 504 for a version that is not assigned yet.
    pub(crate) fn too_large_resource_version(requested: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {requested}, current: {current}");
        let mut error = Self::new(504, "Timeout", message);
        error.details.causes = vec![StatusCause {
            reason: "ResourceVersionTooLarge".to_owned(),
            message: "Too large resource version".to_owned(),
            field: String::new(),
        }];
        error.details.retry_after_seconds = Some(1);
        error
    }

    /// 405.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
            .generic()
    }

    /// 406 with the media types that the server can send.
    pub(crate) fn not_acceptable(accepted: &str) -> Self {
        let message = format!("only the following media types are accepted: {accepted}");
        Self::new(406, "NotAcceptable", message).generic()
    }

    /// 406 for a supported media type with an unsupported `as` parameter.
    pub(crate) fn not_acceptable_as(kind: &str) -> Self {
        let message = format!("the requested resource cannot be answered as {kind}");
        Self::new(406, "NotAcceptable", message)
    }

    /// 415 with the media types that the server can read.
    pub(crate) fn unsupported_media_type(accepted: &str) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 415 for a patch.
    pub(crate) fn unsupported_patch(accepted: &str) -> Self {
        Self::unsupported_media_type(accepted).generic()
    }

    /// 401.
    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 403.
    pub(crate) fn forbidden(def: &ResourceDef, name: &str, why: &str) -> Self {
        let subject = if name.is_empty() {
            format!("{} is forbidden: {why}", def.group_resource())
        } else {
            format!("{} \"{name}\" is forbidden: {why}", def.group_resource())
        };
        Self::new(403, "Forbidden", subject).about(def, name)
    }

    /// 413.
    pub(crate) fn request_too_large(limit_bytes: usize) -> Self {
        let message = format!("Request entity too large: limit is {limit_bytes}");
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// 429.
    pub(crate) fn too_many_requests(retry_after_seconds: Option<u32>) -> Self {
        let message = "the server has received too many requests and has asked us to try again later";
        let mut error = Self::new(429, "TooManyRequests", message);
        error.details.retry_after_seconds = retry_after_seconds;
        error
    }

    /// 500.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        let message = message.into();
        let mut error = Self::new(500, "InternalError", format!("Internal error occurred: {message}"));
        error.details.causes = vec![StatusCause { message, ..StatusCause::default() }];
        error
    }

    /// 500 without a reason, as a real server sends for errors that it does not classify.
    pub(crate) fn unexpected(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// A write that must be reviewed before it goes on. It never reaches a client.
    pub(crate) fn review_pending() -> Self {
        Self::new(500, "", "the write was not reviewed")
    }

    /// The refusal of an admission webhook, with the `Status` of its answer.
    pub(crate) fn denied_by_webhook(webhook: &str, status: &Value) -> Self {
        let text = |name: &str| status[name].as_str().filter(|text| !text.is_empty());
        let why = match text("message").or_else(|| text("reason")) {
            Some(why) => format!(": {why}"),
            None => " without explanation".to_owned(),
        };
        let code =
            status["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or_default().max(400);
        let reason = text("reason").map_or("", known_reason);
        let mut error =
            Self::new(code, reason, format!("admission webhook {webhook:?} denied the request{why}"));
        error.details = serde_json::from_value(status["details"].clone()).unwrap_or_default();
        error
    }

    /// 422 for a patch whose result is malformed.
    pub(crate) fn invalid_patch(why: &str) -> Self {
        let message = format!("the patch is invalid: {why}");
        let mut error = Self::new(422, "Invalid", message);
        error.details.causes = vec![StatusCause::invalid("patch", format!("Invalid value: {why}"))];
        error
    }

    /// 422 for a patch that can't be applied to the object.
    pub(crate) fn rejected(why: &str) -> Self {
        let message = format!("the server rejected our request due to an error in our request: {why}");
        Self::new(422, "Invalid", message).generic()
    }

    /// 503.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(503, "ServiceUnavailable", message)
    }

    /// The error for a code, for injected faults.
    pub(crate) fn of_code(code: u16, retry_after_seconds: Option<u32>) -> Self {
        let mut error = match code {
            401 => Self::unauthorized(),
            404 => Self::unknown_path(),
            405 => Self::method_not_allowed(),
            410 => Self::expired("The resourceVersion for the provided watch is too old."),
            429 => Self::too_many_requests(None),
            500 => Self::internal("a fault was injected"),
            503 => Self::unavailable("the server is currently unable to handle the request"),
            504 => Self::new(504, "Timeout", "Timeout: request did not complete within the allotted timeout"),
            _ => Self::new(code, "", "a fault was injected"),
        };
        error.details.retry_after_seconds = retry_after_seconds;
        error
    }

    /// The `Status` as JSON.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let has_details = self.form == DetailsForm::Always || *self.details != StatusDetails::default();
        let details = has_details.then_some(&*self.details);
        let status = StatusJson {
            kind: "Status",
            api_version: "v1",
            metadata: StatusMetadataJson { continue_token: self.continue_token.as_deref() },
            status: "Failure",
            message: &self.message,
            reason: self.reason,
            details,
            code: self.code,
        };
        serde_json::to_vec(&status).expect("a status has only strings and numbers")
    }
}

/// The reasons of Kubernetes. Others are not passed on.
fn known_reason(reason: &str) -> &'static str {
    const REASONS: [&str; 17] = [
        "Unauthorized",
        "Forbidden",
        "NotFound",
        "AlreadyExists",
        "Conflict",
        "Gone",
        "Invalid",
        "ServerTimeout",
        "Timeout",
        "TooManyRequests",
        "BadRequest",
        "MethodNotAllowed",
        "NotAcceptable",
        "RequestEntityTooLarge",
        "UnsupportedMediaType",
        "InternalError",
        "ServiceUnavailable",
    ];
    REASONS.into_iter().find(|known| *known == reason).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_is_written_as_a_failure_status_with_its_details() {
        let error = ApiError::too_large_resource_version(9, 3);
        let value: Value = serde_json::from_slice(&error.to_json()).unwrap();
        assert_eq!(value["kind"], "Status");
        assert_eq!(value["status"], "Failure");
        assert_eq!(value["code"], 504);
        assert_eq!(value["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
        assert_eq!(value["details"]["retryAfterSeconds"], 1);
    }

    #[test]
    fn an_expired_continue_token_offers_a_fresh_one_in_its_metadata() {
        let value: Value =
            serde_json::from_slice(&ApiError::expired_continue("abc".to_owned()).to_json()).unwrap();
        assert_eq!(value["metadata"], json!({"continue": "abc"}));
    }
}
