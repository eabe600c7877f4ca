//! Reads from the server, for caches that are late. They return what the cache would return, in the same form.
//!
//! Such a read counts in the statistics. It must never be the usual way: every one is a request to the server.

use std::sync::Arc;

use kube_client::Error;
use kube_core::Request as Requests;
use kube_core::params::{GetParams, ListParams};
use serde::Deserialize;
use serde_json::Value;
use tidings_object::{Intake, Key, NothingKnown, Projection, RawObject};

use super::Context;
use super::reads::ListFilter;
use crate::caches::ControllerCache;
use crate::error::ControllerError;

/// The objects of one page of a live list.
const PAGE_OBJECTS: u32 = 500;

/// A page of a list.
#[derive(Deserialize)]
struct ListPage {
    #[serde(default)]
    metadata: PageMetadata,
    items: Option<Vec<Value>>,
}

#[derive(Deserialize, Default)]
struct PageMetadata {
    #[serde(default, rename = "continue")]
    continue_token: Option<String>,
}

pub(super) async fn get(
    context: &Context,
    cache: &ControllerCache,
    projection: Projection,
    key: &Key,
) -> Result<Option<Arc<RawObject>>, ControllerError> {
    let resource = cache.informer.resource();
    let failed = |source| failed(format!("{resource} {key}"), source);
    let requests = Requests::new(resource.url_path(key.namespace()));
    let request = match projection {
        Projection::Full => requests.get(key.name(), &GetParams::default()),
        Projection::Metadata => requests.get_metadata(key.name(), &GetParams::default()),
    };
    let request = request.map_err(|error| failed(Error::BuildRequest(error)))?;
    match context.client().request_text(request).await {
        Ok(text) => object(cache, projection, text.as_bytes()).map(Some).map_err(failed),
        Err(Error::Api(status)) if status.code == 404 => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

pub(super) async fn list(
    context: &Context,
    cache: &ControllerCache,
    filter: &ListFilter,
) -> Result<Vec<Arc<RawObject>>, ControllerError> {
    let resource = cache.informer.resource();
    if let Some(index) = filter.index() {
        return Err(ControllerError::IndexNotLive {
            resource: resource.to_string(),
            index: index.to_owned(),
        });
    }
    context.shared.counters.live_reads.add_one();
    let failed = |source| failed(resource.to_string(), source);
    let requests = Requests::new(resource.url_path(filter.namespace.as_deref()));
    let mut params = ListParams::default().limit(PAGE_OBJECTS);
    if let Some(selector) = &filter.selector {
        params = params.labels(&selector.to_string());
    }
    let mut objects = Vec::new();
    loop {
        let request = match cache.projection {
            Projection::Full => requests.list(&params),
            Projection::Metadata => requests.list_metadata(&params),
        };
        let request = request.map_err(|error| failed(Error::BuildRequest(error)))?;
        let text = context.client().request_text(request).await.map_err(failed)?;
        let page: ListPage = serde_json::from_str(&text).map_err(|error| failed(Error::SerdeError(error)))?;
        for item in page.items.unwrap_or_default() {
            objects.push(object(cache, cache.projection, item.to_string().as_bytes()).map_err(failed)?);
        }
        match page.metadata.continue_token.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(objects),
        }
    }
}

/// An object as the cache would contain it.
fn object(cache: &ControllerCache, projection: Projection, json: &[u8]) -> Result<Arc<RawObject>, Error> {
    let intake = Intake::new(cache.informer.resource().clone(), Arc::default()).with_projection(projection);
    intake.json(json, &NothingKnown).map_err(|error| Error::SerdeError(serde::de::Error::custom(error)))
}

fn failed(object: String, source: Error) -> ControllerError {
    ControllerError::LiveRead { object, source: Box::new(source) }
}
