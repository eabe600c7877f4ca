//! What was told and what of it the server knows. Deciding only: nothing here waits, and the time is passed in.
//!
//! The same event again within the window is a repetition: it is counted, and the count is written at growing
//! intervals, so that an event that comes a thousand times costs a handful of writes. Notes that differ are events
//! of their own up to a number; then one event stands for the rest. A new event takes from the object's share.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use foldhash::{HashMap, HashMapExt};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use tidings_util::clock;
use tokio::time::Instant;

use super::event::{NewEvent, Reporter, identity};
use super::lru::LruMap;
use super::spam::SpamFilter;
use super::{Limits, RecorderStats};

/// Series that are remembered at the most.
const SERIES_MAX: usize = 4096;
/// So many notes for otherwise equal events; more share one event.
const DISTINCT_NOTES_MAX: u32 = 10;
/// The first repetition is written this long after the event, the next after twice as long, up to the last.
const SERIES_WRITE_INTERVAL_MIN: Duration = Duration::from_secs(1);
const SERIES_WRITE_INTERVAL_MAX: Duration = Duration::from_secs(5 * 60);

/// The events of one recorder.
pub(super) struct EventCorrelator {
    limits: Limits,
    series: HashMap<u64, Series>,
    /// The series of each event that may be repeated. A series is here iff it is in `series`.
    by_key: HashMap<String, u64>,
    /// Which series is to be written when. A series is here iff its `due` says so.
    due: BTreeSet<(Instant, u64)>,
    /// Distinct notes of otherwise equal events.
    notes: LruMap<String, u32>,
    spam: SpamFilter,
    /// Series that the server does not know yet.
    uncreated: usize,
    last_number: u64,
    swept_at: Option<Instant>,
    is_closed: bool,
    stats: RecorderStats,
}

/// One event with its repetitions.
struct Series {
    key: String,
    event: Event,
    count: i32,
    last_heard: Instant,
    last_heard_at: Timestamp,
    /// The count that the server knows; none before the event is there.
    written: i32,
    /// The count that is on its way.
    sending: Option<i32>,
    due: Option<Instant>,
    written_at: Instant,
    write_interval: Duration,
    attempts: u32,
}

/// What became of an event that was told.
pub(super) enum Correlation {
    New,
    Repeated,
    Dropped(DropReason),
}

/// Why an event was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DropReason {
    Full,
    Spam,
    Refused,
    Unreachable,
    Stopped,
}

/// A write that is due: the event as it shall be.
pub(super) struct DueWrite {
    pub(super) id: u64,
    pub(super) event: Event,
    /// How often it was tried.
    pub(super) attempts: u32,
}

/// What became of a write.
pub(super) enum SeriesWriteResult {
    Done,
    /// To be tried again after this.
    RetryAfter(Duration),
    Refused,
}

impl EventCorrelator {
    pub(super) fn new(limits: Limits) -> Self {
        EventCorrelator {
            series: HashMap::new(),
            by_key: HashMap::new(),
            due: BTreeSet::new(),
            notes: LruMap::new(SERIES_MAX),
            spam: SpamFilter::new(limits.burst_events, limits.refill_interval),
            uncreated: 0,
            last_number: 0,
            swept_at: None,
            is_closed: false,
            stats: RecorderStats::default(),
            limits,
        }
    }

    /// Takes an event in.
    pub(super) fn correlate(
        &mut self,
        reporter: &Reporter,
        regarding: ObjectReference,
        event: NewEvent,
        now: Instant,
        at: Timestamp,
    ) -> Correlation {
        if self.is_closed {
            return self.drop_for(DropReason::Stopped);
        }
        self.sweep(now);
        let similarity = event.similarity(reporter, &regarding);
        let key = format!("{similarity}\0{}", event.note);
        if self.repeat(&key, now, at) {
            return Correlation::Repeated;
        }
        let is_combined = *self.notes.used(similarity.clone(), now, || 0) >= DISTINCT_NOTES_MAX;
        if is_combined && self.repeat(&similarity, now, at) {
            return Correlation::Repeated;
        }
        if self.uncreated >= self.limits.waiting_events_max || !self.has_room() {
            return self.drop_for(DropReason::Full);
        }
        if !self.spam.allows(identity(&regarding), now) {
            return self.drop_for(DropReason::Spam);
        }
        *self.notes.used(similarity.clone(), now, || 0) += 1;
        let (key, event) = if is_combined { (similarity, event.combined()) } else { (key, event) };
        self.begin(key, reporter, regarding, event, now, at);
        Correlation::New
    }

    /// Counts a repetition. False if there is no such series, or its time has passed.
    fn repeat(&mut self, key: &str, now: Instant, at: Timestamp) -> bool {
        let Some(&id) = self.by_key.get(key) else { return false };
        let window = self.limits.window;
        if self.series(id).has_ended(now, window) {
            self.forget(id);
            return false;
        }
        let series = self.series(id);
        series.count = series.count.saturating_add(1);
        series.last_heard = now;
        series.last_heard_at = at;
        self.stats.repeated += 1;
        self.plan(id, now);
        true
    }

    fn begin(
        &mut self,
        key: String,
        reporter: &Reporter,
        regarding: ObjectReference,
        event: NewEvent,
        now: Instant,
        at: Timestamp,
    ) {
        // Named after the time, as others do, and never twice the same.
        let nanoseconds = u64::try_from(at.as_nanosecond()).unwrap_or_default();
        self.last_number = nanoseconds.max(self.last_number + 1);
        let id = self.last_number;
        let series = Series {
            key: key.clone(),
            event: event.into_event(reporter, regarding, at, id),
            count: 1,
            last_heard: now,
            last_heard_at: at,
            written: 0,
            sending: None,
            due: None,
            written_at: now,
            write_interval: SERIES_WRITE_INTERVAL_MIN,
            attempts: 0,
        };
        self.series.insert(id, series);
        self.by_key.insert(key, id);
        self.uncreated += 1;
        self.stats.recorded += 1;
        self.plan(id, now);
    }

    /// The next write, if one is due.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<DueWrite> {
        let &(at, id) = self.due.first()?;
        if at > now {
            return None;
        }
        self.due.remove(&(at, id));
        let series = self.series(id);
        series.due = None;
        series.sending = Some(series.count);
        Some(DueWrite { id, event: series.as_written(), attempts: series.attempts })
    }

    /// When the next write is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Hears what became of a write. The reason is given if the event was dropped.
    pub(super) fn settle(&mut self, id: u64, written: SeriesWriteResult, now: Instant) -> Option<DropReason> {
        let (attempts_max, is_closed) = (self.limits.attempts_max, self.is_closed);
        let series = self.series(id);
        let sent = series.sending.take().expect("a write that ends was taken");
        let was_created = series.written > 0;
        let why = match written {
            SeriesWriteResult::Done => {
                series.written = sent;
                series.written_at = now;
                series.attempts = 0;
                if was_created {
                    series.write_interval = (series.write_interval * 2).min(SERIES_WRITE_INTERVAL_MAX);
                }
                self.uncreated -= usize::from(!was_created);
                self.stats.written += 1;
                self.plan(id, now);
                return None;
            }
            SeriesWriteResult::RetryAfter(after) if series.attempts + 1 < attempts_max => {
                series.attempts += 1;
                self.plan_at(id, clock::after(now, after));
                return None;
            }
            SeriesWriteResult::RetryAfter(_) if is_closed => DropReason::Stopped,
            SeriesWriteResult::RetryAfter(_) => DropReason::Unreachable,
            SeriesWriteResult::Refused => DropReason::Refused,
        };
        self.forget(id);
        self.drop_for(why);
        Some(why)
    }

    /// Takes nothing more in, and wants everything written now.
    pub(super) fn close(&mut self, now: Instant) {
        self.is_closed = true;
        let waiting: Vec<u64> = self.due.iter().map(|(_, id)| *id).collect();
        for id in waiting {
            self.unplan(id);
            self.plan_at(id, now);
        }
    }

    /// Drops what is still to be written.
    pub(super) fn abandon(&mut self) {
        let is_unwritten = |series: &&Series| series.due.is_some() || series.sending.is_some();
        self.stats.dropped_stopped += self.series.values().filter(is_unwritten).count() as u64;
        self.due.clear();
        self.series.clear();
        self.by_key.clear();
        self.uncreated = 0;
    }

    pub(super) fn stats(&self) -> RecorderStats {
        RecorderStats { waiting_events: self.uncreated, ..self.stats }
    }

    /// Plans the write of a series whose count the server does not know, unless it is planned or under way.
    fn plan(&mut self, id: u64, now: Instant) {
        let is_closed = self.is_closed;
        let series = self.series(id);
        if series.due.is_some() || series.sending.is_some() || series.count == series.written {
            return;
        }
        let is_at_once = series.written == 0 || is_closed;
        let at = if is_at_once { now } else { now.max(series.written_at + series.write_interval) };
        self.plan_at(id, at);
    }

    fn plan_at(&mut self, id: u64, at: Instant) {
        self.series(id).due = Some(at);
        self.due.insert((at, id));
    }

    fn unplan(&mut self, id: u64) {
        if let Some(at) = self.series(id).due.take() {
            self.due.remove(&(at, id));
        }
    }

    fn forget(&mut self, id: u64) {
        self.unplan(id);
        let series = self.series.remove(&id).expect("only a series that is there is forgotten");
        self.by_key.remove(&series.key);
        self.uncreated -= usize::from(series.written == 0);
    }

    /// Whether one more series fits, after the older half of those that the server knows has gone if needed.
    fn has_room(&mut self) -> bool {
        if self.series.len() < SERIES_MAX {
            return true;
        }
        let is_known = |series: &Series| series.written > 0 && series.sending.is_none();
        let known = self.series.iter().filter(|(_, series)| is_known(series));
        let mut known: Vec<(Instant, u64)> = known.map(|(id, series)| (series.last_heard, *id)).collect();
        known.sort_unstable();
        for (_, id) in known.iter().take(known.len().div_ceil(2)) {
            self.forget(*id);
        }
        self.series.len() < SERIES_MAX
    }

    /// Forgets what has ended, once in each window.
    fn sweep(&mut self, now: Instant) {
        let window = self.limits.window;
        if self.swept_at.is_some_and(|at| now.duration_since(at) < window) {
            return;
        }
        self.swept_at = Some(now);
        let ended = self.series.iter().filter(|(_, series)| series.has_ended(now, window));
        let ended: Vec<u64> = ended.map(|(id, _)| *id).collect();
        for id in ended {
            self.forget(id);
        }
        self.notes.retain(|used, _| now.duration_since(used) <= window);
        self.spam.sweep(now);
    }

    fn series(&mut self, id: u64) -> &mut Series {
        self.series.get_mut(&id).expect("a series stays until its write has ended")
    }

    fn drop_for(&mut self, why: DropReason) -> Correlation {
        let counter = match why {
            DropReason::Full => &mut self.stats.dropped_full,
            DropReason::Spam => &mut self.stats.dropped_spam,
            DropReason::Refused => &mut self.stats.dropped_refused,
            DropReason::Unreachable => &mut self.stats.dropped_unreachable,
            DropReason::Stopped => &mut self.stats.dropped_stopped,
        };
        *counter += 1;
        Correlation::Dropped(why)
    }
}

impl Series {
    /// Whether the window has passed and nothing is left to be written.
    fn has_ended(&self, now: Instant, window: Duration) -> bool {
        let is_idle = self.due.is_none() && self.sending.is_none();
        is_idle && now.duration_since(self.last_heard) > window
    }

    fn as_written(&self) -> Event {
        let last_observed_time = MicroTime(self.last_heard_at);
        let series = (self.count > 1).then_some(EventSeries { count: self.count, last_observed_time });
        Event { series, ..self.event.clone() }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DropReason::Full => "too many wait to be written",
            DropReason::Spam => "too much was told about this object",
            DropReason::Refused => "the server refused it",
            DropReason::Unreachable => "the server could not be reached",
            DropReason::Stopped => "the recorder has stopped",
        })
    }
}
