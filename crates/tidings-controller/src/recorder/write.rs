//! Writes one event to the server and interprets the response.

use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use kube_client::api::{Patch, PatchParams, PostParams};
use kube_client::{Api, Client, Error};
use serde_json::json;

const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// A longer `Retry-After` of the server is shortened to this.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

pub(super) enum EventResponse {
    Written,
    /// No response, or an error that may pass.
    Retry {
        /// The delay that the server demands.
        retry_after: Option<Duration>,
        /// Whether other writes would fail too.
        is_outage: bool,
    },
    Refused(Error),
}

/// Creates an event, or updates the count of the existing one.
pub(super) async fn write(client: &Client, event: &Event) -> EventResponse {
    match tokio::time::timeout(WRITE_TIMEOUT, attempt(client, event)).await {
        Ok(Ok(())) => EventResponse::Written,
        Ok(Err(error)) => classify(error),
        Err(_) => EventResponse::Retry { retry_after: None, is_outage: true },
    }
}

async fn attempt(client: &Client, event: &Event) -> Result<(), Error> {
    let events: Api<Event> =
        Api::namespaced(client.clone(), event.metadata.namespace.as_deref().unwrap_or_default());
    if let Some(series) = &event.series {
        let name = event.metadata.name.as_deref().unwrap_or_default();
        let patch = Patch::Merge(json!({ "series": series }));
        match events.patch(name, &PatchParams::default(), &patch).await {
            // The server deletes events after an hour. This one is created again, with its count.
            Err(Error::Api(status)) if status.code == 404 => {}
            answer => return answer.map(drop),
        }
    }
    match events.create(&PostParams::default(), event).await {
        // The name is unique: an earlier attempt succeeded, and only its response was lost.
        Err(Error::Api(status)) if status.is_already_exists() && event.series.is_none() => Ok(()),
        answer => answer.map(drop),
    }
}

fn classify(error: Error) -> EventResponse {
    let Error::Api(status) = &error else {
        return EventResponse::Retry { retry_after: None, is_outage: true };
    };
    // 401: the token may just be replaced. 409: the event may have been created between the patch and the creation.
    let may_pass = status.code >= 500 || matches!(status.code, 401 | 408 | 409 | 429);
    if !may_pass {
        return EventResponse::Refused(error);
    }
    let demanded = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    let retry_after = (demanded > 0).then(|| Duration::from_secs(demanded.into()).min(RETRY_AFTER_MAX));
    EventResponse::Retry { retry_after, is_outage: matches!(status.code, 429 | 502 | 503 | 504) }
}
