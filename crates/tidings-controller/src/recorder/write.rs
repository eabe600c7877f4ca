//! One write of one event: what is asked of the server, and what its answer means.

use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use kube_client::api::{Patch, PatchParams, PostParams};
use kube_client::{Api, Client, Error};
use serde_json::json;

/// A server that hangs is given up after this.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// A server may ask for no more retry_delay than this.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

/// What became of a write.
pub(super) enum EventResponse {
    Written,
    /// No answer, or one that another time may be different.
    Again {
        /// How long the server wants to be left alone.
        retry_after: Option<Duration>,
        /// Whether other writes would fare no better.
        is_outage: bool,
    },
    Refused(Error),
}

/// Creates an event, or counts its repetitions in the one that is there.
pub(super) async fn write(client: &Client, event: &Event) -> EventResponse {
    match tokio::time::timeout(WRITE_TIMEOUT, attempt(client, event)).await {
        Ok(Ok(())) => EventResponse::Written,
        Ok(Err(error)) => meaning(error),
        Err(_) => EventResponse::Again { retry_after: None, is_outage: true },
    }
}

async fn attempt(client: &Client, event: &Event) -> Result<(), Error> {
    let events: Api<Event> =
        Api::namespaced(client.clone(), event.metadata.namespace.as_deref().unwrap_or_default());
    if let Some(series) = &event.series {
        let name = event.metadata.name.as_deref().unwrap_or_default();
        let patch = Patch::Merge(json!({ "series": series }));
        match events.patch(name, &PatchParams::default(), &patch).await {
            // Events live for an hour: this one is made again, with its count.
            Err(Error::Api(status)) if status.code == 404 => {}
            answer => return answer.map(drop),
        }
    }
    match events.create(&PostParams::default(), event).await {
        // Its name is ours alone: an earlier try came through, and only its answer was lost.
        Err(Error::Api(status)) if status.is_already_exists() && event.series.is_none() => Ok(()),
        answer => answer.map(drop),
    }
}

fn meaning(error: Error) -> EventResponse {
    let Error::Api(status) = &error else {
        return EventResponse::Again { retry_after: None, is_outage: true };
    };
    // A token may just be replaced; a series may have been made between the patch and the creation.
    let may_pass = status.code >= 500 || matches!(status.code, 401 | 408 | 409 | 429);
    if !may_pass {
        return EventResponse::Refused(error);
    }
    let asked = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    let retry_after = (asked > 0).then(|| Duration::from_secs(asked.into()).min(RETRY_AFTER_MAX));
    EventResponse::Again { retry_after, is_outage: matches!(status.code, 429 | 502 | 503 | 504) }
}
