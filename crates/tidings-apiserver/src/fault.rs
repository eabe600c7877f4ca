//! Fault injection: which fault happens, to which requests, how often. Each occurrence is counted.
//!
//! A test injects a fault for some requests and some number of times, or a seeded plan draws faults at random. Faults
//! change only responses and never the stored objects. (`expire_history` and `restore` of the server change the store;
//! they are no faults in this sense, but are counted here too.)

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::resource::Verb;
use crate::sync::Mutex;
use tidings_util::watch::{Receiver, Sender};

mod cut_body;
mod replace_bytes;
mod stream_faults;

pub(crate) use cut_body::cut_body;
pub(crate) use replace_bytes::replace_bytes;
pub(crate) use stream_faults::{FrameOutcome, StreamFaults};

/// A fault that the server injects.
///
/// ```
/// use tidings_apiserver::{ApiServer, Ending, Fault};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let server = ApiServer::start().await;
/// server.faults().inject(Fault::Status { code: 503, retry_after_seconds: Some(1) }.times(2).of("pods"));
/// server.faults().cut_watches(Ending::Broken);
/// assert!(server.client().list_core_api_resources("v1").await.is_ok(), "only pods are out of order");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// An error response: a `Status` with this code.
    Status {
        /// HTTP status code, such as 429, 500, 502, 503 or 504.
        code: u16,
        /// The `Retry-After` header, and `retryAfterSeconds` of the status details.
        retry_after_seconds: Option<u32>,
    },
    /// An error page in HTML, as proxies send.
    HtmlPage {
        /// HTTP status code.
        code: u16,
    },
    /// Code 200 with a body that is not JSON.
    GarbageBody,
    /// Code 200 with this JSON as the body.
    JsonBody(&'static str),
    /// A refused connection. The in-process service returns an error; a socket is closed without a response.
    Refused,
    /// The response is delayed.
    Delay(Duration),
    /// No response until the server closes.
    Hang,
    /// A 422 for watches with `sendInitialEvents`, as servers without streaming lists answer.
    RefuseStreamingList,
    /// Code 200 for watches with `sendInitialEvents`, then an ERROR event with code 500.
    FailStreamingList,
    /// The bookmark that marks the end of the initial events is left out.
    HideMarker,
    /// Bookmarks are left out, although the client allows them. The bookmark that marks the end of the initial events
    /// is still sent.
    HideBookmarks,
    /// A 410 as the response to a watch, not as an event.
    ExpireOnOpen,
    /// The body ends after some bytes.
    CutBody {
        /// How many bytes are sent.
        after_bytes: usize,
        /// How it ends.
        ending: Ending,
    },
    /// A watch ends after some events.
    CutStream {
        /// How many events are sent.
        after_events: usize,
        /// How it ends.
        ending: Ending,
    },
    /// A watch ends in the middle of an event.
    CutMidFrame {
        /// How many complete events are sent before.
        after_events: usize,
    },
    /// A watch stays open without further events.
    StallStream {
        /// How many events are sent before.
        after_events: usize,
    },
    /// Each event is delayed.
    SlowStream(Duration),
    /// One event of a watch is faulty.
    Event {
        /// How many events are sent before it.
        after_events: usize,
        /// What is wrong with it.
        fault: EventFault,
    },
    /// Objects and lists have another kind.
    WrongKind,
    /// Bytes of the body are replaced wherever they occur within one chunk. With this a test can send an object that no
    /// client could write as JSON, such as one with text that is not UTF-8.
    ReplacedBytes {
        /// The bytes to replace.
        from: Vec<u8>,
        /// The replacement. It must have the same length, so that all lengths in the body stay valid.
        to: Vec<u8>,
    },
}

/// What is wrong with one event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventFault {
    /// The event is sent twice.
    Duplicate,
    /// The first event of the stream is sent again after this one.
    Stale,
    /// An event of an unknown type follows.
    UnknownType,
    /// The object has no metadata.
    WithoutMetadata,
    /// The object has no resourceVersion.
    WithoutVersion,
    /// The object has another kind.
    WrongKind,
    /// Malformed bytes are sent instead.
    Garbage,
    /// An ERROR event with this code is sent instead, and the stream ends.
    Error {
        /// The code of the `Status`.
        code: u16,
    },
}

impl EventFault {
    /// The name under which it is counted.
    fn name(&self) -> &'static str {
        match self {
            Self::Duplicate => "event-duplicate",
            Self::Stale => "event-stale",
            Self::UnknownType => "event-unknown-type",
            Self::WithoutMetadata => "event-without-metadata",
            Self::WithoutVersion => "event-without-version",
            Self::WrongKind => "event-wrong-kind",
            Self::Garbage => "event-garbage",
            Self::Error { .. } => "event-error",
        }
    }
}

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// In the regular way, as after a timeout.
    Clean,
    /// With an error, as if the connection was lost.
    Broken,
    /// It does not end: it stays open without data until it is cut again.
    Stalled,
}

/// A fault, the requests that it applies to, and how often it happens.
#[derive(Clone, Debug)]
pub struct Injection {
    fault: Fault,
    verb: Option<Verb>,
    plural: Option<String>,
    times_left: Option<u64>,
    skip: u64,
}

/// The injected faults of one server.
#[derive(Debug)]
pub struct Faults {
    state: Mutex<FaultState>,
    cuts: Sender<()>,
}

#[derive(Debug, Default)]
struct FaultState {
    injections: Vec<Injection>,
    plans: Vec<RandomPlan>,
    counts: BTreeMap<&'static str, u64>,
    cut_ending: Option<Ending>,
}

#[derive(Debug)]
struct RandomPlan {
    rng: SmallRng,
    per_mille: u32,
    faults: Vec<Injection>,
}

impl Fault {
    /// This fault once, for the next request of any kind.
    pub fn once(self) -> Injection {
        Injection { fault: self, verb: None, plural: None, times_left: Some(1), skip: 0 }
    }

    /// This fault for every request of any kind.
    pub fn always(self) -> Injection {
        Injection { times_left: None, ..self.once() }
    }

    /// This fault for the next `times` requests of any kind.
    pub fn times(self, times: u64) -> Injection {
        Injection { times_left: Some(times), ..self.once() }
    }

    /// The name under which it is counted.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Status { .. } => "status",
            Self::HtmlPage { .. } => "html-page",
            Self::GarbageBody => "garbage-body",
            Self::JsonBody(_) => "json-body",
            Self::Refused => "refused",
            Self::Delay(_) => "delay",
            Self::Hang => "hang",
            Self::RefuseStreamingList => "refuse-streaming-list",
            Self::FailStreamingList => "fail-streaming-list",
            Self::HideMarker => "hide-marker",
            Self::HideBookmarks => "hide-bookmarks",
            Self::ExpireOnOpen => "expire-on-open",
            Self::CutBody { .. } => "cut-body",
            Self::CutStream { .. } => "cut-stream",
            Self::CutMidFrame { .. } => "cut-mid-frame",
            Self::StallStream { .. } => "stall-stream",
            Self::SlowStream(_) => "slow-stream",
            Self::Event { fault, .. } => fault.name(),
            Self::WrongKind => "wrong-kind",
            Self::ReplacedBytes { .. } => "replaced-bytes",
        }
    }

    /// Whether the fault can happen to a request: some faults concern only watches, some only watches with
    /// `sendInitialEvents`.
    fn applies_to(&self, request: &FaultTarget<'_>) -> bool {
        let is_watch = request.verb == Some(Verb::Watch);
        match self {
            Self::RefuseStreamingList | Self::FailStreamingList | Self::HideMarker => {
                request.is_streaming_list
            }
            Self::CutStream { .. }
            | Self::CutMidFrame { .. }
            | Self::StallStream { .. }
            | Self::SlowStream(_)
            | Self::Event { .. }
            | Self::HideBookmarks
            | Self::ExpireOnOpen => is_watch,
            _ => true,
        }
    }
}

impl Injection {
    /// The fault.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// Limits the fault to requests with this verb.
    pub fn on(mut self, verb: Verb) -> Self {
        self.verb = Some(verb);
        self
    }

    /// Limits the fault to requests for this resource, given by its plural.
    pub fn of(mut self, plural: impl Into<String>) -> Self {
        self.plural = Some(plural.into());
        self
    }

    /// Skips the first `requests` requests that the fault would apply to.
    pub fn after(mut self, requests: u64) -> Self {
        self.skip = requests;
        self
    }

    fn matches(&self, request: &FaultTarget<'_>) -> bool {
        self.verb.is_none_or(|verb| Some(verb) == request.verb)
            && self.plural.as_deref().is_none_or(|plural| Some(plural) == request.plural)
            && self.fault.applies_to(request)
    }

    /// Whether the fault happens to this request. Counts the request.
    fn triggers(&mut self, request: &FaultTarget<'_>) -> bool {
        if !self.matches(request) || self.times_left == Some(0) {
            return false;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.times_left = self.times_left.map(|times| times - 1);
        true
    }
}

/// The properties of a request that select faults.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultTarget<'a> {
    pub(crate) verb: Option<Verb>,
    pub(crate) plural: Option<&'a str>,
    pub(crate) is_streaming_list: bool,
}

impl Faults {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), cuts: Sender::new(()) }
    }

    /// Adds a fault.
    pub fn inject(&self, injection: Injection) {
        self.state.lock().injections.push(injection);
    }

    /// Adds random faults: each request gets one of `faults` with a probability of `per_mille` in a thousand.
    pub fn plan(&self, seed: u64, per_mille: u32, faults: Vec<Injection>) {
        let plan = RandomPlan { rng: SmallRng::seed_from_u64(seed), per_mille, faults };
        self.state.lock().plans.push(plan);
    }

    /// Removes all faults. The counts stay.
    pub fn clear(&self) {
        let mut state = self.state.lock();
        state.injections.clear();
        state.plans.clear();
    }

    /// How often each fault happened, by name.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.state.lock().counts.clone()
    }

    /// How often the faults of this name happened.
    pub fn count(&self, name: &str) -> u64 {
        self.state.lock().counts.get(name).copied().unwrap_or(0)
    }

    /// Ends all running watches, or stalls them until they are cut again.
    pub fn cut_watches(&self, ending: Ending) {
        self.increment("cut-watches");
        self.end_watches(ending);
    }

    pub(crate) fn end_watches(&self, ending: Ending) {
        self.state.lock().cut_ending = Some(ending);
        self.cuts.send_modify(|()| ());
    }

    pub(crate) fn increment(&self, name: &'static str) {
        *self.state.lock().counts.entry(name).or_insert(0) += 1;
    }

    pub(crate) fn cuts(&self) -> Receiver<()> {
        self.cuts.subscribe()
    }

    pub(crate) fn cut_ending(&self) -> Ending {
        self.state.lock().cut_ending.unwrap_or(Ending::Broken)
    }

    /// The faults that happen to this request. Counts them.
    pub(crate) fn for_request(&self, request: &FaultTarget<'_>) -> Vec<Fault> {
        let mut state = self.state.lock();
        let FaultState { injections, plans, counts, .. } = &mut *state;
        let mut faults: Vec<_> =
            injections.iter_mut().filter_map(|i| i.triggers(request).then(|| i.fault.clone())).collect();
        injections.retain(|injection| injection.times_left != Some(0));
        for plan in plans {
            let is_hit = plan.rng.random_range(0..1000) < plan.per_mille && !plan.faults.is_empty();
            if is_hit {
                let drawn = plan.rng.random_range(0..plan.faults.len());
                let injection = &mut plan.faults[drawn];
                faults.extend(injection.triggers(request).then(|| injection.fault.clone()));
            }
        }
        for fault in &faults {
            *counts.entry(fault.name()).or_insert(0) += 1;
        }
        faults
    }
}
