//! GET: one object.

use std::sync::Arc;

use http::{Response, StatusCode};

use super::list::wait_until;
use crate::body::{self, ResponseBody};
use crate::request::{Representation, RequestOptions};
use crate::resource::ResourceDef;
use crate::server::Core;
use crate::status::ApiError;
use crate::store::StoredObject;
use crate::wire::ObjectEncoder;

/// Answers with one object, not older than the requested version.
pub(crate) async fn answer(
    core: &Core,
    def: &ResourceDef,
    key: &str,
    options: &RequestOptions,
    representation: Representation,
) -> Result<Response<ResponseBody>, ApiError> {
    if let Some(version) = options.version()? {
        wait_until(core, version).await?;
    }
    let object = object(core, def, key)?;
    response(core, def, &object, options, representation, StatusCode::OK)
}

/// One object, or a 404.
pub(crate) fn object(core: &Core, def: &ResourceDef, key: &str) -> Result<Arc<StoredObject>, ApiError> {
    let name = key.rsplit('/').next().unwrap_or(key);
    core.store.object(&def.storage, key).ok_or_else(|| ApiError::not_found(def, name))
}

/// The response with one object. It falls back to JSON if the object can't be encoded as protobuf and the client
/// accepts JSON.
pub(crate) fn response(
    core: &Core,
    def: &ResourceDef,
    object: &StoredObject,
    options: &RequestOptions,
    representation: Representation,
    code: StatusCode,
) -> Result<Response<ResponseBody>, ApiError> {
    let encoder = ObjectEncoder::of(core, def, options, representation)?;
    match (encoder.object(object), representation.in_json()) {
        (Err(_), Some(in_json)) => response(core, def, object, options, in_json, code),
        (encoded, _) => Ok(body::with_type(code, encoder.media_type(), body::full(encoded?))),
    }
}
