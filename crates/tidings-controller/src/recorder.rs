//! Records events (`events.k8s.io/v1`) for the people who operate a cluster.
//!
//! A [`Recorder`] never blocks and never fails: it adds events to a bounded correlator, and its task writes them to the
//! server. A repeated event increases the count of the existing one, and too many events about one object are dropped.
//! Dropped events are counted and traced; they are never an error of the reconcile.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use kube_client::Client;
use kube_core::Resource;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

mod correlator;
mod event;
mod lru;
mod spam;
mod task;
mod write;

pub use event::NewEvent;
pub use task::RecorderTask;

use self::correlator::{Correlation, EventCorrelator};
use self::event::Reporter;
use crate::sync::Mutex;

/// Records events about objects. Clones write through the same task.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use k8s_openapi::api::events::v1::Event;
/// use kube_client::Api;
/// use kube_client::api::{ListParams, PostParams};
/// use tidings_apiserver::ApiServer;
/// use tidings_controller::{NewEvent, Recorder};
/// use tokio_util::sync::CancellationToken;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::start().await;
/// let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
/// let map = serde_json::from_value(serde_json::json!({ "metadata": { "name": "settings" } }))?;
/// let map = maps.create(&PostParams::default(), &map).await?;
///
/// let (recorder, task) = Recorder::new(server.client(), "example.com/settings-controller");
/// recorder.event(&map, NewEvent::normal("Applied", "applied 3 settings"));
///
/// // A manager runs the recorder tasks of its controllers. This one ends when all events are written.
/// let stop = CancellationToken::new();
/// stop.cancel();
/// task.run(stop).await;
///
/// let events: Api<Event> = Api::default_namespaced(server.client());
/// let written = events.list(&ListParams::default()).await?.items;
/// assert_eq!(written[0].note.as_deref(), Some("applied 3 settings"));
/// # Ok(())
/// # }
/// ```
///
/// The role of the program needs the verbs `create` and `patch` on `events` in the group `events.k8s.io`.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<SharedRecorder>,
    reporter: Arc<Reporter>,
    /// The task ends when the last handle is dropped.
    _alive: Arc<DropGuard>,
}

/// The options of a recorder; made by [`Recorder::builder`].
#[must_use]
pub struct RecorderBuilder {
    client: Client,
    reporter: Reporter,
    limits: Limits,
    seed: u64,
}

/// How many events were recorded, and how many were dropped for which reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecorderStats {
    /// Events that became a new object.
    pub recorded: u64,
    /// Events that increased the count of an existing one.
    pub repeated: u64,
    /// Writes that the server accepted.
    pub written: u64,
    /// Dropped because too many events waited to be written.
    pub dropped_full: u64,
    /// Dropped because there were too many events about one object.
    pub dropped_spam: u64,
    /// Dropped because the server refused them: no permission, a terminating namespace, an invalid field.
    pub dropped_refused: u64,
    /// Dropped because the server could not be reached in any attempt.
    pub dropped_unreachable: u64,
    /// Dropped because they were recorded after the stop, or could not be written before it.
    pub dropped_stopped: u64,
    /// Events that wait to be written.
    pub waiting_events: usize,
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    waiting_events_max: usize,
    /// An equal event within this time is a repetition.
    window: Duration,
    /// How many new events about one object may follow each other without a pause.
    burst_events: u32,
    /// One more event about the object is allowed after each such interval.
    refill_interval: Duration,
    attempts_max: u32,
}

/// Shared by the handles and the task.
struct SharedRecorder {
    correlator: Mutex<EventCorrelator>,
    /// Wakes the task.
    wake: Notify,
}

impl Recorder {
    /// A recorder for the controller with this name, such as `example.com/foo-controller`, and the task that writes.
    pub fn new(client: Client, controller: impl Into<String>) -> (Recorder, RecorderTask) {
        Self::builder(client, controller).build()
    }

    /// The options of a recorder.
    pub fn builder(client: Client, controller: impl Into<String>) -> RecorderBuilder {
        let limits = Limits {
            waiting_events_max: 1000,
            window: Duration::from_secs(6 * 60),
            burst_events: 25,
            refill_interval: Duration::from_secs(5 * 60),
            attempts_max: 12,
        };
        RecorderBuilder { client, reporter: Reporter::of(controller.into()), limits, seed: 0 }
    }

    /// The same recorder, for a controller with another name.
    #[must_use]
    pub fn reporting_as(&self, controller: impl Into<String>) -> Recorder {
        let reporter = Reporter { controller: controller.into(), instance: self.reporter.instance.clone() };
        Recorder { reporter: Arc::new(reporter), ..self.clone() }
    }

    /// Records an event about an object. Returns at once.
    pub fn event<K>(&self, regarding: &K, event: NewEvent)
    where
        K: Resource,
        K::DynamicType: Default,
    {
        self.event_about(regarding.object_ref(&K::DynamicType::default()), event);
    }

    /// Records an event about an object whose kind is only known at run time. The reference is
    /// `object.object_ref(&resource)`.
    pub fn event_about(&self, regarding: ObjectReference, event: NewEvent) {
        let (reason, about) = (event.reason.clone(), regarding.name.clone().unwrap_or_default());
        let correlation = self.shared.correlator.lock().correlate(
            &self.reporter,
            regarding,
            event,
            Instant::now(),
            Timestamp::now(),
        );
        match correlation {
            Correlation::New | Correlation::Repeated => self.shared.wake.notify_one(),
            Correlation::Dropped(why) => tracing::debug!(%reason, object = %about, %why, "dropped an event"),
        }
    }

    /// How many events were recorded and dropped.
    pub fn stats(&self) -> RecorderStats {
        self.shared.correlator.lock().stats()
    }
}

impl RecorderBuilder {
    /// The replica that reports. By default the name of the pod, from the environment (`POD_NAME`, or `HOSTNAME`).
    pub fn instance(mut self, instance: impl Into<String>) -> Self {
        self.reporter.instance = instance.into();
        self
    }

    /// How many new events may wait to be written; 1000 by default. More are dropped.
    pub fn waiting_events_max(mut self, events: usize) -> Self {
        self.limits.waiting_events_max = events;
        self
    }

    /// For how long an equal event is a repetition; six minutes by default.
    pub fn window(mut self, window: Duration) -> Self {
        self.limits.window = window;
        self
    }

    /// How many new events about one object are recorded without a pause (25 by default), and after which interval one
    /// more is allowed (five minutes by default).
    pub fn spam_limit(mut self, burst_events: u32, refill_interval: Duration) -> Self {
        self.limits.burst_events = burst_events;
        self.limits.refill_interval = refill_interval;
        self
    }

    /// How many times one write is attempted while the server can't be reached; 12 by default.
    pub fn attempts_max(mut self, attempts: u32) -> Self {
        self.limits.attempts_max = attempts.max(1);
        self
    }

    /// The seed of the jitter between attempts.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The handle, and the task that writes.
    pub fn build(self) -> (Recorder, RecorderTask) {
        let shared = Arc::new(SharedRecorder {
            correlator: Mutex::new(EventCorrelator::new(self.limits)),
            wake: Notify::new(),
        });
        let abandoned = CancellationToken::new();
        let task = RecorderTask::new(self.client, Arc::clone(&shared), abandoned.clone(), self.seed);
        let alive = Arc::new(abandoned.drop_guard());
        (Recorder { shared, reporter: Arc::new(self.reporter), _alive: alive }, task)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("controller", &self.reporter.controller)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
