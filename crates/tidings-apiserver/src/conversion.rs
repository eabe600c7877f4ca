//! Conversion of custom resources by webhooks: answers requests for a version that is not the stored one.
//!
//! The rest of the server knows one form of each object, that of the stored version. This module stands in front of
//! it: it converts what a client sends, lets the server answer in the stored version, and converts the answer. A watch
//! converts each event. Server-side apply in another version than the stored one is refused (415). Tables and
//! PartialObjectMetadata are those of the stored version.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::body::{self, ConnectionLost, ResponseBody};
use crate::patch::{self, PatchKind};
use crate::resource::{ResourceDef, WebhookConversion};
use crate::server::Core;
use crate::status::ApiError;
use crate::webhook_client;

/// The time that a conversion may take, as in Kubernetes.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How often a patch is tried when other writes of the same object come first.
const ATTEMPTS_MAX: usize = 8;

/// Converts between one version of a custom resource and the stored one.
#[derive(Clone)]
pub(crate) struct Converter {
    core: Arc<Core>,
    def: Arc<ResourceDef>,
    conversion: WebhookConversion,
}

impl Converter {
    /// The converter of a resource; `None` if it needs no conversion.
    pub(crate) fn of(core: &Arc<Core>, def: &Arc<ResourceDef>) -> Option<Self> {
        let conversion = def.custom()?.conversion.clone()?;
        Some(Self { core: core.clone(), def: def.clone(), conversion })
    }

    /// The resource in the stored version.
    pub(crate) fn storage(&self) -> &Arc<ResourceDef> {
        &self.conversion.storage
    }

    /// Converts the body of a create or an update to the stored version.
    pub(crate) async fn body_to_storage(&self, body: Value) -> Result<Bytes, ApiError> {
        let expected = self.def.api_version();
        if body["apiVersion"] != expected.as_str() {
            // The server's own check answers with its error.
            return Ok(Bytes::from(body.to_string()));
        }
        let mut converted = self.convert(vec![body], self.storage()).await?;
        Ok(Bytes::from(converted.pop().unwrap_or_default().to_string()))
    }

    /// Converts a complete answer of the server from the stored version.
    pub(crate) async fn answer(
        &self,
        answer: Response<ResponseBody>,
    ) -> Result<Response<ResponseBody>, ApiError> {
        let (mut parts, sent) = answer.into_parts();
        let lost = |_| ApiError::internal("the answer to convert was lost");
        let bytes = sent.collect().await.map_err(lost)?.to_bytes();
        let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) else {
            return Ok(Response::from_parts(parts, body::full(bytes)));
        };
        if value["kind"] == self.def.kind.as_ref() {
            let mut converted = self.convert(vec![value], &self.def).await?;
            value = converted.pop().unwrap_or_default();
        } else if value["kind"] == self.def.list_kind.as_ref() {
            let items = value["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
            value["items"] = Value::Array(self.convert(items, &self.def).await?);
            value["apiVersion"] = json!(self.def.api_version());
        } else {
            return Ok(Response::from_parts(parts, body::full(bytes)));
        }
        parts.headers.remove(http::header::CONTENT_LENGTH);
        Ok(Response::from_parts(parts, body::full(value.to_string())))
    }

    /// Converts the events of a watch. The watch ends with an ERROR event if a conversion fails.
    pub(crate) fn watch(self, answer: Response<ResponseBody>) -> Response<ResponseBody> {
        if answer.status() != StatusCode::OK {
            return answer;
        }
        answer.map(|sent| {
            let state = Some((self, sent, BytesMut::new()));
            body::streamed(futures_util::stream::unfold(state, |state| async move {
                let (converter, mut sent, mut read) = state?;
                let line = match next_line(&mut sent, &mut read).await {
                    None => return None,
                    Some(Err(lost)) => return Some((Err(lost), None)),
                    Some(Ok(line)) => line,
                };
                match converter.event(&line).await {
                    Ok(event) => Some((Ok(event), Some((converter, sent, read)))),
                    Err(error) => {
                        let status: Value = serde_json::from_slice(&error.to_json()).unwrap_or_default();
                        let event = format!("{}\n", json!({"type": "ERROR", "object": status}));
                        Some((Ok(Bytes::from(event)), None))
                    }
                }
            }))
        })
    }

    async fn event(&self, line: &Bytes) -> Result<Bytes, ApiError> {
        let Ok(mut event) = serde_json::from_slice::<Value>(line) else { return Ok(line.clone()) };
        match event["type"].as_str() {
            Some("ADDED" | "MODIFIED" | "DELETED") if event["object"]["kind"] == self.def.kind.as_ref() => {
                let mut converted = self.convert(vec![event["object"].take()], &self.def).await?;
                event["object"] = converted.pop().unwrap_or_default();
            }
            Some("BOOKMARK") => event["object"]["apiVersion"] = json!(self.def.api_version()),
            _ => return Ok(line.clone()),
        }
        Ok(Bytes::from(format!("{event}\n")))
    }

    /// Patches an object in this version: reads and converts it, applies the patch, converts the result back, and
    /// replaces the object if no other write changed it. `get` and `put` are requests for the stored version.
    pub(crate) async fn patch<P>(
        &self,
        content_type: &str,
        sent: &[u8],
        get: impl Fn() -> Result<Value, ApiError>,
        put: impl Fn(Bytes) -> P,
    ) -> Result<Response<ResponseBody>, ApiError>
    where
        P: Future<Output = Result<Response<ResponseBody>, ApiError>>,
    {
        let kind = PatchKind::from_content_type(content_type).filter(|kind| *kind != PatchKind::Apply);
        let kind = kind.ok_or_else(|| {
            ApiError::unsupported_patch("application/json-patch+json, application/merge-patch+json")
        })?;
        for attempt in 1.. {
            let live = self.convert(vec![get()?], &self.def).await?.pop().unwrap_or_default();
            let patched = patch::patched(&self.def, kind, &live, sent)?;
            let answer = put(self.body_to_storage(patched).await?).await?;
            if answer.status() != StatusCode::CONFLICT || attempt == ATTEMPTS_MAX {
                return self.answer(answer).await;
            }
        }
        unreachable!("the loop ends at the last attempt")
    }

    async fn convert(&self, objects: Vec<Value>, to: &ResourceDef) -> Result<Vec<Value>, ApiError> {
        if objects.is_empty() {
            return Ok(objects);
        }
        let failed = |why: String| {
            let (def, kind) = (self.def.api_version(), &self.def.kind);
            ApiError::internal(format!("conversion webhook for {def}, Kind={kind} failed: {why}"))
        };
        let uid = self.core.new_uid();
        let desired = to.api_version();
        let review = json!({
            "kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1",
            "request": {"uid": uid, "desiredAPIVersion": desired, "objects": objects},
        });
        let client_config = &self.conversion.client_config;
        let mut answer =
            webhook_client::post(&self.core, client_config, &review, TIMEOUT).await.map_err(failed)?;
        let response = &mut answer["response"];
        if response["uid"] != uid.as_str() {
            return Err(failed(format!("expected response.uid={uid:?}, got {}", response["uid"])));
        }
        if response["result"]["status"] != "Success" {
            return Err(failed(
                response["result"]["message"].as_str().unwrap_or("no reason given").to_owned(),
            ));
        }
        let converted = match response["convertedObjects"].take() {
            Value::Array(converted) if converted.len() == objects.len() => converted,
            _ => return Err(failed(format!("expected {} converted objects", objects.len()))),
        };
        converted
            .into_iter()
            .zip(&objects)
            .map(|(new, old)| checked(new, old, &desired).map_err(failed))
            .collect()
    }
}

/// A converted object. A webhook may change labels and annotations, and no other metadata.
fn checked(mut new: Value, old: &Value, desired: &str) -> Result<Value, String> {
    if new["apiVersion"] != desired || new["kind"] != old["kind"] {
        return Err(format!("expected an object of {desired}, got {}", new["apiVersion"]));
    }
    let mut metadata = old["metadata"].clone();
    for name in ["labels", "annotations"] {
        match new["metadata"].get(name) {
            Some(value) => metadata[name] = value.clone(),
            None => {
                if let Some(fields) = metadata.as_object_mut() {
                    fields.remove(name);
                }
            }
        }
    }
    new["metadata"] = metadata;
    Ok(new)
}

/// The next line of a stream with its newline; `None` at the end.
async fn next_line(sent: &mut ResponseBody, read: &mut BytesMut) -> Option<Result<Bytes, ConnectionLost>> {
    loop {
        if let Some(end) = read.iter().position(|byte| *byte == b'\n') {
            return Some(Ok(read.split_to(end + 1).freeze()));
        }
        match sent.frame().await {
            None => return None,
            Some(Err(lost)) => return Some(Err(lost)),
            Some(Ok(frame)) => read.extend_from_slice(&frame.into_data().unwrap_or_default()),
        }
    }
}
