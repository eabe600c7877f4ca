//! The `token` subresource of service accounts: issues a token.

use http::{Response, StatusCode};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{WriteRequest, with_type_meta};
use crate::body::{self, ResponseBody};
use crate::read;
use crate::server_clock::rfc3339_seconds;
use crate::status::ApiError;

/// Answers a TokenRequest. A dry run issues a token too: nothing is stored for one.
pub(super) fn answer(
    request: &WriteRequest<'_>,
    mut sent: Value,
) -> Result<Response<ResponseBody>, ApiError> {
    request.dry_run("CreateOptions")?;
    let stored = read::get::object(request.core, request.def, &request.key(request.name()?))?;
    let account = with_type_meta(request.def, &stored);
    if !sent["spec"].is_object() {
        sent["spec"] = json!({});
    }
    let (token, expires) = request.core.issue_token(&account, &sent["spec"])?;
    let lifetime = expires.saturating_sub(request.core.clock.now().as_second());
    let mut spec = sent["spec"].take();
    if spec["audiences"].as_array().is_none_or(Vec::is_empty) {
        spec["audiences"] = json!([crate::auth::service_account::ISSUER]);
    }
    if spec["expirationSeconds"].is_null() {
        spec["expirationSeconds"] = json!(lifetime);
    }
    if spec["boundObjectRef"].is_null() {
        spec["boundObjectRef"] = Value::Null;
    }
    let expires = Timestamp::from_second(expires).unwrap_or(Timestamp::MAX);
    let answer = json!({
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            "name": account["metadata"]["name"],
            "namespace": account["metadata"]["namespace"],
            "creationTimestamp": request.time,
        },
        "spec": spec,
        "status": {"token": token, "expirationTimestamp": rfc3339_seconds(expires)},
    });
    Ok(body::json(StatusCode::CREATED, body::full(answer.to_string())))
}
