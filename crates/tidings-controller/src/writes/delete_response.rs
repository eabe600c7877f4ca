//! The server's response to a deletion. It is a `Status`, the last state of the deleted object, or the current state of
//! an object that stays until its finalizers are removed or its grace period ends. Only in the last case the object
//! exists.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Error;
use kube_core::Status;
use serde::Deserialize;

pub(super) enum DeleteResponse {
    /// The object still exists, in this state.
    Terminating { json: String },
    /// The object is deleted.
    Deleted { uid: Option<String> },
}

/// The fields that distinguish the three.
#[derive(Deserialize)]
struct ResponseHead {
    kind: Option<String>,
    #[serde(default)]
    metadata: ObjectMeta,
}

impl DeleteResponse {
    pub(super) fn of(json: String) -> kube_client::Result<Self> {
        let ResponseHead { kind, metadata } = serde_json::from_str(&json).map_err(Error::SerdeError)?;
        if kind.is_some_and(|kind| kind == "Status") {
            let status: Status = serde_json::from_str(&json).map_err(Error::SerdeError)?;
            return Ok(DeleteResponse::Deleted { uid: status.details.map(|details| details.uid) });
        }
        // An object without finalizers and grace period is deleted: the response is its last state.
        Ok(if is_terminating(&metadata) {
            DeleteResponse::Terminating { json }
        } else {
            DeleteResponse::Deleted { uid: metadata.uid }
        })
    }
}

/// Whether the object is being deleted and waits for finalizers or its grace period.
pub(super) fn is_terminating(meta: &ObjectMeta) -> bool {
    let has_finalizers = meta.finalizers.as_ref().is_some_and(|finalizers| !finalizers.is_empty());
    let has_grace = meta.deletion_grace_period_seconds.is_some_and(|seconds| seconds > 0);
    meta.deletion_timestamp.is_some() && (has_finalizers || has_grace)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The uid of the deleted object, or why there is none.
    fn read(json: &str) -> Result<Option<String>, &'static str> {
        match DeleteResponse::of(json.to_owned()) {
            Ok(DeleteResponse::Deleted { uid }) => Ok(uid),
            Ok(DeleteResponse::Terminating { .. }) => Err("terminating"),
            Err(_) => Err("not a response"),
        }
    }

    #[test]
    fn an_object_without_finalizers_and_grace_period_is_deleted() {
        let deleted_u = Ok(Some("u".to_owned()));
        let deleted = r#""deletionTimestamp":"2026-11-16T04:32:01Z""#;
        assert_eq!(read(r#"{"kind":"Status","metadata":{},"details":{"uid":"u"}}"#), deleted_u);
        assert_eq!(read(r#"{"kind":"Status","status":"Success"}"#), Ok(None));
        assert_eq!(read(r#"{"kind":"Pod","metadata":{"uid":"u"}}"#), deleted_u);
        assert_eq!(read(&format!(r#"{{"metadata":{{"uid":"u",{deleted}}}}}"#)), deleted_u);
        for reason in [r#""finalizers":["a/b"]"#, r#""deletionGracePeriodSeconds":30"#] {
            assert_eq!(read(&format!(r#"{{"metadata":{{{deleted},{reason}}}}}"#)), Err("terminating"));
            assert_eq!(read(&format!(r#"{{"metadata":{{"uid":"u",{reason}}}}}"#)), deleted_u);
        }
        let no_grace = format!(r#"{{"metadata":{{"uid":"u",{deleted},"deletionGracePeriodSeconds":0}}}}"#);
        assert_eq!(read(&no_grace), deleted_u);
        // A field `details` of the object is not a field of a status.
        assert_eq!(read(r#"{"kind":"Widget","metadata":{"uid":"u"},"details":7}"#), deleted_u);
        assert_eq!(read("<html>"), Err("not a response"));
    }
}
