//! Parses the options of a deletion from the body and the query: preconditions, grace period, propagation policy.

use serde::Deserialize;
use serde_json::Value;

use super::{DryRun, decoded_body, text};
use crate::request::RequestOptions;
use crate::resource::ResourceDef;
use crate::status::{ApiError, StatusCause};

/// What happens to the dependents of a deleted object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Propagation {
    /// They are deleted after the object.
    Background,
    /// They are deleted before the object.
    Foreground,
    /// They stay, and lose the owner reference.
    Orphan,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeleteOptions {
    uid: Option<String>,
    version: Option<String>,
    pub(super) grace_seconds: Option<i64>,
    pub(super) propagation: Propagation,
    pub(super) dry_run: DryRun,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct DeleteOptionsBody {
    grace_period_seconds: Option<i64>,
    propagation_policy: Option<String>,
    orphan_dependents: Option<bool>,
    preconditions: Option<Preconditions>,
    dry_run: Option<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

impl DeleteOptions {
    /// Parses body and query. The body takes precedence.
    pub(super) fn parse(
        options: &RequestOptions,
        content_type: Option<&str>,
        sent: &[u8],
    ) -> Result<Self, ApiError> {
        let given = DeleteOptionsBody::parse(content_type, sent)?;
        let mut options = options.clone();
        if let Some(dry_run) = given.dry_run {
            options.dry_run = dry_run;
        }
        let dry_run = if options.is_dry_run("DeleteOptions")? { DryRun::Yes } else { DryRun::No };
        let policy = given.propagation_policy.unwrap_or(options.propagation_policy);
        let orphan = given.orphan_dependents.or(options.orphan_dependents);
        let propagation = propagation(&policy, orphan)
            .map_err(|cause| ApiError::invalid("meta.k8s.io", "DeleteOptions", "", vec![cause]))?;
        let preconditions = given.preconditions.unwrap_or_default();
        Ok(Self {
            uid: preconditions.uid,
            version: preconditions.resource_version,
            grace_seconds: given.grace_period_seconds.or(options.grace_period_seconds),
            propagation,
            dry_run,
        })
    }

    /// Deletion without grace period, with dependents.
    pub(super) fn now() -> Self {
        let propagation = Propagation::Background;
        Self { uid: None, version: None, grace_seconds: Some(0), propagation, dry_run: DryRun::No }
    }

    /// A 409 if the object does not have the uid or the version of the preconditions.
    pub(super) fn check(&self, def: &ResourceDef, object: &Value) -> Result<(), ApiError> {
        let name = text(object, "metadata", "name");
        for (wanted, field, label) in
            [(&self.uid, "uid", "UID"), (&self.version, "resourceVersion", "ResourceVersion")]
        {
            let found = text(object, "metadata", field);
            if let Some(wanted) = wanted.as_deref().filter(|wanted| *wanted != found) {
                let why = format!(
                    "Precondition failed: {label} in precondition: {wanted}, {label} in object meta: {found}"
                );
                let mut error = ApiError::conflict(def, name, &why);
                // The details have the kind here. For stale writes they have the plural, as on a real server.
                error.details.kind = def.kind.to_string();
                return Err(error);
            }
        }
        Ok(())
    }
}

impl DeleteOptionsBody {
    fn parse(content_type: Option<&str>, sent: &[u8]) -> Result<Self, ApiError> {
        if sent.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self::default());
        }
        let malformed = |why: String| ApiError::bad_request(format!("DeleteOptions can't be read: {why}"));
        let value = decoded_body(content_type, sent)?.value;
        let kind = value["kind"].as_str().unwrap_or("DeleteOptions");
        if !value.is_object() || kind != "DeleteOptions" {
            return Err(malformed("the body must be an object of that kind".to_owned()));
        }
        serde_json::from_value(value).map_err(|error| malformed(error.to_string()))
    }
}

fn propagation(policy: &str, orphan: Option<bool>) -> Result<Propagation, StatusCause> {
    match (policy, orphan) {
        ("", Some(true)) | ("Orphan", None) => Ok(Propagation::Orphan),
        ("" | "Background", None) | ("", Some(false)) => Ok(Propagation::Background),
        ("Foreground", None) => Ok(Propagation::Foreground),
        (policy, None) => {
            let why = format!(
                "Unsupported value: {policy:?}: supported values: \"Background\", \"Foreground\", \"Orphan\""
            );
            Err(StatusCause::field("FieldValueNotSupported", "propagationPolicy", why))
        }
        (policy, Some(_)) => {
            let why = format!("Invalid value: {policy:?}: orphanDependents and it can't both be set");
            Err(StatusCause::invalid("propagationPolicy", why))
        }
    }
}
