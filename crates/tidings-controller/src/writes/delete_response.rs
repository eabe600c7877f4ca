//! What a server answers to a deletion: a `Status`, or the object as it was, or as it is while it stays. The three look much
//! the same, and only one of them is still there.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Error;
use kube_core::Status;
use serde::Deserialize;

/// What has become of the object.
pub(super) enum DeleteResponse {
    /// It stays for a while; this is how it is.
    Terminating { json: String },
    /// It is gone.
    Gone { uid: Option<String> },
}

/// What tells them apart.
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
            return Ok(DeleteResponse::Gone { uid: status.details.map(|details| details.uid) });
        }
        // An object that is answered without a reason to stay is gone: the answer says how it was before.
        Ok(if stays(&metadata) {
            DeleteResponse::Terminating { json }
        } else {
            DeleteResponse::Gone { uid: metadata.uid }
        })
    }
}

/// Whether a deleted object waits for its finalizers or its grace period.
pub(super) fn stays(meta: &ObjectMeta) -> bool {
    let has_finalizers = meta.finalizers.as_ref().is_some_and(|finalizers| !finalizers.is_empty());
    let has_grace = meta.deletion_grace_period_seconds.is_some_and(|seconds| seconds > 0);
    meta.deletion_timestamp.is_some() && (has_finalizers || has_grace)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The uid of what is gone, or that it stays.
    fn read(json: &str) -> Result<Option<String>, &'static str> {
        match DeleteResponse::of(json.to_owned()) {
            Ok(DeleteResponse::Gone { uid }) => Ok(uid),
            Ok(DeleteResponse::Terminating { .. }) => Err("it stays"),
            Err(_) => Err("no answer"),
        }
    }

    #[test]
    fn only_an_object_with_a_reason_to_stay_stays() {
        let gone = Ok(Some("u".to_owned()));
        let deleted = r#""deletionTimestamp":"2026-11-16T04:32:01Z""#;
        assert_eq!(read(r#"{"kind":"Status","metadata":{},"details":{"uid":"u"}}"#), gone);
        assert_eq!(read(r#"{"kind":"Status","status":"Success"}"#), Ok(None));
        assert_eq!(read(r#"{"kind":"Pod","metadata":{"uid":"u"}}"#), gone);
        assert_eq!(read(&format!(r#"{{"metadata":{{"uid":"u",{deleted}}}}}"#)), gone);
        for reason in [r#""finalizers":["a/b"]"#, r#""deletionGracePeriodSeconds":30"#] {
            assert_eq!(read(&format!(r#"{{"metadata":{{{deleted},{reason}}}}}"#)), Err("it stays"));
            assert_eq!(read(&format!(r#"{{"metadata":{{"uid":"u",{reason}}}}}"#)), gone);
        }
        // A field of the object's own is none of a status.
        assert_eq!(read(r#"{"kind":"Widget","metadata":{"uid":"u"},"details":7}"#), gone);
        assert_eq!(read("<html>"), Err("no answer"));
    }
}
