//! Telling people what happened, as events of the cluster (`events.k8s.io/v1`).
//!
//! A [`Recorder`] never blocks and never fails: what it is told goes into a bounded correlator, and its task writes that
//! to the server. The same event again is counted in the one that is there; an object about which too much is told
//! loses the rest. What was dropped is counted, traced, and never an error to the one who reconciles.

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

pub use event::{EventType, NewEvent};
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
/// // A manager runs the task of its controllers; here it ends once everything is written.
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
/// Its role needs `create` and `patch` of `events` in the group `events.k8s.io`.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<SharedRecorder>,
    reporter: Arc<Reporter>,
    /// The last handle that goes tells the task that nothing more will come.
    _alive: Arc<DropGuard>,
}

/// How a recorder is set up; made by [`Recorder::builder`].
#[must_use]
pub struct RecorderBuilder {
    client: Client,
    reporter: Reporter,
    limits: Limits,
    seed: u64,
}

/// What was recorded, and what was dropped for which reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecorderStats {
    /// Events that became an object of their own.
    pub recorded: u64,
    /// Events that were counted in one that was there.
    pub repeated: u64,
    /// Writes that the server took.
    pub written: u64,
    /// Dropped because too many waited to be written.
    pub dropped_full: u64,
    /// Dropped because too much was told about one object.
    pub dropped_spam: u64,
    /// Dropped because the server refused them: no permission, a namespace that ends, something invalid.
    pub dropped_refused: u64,
    /// Dropped because the server could not be reached, however often it was tried.
    pub dropped_unreachable: u64,
    /// Dropped because they came after the end, or could not be written before it.
    pub dropped_stopped: u64,
    /// Waiting to be written.
    pub waiting_events: usize,
}

/// What bounds a recorder.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// New events that wait to be written at the most.
    waiting_events_max: usize,
    /// The same event within this time is a repetition.
    window: Duration,
    /// Events about one object at once.
    burst_events: u32,
    /// After these, one more each time this has passed.
    refill_interval: Duration,
    /// How often one write is tried.
    attempts_max: u32,
}

/// What the handles and the task share.
struct SharedRecorder {
    correlator: Mutex<EventCorrelator>,
    /// There is something to be written.
    wake: Notify,
}

impl Recorder {
    /// New events that wait to be written at the most, unless told otherwise.
    pub const WAITING_EVENTS_MAX: usize = 1000;
    /// How long the same event is a repetition, unless told otherwise.
    pub const WINDOW: Duration = Duration::from_secs(6 * 60);
    /// Events about one object at once, unless told otherwise.
    pub const BURST_EVENTS: u32 = 25;
    /// How long it takes until one more may be told about an object, unless told otherwise.
    pub const REFILL_INTERVAL: Duration = Duration::from_secs(5 * 60);
    /// How often one write is tried, unless told otherwise.
    pub const ATTEMPTS_MAX: u32 = 12;

    /// A recorder that reports as `controller`, such as `example.com/foo-controller`, and the task that writes.
    pub fn new(client: Client, controller: impl Into<String>) -> (Recorder, RecorderTask) {
        Self::builder(client, controller).build()
    }

    /// A recorder to be set up.
    pub fn builder(client: Client, controller: impl Into<String>) -> RecorderBuilder {
        let limits = Limits {
            waiting_events_max: Self::WAITING_EVENTS_MAX,
            window: Self::WINDOW,
            burst_events: Self::BURST_EVENTS,
            refill_interval: Self::REFILL_INTERVAL,
            attempts_max: Self::ATTEMPTS_MAX,
        };
        RecorderBuilder { client, reporter: Reporter::of(controller.into()), limits, seed: 0 }
    }

    /// The same recorder, for a controller of another name.
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

    /// As [`event`](Self::event), about an object whose kind is known at run time only:
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
            Correlation::Dropped(why) => tracing::debug!(%reason, object = %about, %why, "event dropped"),
        }
    }

    /// What was recorded, and what was dropped.
    pub fn stats(&self) -> RecorderStats {
        self.shared.correlator.lock().stats()
    }
}

impl RecorderBuilder {
    /// Which replica reports. By default the pod's name, from the environment (`POD_NAME`, or `HOSTNAME`).
    pub fn instance(mut self, instance: impl Into<String>) -> Self {
        self.reporter.instance = instance.into();
        self
    }

    /// How many new events may wait to be written. More are dropped.
    pub fn waiting_events_max(mut self, events: usize) -> Self {
        self.limits.waiting_events_max = events;
        self
    }

    /// How long the same event is a repetition of the last.
    pub fn window(mut self, window: Duration) -> Self {
        self.limits.window = window;
        self
    }

    /// How many new events are recorded about one object at once; then one more in each `refill_interval`.
    pub fn spam_limit(mut self, burst_events: u32, refill_interval: Duration) -> Self {
        self.limits.burst_events = burst_events;
        self.limits.refill_interval = refill_interval;
        self
    }

    /// How often one write is tried while the server can't be reached.
    pub fn attempts_max(mut self, attempts: u32) -> Self {
        self.limits.attempts_max = attempts.max(1);
        self
    }

    /// Where the jitter between attempts comes from.
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
