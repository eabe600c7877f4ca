//! The interceptor in a watch: cuts the stream into events, records each, and holds them back while the watch is frozen.
//!
//! Events keep their order and none is lost, as on a slow connection. To skip events, the interceptor holds them and then ends the
//! watch with 410 (the version is too old), after which an informer must list.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};
use http_body::Frame;
use http_body_util::{BodyDataStream, BodyExt as _, StreamBody};
use serde_json::{Value, json};
use tidings_apiserver::ResponseBody;

use crate::cluster::Cluster;
use crate::link::LinkBody;
use crate::plan::{EventAt, Fault};
use crate::process::Process;

/// How long events are held back before they are skipped.
const SKIP_SECONDS: u32 = 20;

struct WatchInterceptor {
    cluster: Arc<Cluster>,
    process: Arc<Process>,
    resource: String,
    chunks: BodyDataStream<ResponseBody>,
    partial: BytesMut,
    lines: VecDeque<Bytes>,
    /// Events of a streaming list are not numbered: they are one read.
    is_initial: bool,
    initial_events: usize,
    has_ended: bool,
}

/// What happens to an event.
enum Passage {
    Event,
    /// The watch ends with 410 instead.
    Expired,
}

pub(crate) fn intercepted(
    cluster: Arc<Cluster>,
    process: Arc<Process>,
    resource: String,
    is_streaming_list: bool,
    body: ResponseBody,
) -> LinkBody {
    let interceptor = WatchInterceptor {
        cluster,
        process,
        resource,
        chunks: body.into_data_stream(),
        partial: BytesMut::new(),
        lines: VecDeque::new(),
        is_initial: is_streaming_list,
        initial_events: 0,
        has_ended: false,
    };
    let events = stream::unfold(interceptor, |mut interceptor| async move {
        let event = interceptor.next().await?;
        Some((event.map(Frame::data), interceptor))
    });
    StreamBody::new(events).boxed_unsync()
}

impl WatchInterceptor {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.has_ended {
            return None;
        }
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(Ok(match self.pass(&line).await {
                    Passage::Event => line,
                    Passage::Expired => {
                        self.has_ended = true;
                        expired()
                    }
                }));
            }
            match self.chunks.next().await? {
                Ok(chunk) => self.split(&chunk),
                Err(lost) => return Some(Err(io::Error::other(lost))),
            }
        }
    }

    /// Splits a chunk into lines. The API server ends each event with a newline.
    fn split(&mut self, chunk: &[u8]) {
        self.partial.extend_from_slice(chunk);
        while let Some(end) = self.partial.iter().position(|&byte| byte == b'\n') {
            self.lines.push_back(self.partial.split_to(end + 1).freeze());
        }
    }

    /// Waits until the event may pass, and records it.
    async fn pass(&mut self, line: &[u8]) -> Passage {
        let event: Value = serde_json::from_slice(line).unwrap_or_default();
        let kind = event["type"].as_str().unwrap_or_default();
        let metadata = &event["object"]["metadata"];
        if kind == "BOOKMARK" {
            let annotations = &metadata["annotations"];
            if self.is_initial && annotations["k8s.io/initial-events-end"] == "true" {
                self.is_initial = false;
                let version = metadata["resourceVersion"].as_str().unwrap_or("-");
                let what = format!(
                    "reads: list {} -> {} objects at version {version}",
                    self.resource, self.initial_events
                );
                self.cluster.line(&self.process.name(), what);
            }
            self.wait().await;
            return Passage::Event;
        }
        if self.is_initial {
            self.initial_events += 1;
            return Passage::Event;
        }
        let name = self.process.name();
        let is_skipped = self.inject(&name);
        self.cluster.jitter().await;
        self.wait().await;
        if is_skipped {
            self.cluster.line(&name, format!("✗ missed events of {}, and lists again", self.resource));
            return Passage::Expired;
        }
        let text = |field: &str| metadata[field].as_str().unwrap_or_default();
        let place = match text("namespace") {
            "" => text("name").to_owned(),
            namespace => format!("{namespace}/{}", text("name")),
        };
        let what = kind.to_lowercase();
        self.cluster.line(
            &name,
            format!("sees: {} {place} {what}, version {}", self.resource, text("resourceVersion")),
        );
        Passage::Event
    }

    /// Starts the faults of this event. Returns whether it is skipped.
    fn inject(&self, name: &str) -> bool {
        let number = self.cluster.log.lock().next_event(name, &self.resource);
        let is_here = |at: &EventAt| at.process == name && at.resource == self.resource && at.event == number;
        let faults = self.cluster.take_faults(|fault| match fault {
            Fault::Stale(at, seconds) if is_here(at) => Some((*seconds, false)),
            Fault::Skip(at) if is_here(at) => Some((SKIP_SECONDS, true)),
            _ => None,
        });
        for (seconds, _) in &faults {
            self.cluster.line(name, format!("✗ sees no event of {} for {seconds} s from now", self.resource));
            let time = Duration::from_secs((*seconds).into());
            self.cluster.busy_for(time);
            self.process.freeze(Some(&self.resource), time);
        }
        faults.iter().any(|(_, is_skipped)| *is_skipped)
    }

    /// Waits while the watch is frozen. Never returns if the process is dead.
    async fn wait(&mut self) {
        while let Some(until) = self.process.frozen_until(&self.resource) {
            tokio::time::sleep_until(until).await;
        }
        if self.process.is_dead() {
            std::future::pending().await
        }
    }
}

/// The event with which the API server ends a watch whose version is too old.
fn expired() -> Bytes {
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "too old resource version", "reason": "Expired", "code": 410,
    });
    Bytes::from(format!("{}\n", json!({ "type": "ERROR", "object": status })))
}
