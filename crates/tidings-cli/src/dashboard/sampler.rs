//! Takes one sample per second for all open pages: the state of informers and queues, and the notifications since the
//! previous sample.
//!
//! A sample is encoded once and shared. A page that reads too slowly skips samples, so memory stays bounded.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::response::sse::{self, KeepAlive, Sse};
use axum::routing::get;
use futures_util::stream::{self, SelectAll, Stream, StreamExt as _};
use kube_core::dynamic::DynamicObject;
use serde_json::json;
use tidings::{Handler, Notification};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::catalog::Catalog;
use super::recent::Recent;
use crate::failure::CliResult;

const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// Takes the samples.
pub(super) struct Sampler {
    catalog: Arc<Catalog>,
    recent: Arc<Recent>,
    notifications: SelectAll<stream::BoxStream<'static, (usize, Notification<DynamicObject>)>>,
    latest: watch::Sender<Arc<str>>,
    started: Instant,
}

/// Sends samples to the pages.
#[derive(Clone)]
pub(super) struct SampleFeed {
    catalog: Arc<Catalog>,
    recent: Arc<Recent>,
    latest: watch::Receiver<Arc<str>>,
    stop: CancellationToken,
}

impl Sampler {
    pub(super) fn new(catalog: Arc<Catalog>, stop: CancellationToken) -> CliResult<(Sampler, SampleFeed)> {
        let mut all = SelectAll::new();
        for (at, entry) in catalog.entries.iter().enumerate() {
            let notifications = entry.informer.notifications_with(Handler::new().named("dashboard"))?;
            all.push(notifications.map(move |event| (at, event)).boxed());
        }
        let recent = Arc::new(Recent::default());
        let (latest, seen) = watch::channel(Arc::from("{}"));
        let feed = SampleFeed { catalog: catalog.clone(), recent: recent.clone(), latest: seen, stop };
        Ok((Sampler { catalog, recent, notifications: all, latest, started: Instant::now() }, feed))
    }

    pub(super) fn recent(&self) -> Arc<Recent> {
        Arc::clone(&self.recent)
    }

    /// Samples until it is dropped.
    pub(super) async fn run(mut self) {
        let mut ticks = tokio::time::interval(SAMPLE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                _ = ticks.tick() => self.sample(),
                Some((at, event)) = self.notifications.next() => self.recent.record(&self.catalog.entries[at].resource, &event),
            }
        }
    }

    fn sample(&self) {
        let fresh = self.recent.take_notifications();
        let sample = json!({
            "seconds": self.started.elapsed().as_secs_f64(),
            "diagnostics": self.catalog.local.diagnostics(),
            "notifications": fresh.notifications,
            "omitted": fresh.omitted,
        });
        let sample: Arc<str> = sample.to_string().into();
        self.recent.keep_sample(Arc::clone(&sample));
        self.latest.send_replace(sample);
    }
}

impl SampleFeed {
    pub(super) fn router(self) -> Router {
        Router::new().route("/events", get(events)).route("/api/state", get(state)).with_state(self)
    }
}

async fn events(State(feed): State<SampleFeed>) -> Sse<impl Stream<Item = Result<sse::Event, Infallible>>> {
    let SampleFeed { mut latest, stop, .. } = feed;
    // The page has already received the current sample with `/api/state`.
    latest.mark_unchanged();
    let samples = stream::unfold(latest, |mut latest| async {
        latest.changed().await.ok()?;
        let sample = Arc::clone(&latest.borrow_and_update());
        Some((Ok(sse::Event::default().data(&*sample)), latest))
    });
    Sse::new(samples.take_until(stop.cancelled_owned())).keep_alive(KeepAlive::default())
}

/// The catalog and the samples of the last minutes. Samples are already JSON.
async fn state(State(feed): State<SampleFeed>) -> impl IntoResponse {
    let samples = feed.recent.samples().join(",");
    let body = format!("{{\"contents\":{},\"samples\":[{samples}]}}", feed.catalog.contents());
    ([(header::CONTENT_TYPE, "application/json")], body)
}
