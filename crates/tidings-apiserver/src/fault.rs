//! Hostility on demand: what goes wrong, where, and how often; each time is counted.
//!
//! A fault is injected by call, for some requests and some number of times, or drawn by a seeded plan. Faults change what a
//! client hears; what is stored they never change, apart from those that the server itself
//! offers: forgotten history and going back in time.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::fifo_watch::{Receiver, Sender};
use crate::resource::Verb;
use crate::sync::Mutex;

mod cut_body;
mod replace_bytes;
mod stream_faults;

pub(crate) use cut_body::cut_body;
pub(crate) use replace_bytes::replace_bytes;
pub(crate) use stream_faults::{FrameOutcome, StreamFaults};

/// What goes wrong.
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
pub enum Fault {
    /// An error answer, as a `Status` with this code.
    Status {
        /// HTTP status code, such as 429, 500, 502, 503 or 504.
        code: u16,
        /// The `Retry-After` header and detail.
        retry_after_seconds: Option<u32>,
    },
    /// An error page in HTML, as proxies make them.
    HtmlPage {
        /// HTTP status code.
        code: u16,
    },
    /// 200, and a body that is no JSON.
    GarbageBody,
    /// 200, and this JSON for a body, as a proxy may answer by itself.
    JsonBody(&'static str),
    /// No connection: in the process, the service fails; over a socket, the connection is closed without an answer.
    Refused,
    /// The answer waits.
    Delay(Duration),
    /// The answer never comes.
    Hang,
    /// 422 for watches that ask for initial events, as servers without streaming lists answer.
    RefuseStreamingList,
    /// 200 for watches that ask for initial events, then an ERROR event with code 500.
    FailStreamingList,
    /// The end of the initial events is not marked.
    HideMarker,
    /// No bookmarks come, though the client asked for them. The end of the initial events is marked all the same.
    HideBookmarks,
    /// 410 as the answer to a watch, not as an event.
    ExpireOnOpen,
    /// The body breaks off after so many bytes.
    CutBody {
        /// Bytes that are still sent.
        after_bytes: usize,
        /// How it ends.
        ending: Ending,
    },
    /// A watch ends after so many events.
    CutStream {
        /// Events that are still sent.
        after_events: usize,
        /// How it ends.
        ending: Ending,
    },
    /// A watch ends in the middle of an event.
    CutMidFrame {
        /// Whole events that are still sent.
        after_events: usize,
    },
    /// A watch says nothing more, and stays open.
    StallStream {
        /// Events that are still sent.
        after_events: usize,
    },
    /// Each event waits.
    SlowStream(Duration),
    /// One event of a watch goes wrong.
    Event {
        /// Events before it.
        after_events: usize,
        /// How.
        fault: EventFault,
    },
    /// Objects and lists say that they are of another kind.
    WrongKind,
    /// These bytes stand in the body in place of others, wherever those occur within one chunk: a way to send an
    /// object that no client could have written as JSON, such as one with a text that is not UTF-8.
    ReplacedBytes {
        /// The bytes to look for.
        from: Vec<u8>,
        /// The bytes that are sent instead: as many, so that every length on the way stays true.
        to: Vec<u8>,
    },
}

/// What goes wrong with one event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventFault {
    /// It is sent twice.
    Duplicate,
    /// The first event of the stream is sent again after it.
    Stale,
    /// It is followed by one whose type nobody knows.
    UnknownType,
    /// Its object has no metadata.
    WithoutMetadata,
    /// Its object has no resourceVersion.
    WithoutVersion,
    /// Its object is of another kind.
    WrongKind,
    /// Bytes that are no JSON come in its place.
    Garbage,
    /// An ERROR event with this code comes in its place, and the stream ends.
    Error {
        /// Code of the `Status`.
        code: u16,
    },
}

impl EventFault {
    /// How it is counted.
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
pub enum Ending {
    /// As if all was said.
    Clean,
    /// As if the connection was lost.
    Broken,
    /// Not at all: it says nothing more until it is cut.
    Stalled,
}

/// A fault, for which requests and how often.
#[derive(Clone, Debug)]
pub struct Injection {
    fault: Fault,
    verb: Option<Verb>,
    plural: Option<String>,
    times_left: Option<u64>,
    skip: u64,
}

/// The faults of one server.
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
    /// For requests of all kinds, once; narrow and widen it from here.
    pub fn once(self) -> Injection {
        Injection { fault: self, verb: None, plural: None, times_left: Some(1), skip: 0 }
    }

    /// For requests of all kinds, each time.
    pub fn always(self) -> Injection {
        Injection { times_left: None, ..self.once() }
    }

    /// For requests of all kinds, so many times.
    pub fn times(self, times: u64) -> Injection {
        Injection { times_left: Some(times), ..self.once() }
    }

    /// How it is counted.
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

    /// Whether it can happen to a request: some are of watches alone, some of those that ask for initial events.
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
    /// What goes wrong.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// Only for requests of this verb.
    pub fn on(mut self, verb: Verb) -> Self {
        self.verb = Some(verb);
        self
    }

    /// Only for requests of this resource, by its plural.
    pub fn of(mut self, plural: impl Into<String>) -> Self {
        self.plural = Some(plural.into());
        self
    }

    /// Not for the first so many requests that it would be for.
    pub fn after(mut self, requests: u64) -> Self {
        self.skip = requests;
        self
    }

    fn matches(&self, request: &FaultTarget<'_>) -> bool {
        self.verb.is_none_or(|verb| Some(verb) == request.verb)
            && self.plural.as_deref().is_none_or(|plural| Some(plural) == request.plural)
            && self.fault.applies_to(request)
    }

    /// Whether it happens to this request, which is counted.
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

/// What faults look at in a request.
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

    /// Lets something go wrong.
    pub fn inject(&self, injection: Injection) {
        self.state.lock().injections.push(injection);
    }

    /// Lets things go wrong by chance: each request meets one of `faults` with a probability of `per_mille`.
    pub fn plan(&self, seed: u64, per_mille: u32, faults: Vec<Injection>) {
        let plan = RandomPlan { rng: SmallRng::seed_from_u64(seed), per_mille, faults };
        self.state.lock().plans.push(plan);
    }

    /// Lets nothing more go wrong. Counts stay.
    pub fn clear(&self) {
        let mut state = self.state.lock();
        state.injections.clear();
        state.plans.clear();
    }

    /// How often each kind of fault happened, by its name.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.state.lock().counts.clone()
    }

    /// How often faults of this name happened.
    pub fn count(&self, name: &str) -> u64 {
        self.state.lock().counts.get(name).copied().unwrap_or(0)
    }

    /// Ends each new watch after so many events, as if the connection was lost.
    pub fn cut_watches_after(&self, after_events: usize) {
        self.inject(Fault::CutStream { after_events, ending: Ending::Broken }.always());
    }

    /// Ends all watches that run now, or lets them stall until they are cut again.
    pub fn cut_watches(&self, ending: Ending) {
        self.increment("cut-watches");
        self.end_watches(ending);
    }

    pub(crate) fn end_watches(&self, ending: Ending) {
        self.state.lock().cut_ending = Some(ending);
        self.cuts.send(());
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

    /// What goes wrong with this request.
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
