//! The event correlator, as in client-go (`EventCorrelator`): it combines repeated and similar events and decides which
//! writes are due. Pure: nothing here waits, and the time is passed in.
//!
//! An equal event within the window is a repetition. Its count is written at growing intervals, so that a thousand
//! repetitions cost only a few writes. Events that differ only in their note are separate up to a limit; the rest is
//! combined into one event. Each new event takes a token of its object (see `spam`). Example with the default limits:
//!
//! ```text
//! 0 s    "Failed: disk full"  -> create event e
//! 0.1 s  the same             -> count 2, due at 1 s
//! 0.2 s  the same             -> count 3
//! 1 s    write e with count 3 -> the next count is written 2 s after this, then 4 s, ... up to 5 minutes
//! ```

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

/// How many series are kept.
const SERIES_MAX: usize = 4096;
/// How many events may differ only in their note. Further ones are combined into one event.
const DISTINCT_NOTES_MAX: u32 = 10;
/// The time from the creation of an event to the first write of its count. It doubles with each write, up to the
/// maximum.
const SERIES_WRITE_INTERVAL_MIN: Duration = Duration::from_secs(1);
const SERIES_WRITE_INTERVAL_MAX: Duration = Duration::from_secs(5 * 60);

pub(super) struct EventCorrelator {
    limits: Limits,
    series: HashMap<u64, Series>,
    /// The series by the key of its event. It has the same series as `series`.
    by_key: HashMap<String, u64>,
    /// The series with a due write, in the order of time. It agrees with `Series::due`.
    due: BTreeSet<(Instant, u64)>,
    /// The number of different notes, by similarity key.
    notes: LruMap<String, u32>,
    spam: SpamFilter,
    /// The number of series that are not created on the server.
    uncreated: usize,
    last_number: u64,
    swept_at: Option<Instant>,
    is_closed: bool,
    stats: RecorderStats,
}

/// An event with its repetitions.
struct Series {
    key: String,
    event: Event,
    count: i32,
    last_recorded: Instant,
    last_recorded_at: Timestamp,
    /// The count on the server; 0 if the event is not created.
    written: i32,
    /// The count in the pending write.
    sending: Option<i32>,
    due: Option<Instant>,
    written_at: Instant,
    write_interval: Duration,
    attempts: u32,
}

pub(super) enum Correlation {
    New,
    Repeated,
    Dropped(DropReason),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DropReason {
    Full,
    Spam,
    Refused,
    Unreachable,
    Stopped,
}

/// A due write: the event as it must be on the server.
pub(super) struct DueWrite {
    pub(super) id: u64,
    pub(super) event: Event,
    /// How many attempts have failed.
    pub(super) attempts: u32,
}

pub(super) enum SeriesWriteResult {
    Done,
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

    /// Adds an event.
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
        let similarity = event.similarity_key(reporter, &regarding);
        let key = format!("{similarity}\0{}", event.note);
        if self.repeat(&key, now, at) {
            return Correlation::Repeated;
        }
        let is_combined = *self.notes.get_or_insert(similarity.clone(), now, || 0) >= DISTINCT_NOTES_MAX;
        if is_combined && self.repeat(&similarity, now, at) {
            return Correlation::Repeated;
        }
        if self.uncreated >= self.limits.waiting_events_max || !self.make_room() {
            return self.drop_for(DropReason::Full);
        }
        if !self.spam.allows(identity(&regarding), now) {
            return self.drop_for(DropReason::Spam);
        }
        *self.notes.get_or_insert(similarity.clone(), now, || 0) += 1;
        let (key, event) = if is_combined { (similarity, event.combined()) } else { (key, event) };
        self.begin(key, reporter, regarding, event, now, at);
        Correlation::New
    }

    /// Counts a repetition. False if there is no such series, or its window has passed.
    fn repeat(&mut self, key: &str, now: Instant, at: Timestamp) -> bool {
        let Some(&id) = self.by_key.get(key) else { return false };
        let window = self.limits.window;
        if self.series(id).has_ended(now, window) {
            self.remove_series(id);
            return false;
        }
        let series = self.series(id);
        series.count = series.count.saturating_add(1);
        series.last_recorded = now;
        series.last_recorded_at = at;
        self.stats.repeated += 1;
        self.schedule(id, now);
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
        // The number is unique and is used in the name. As in client-go, it is the time in nanoseconds.
        let nanoseconds = u64::try_from(at.as_nanosecond()).unwrap_or_default();
        self.last_number = nanoseconds.max(self.last_number + 1);
        let id = self.last_number;
        let series = Series {
            key: key.clone(),
            event: event.into_event(reporter, regarding, at, id),
            count: 1,
            last_recorded: now,
            last_recorded_at: at,
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
        self.schedule(id, now);
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

    /// Handles the result of a write. Returns the reason if the event was dropped.
    pub(super) fn on_result(
        &mut self,
        id: u64,
        written: SeriesWriteResult,
        now: Instant,
    ) -> Option<DropReason> {
        let (attempts_max, is_closed) = (self.limits.attempts_max, self.is_closed);
        let series = self.series(id);
        let sent = series.sending.take().expect("a write has a result only after it was taken");
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
                self.schedule(id, now);
                return None;
            }
            SeriesWriteResult::RetryAfter(after) if series.attempts + 1 < attempts_max => {
                series.attempts += 1;
                self.schedule_at(id, clock::after(now, after));
                return None;
            }
            SeriesWriteResult::RetryAfter(_) if is_closed => DropReason::Stopped,
            SeriesWriteResult::RetryAfter(_) => DropReason::Unreachable,
            SeriesWriteResult::Refused => DropReason::Refused,
        };
        self.remove_series(id);
        self.drop_for(why);
        Some(why)
    }

    /// Refuses new events, and makes all writes due now.
    pub(super) fn close(&mut self, now: Instant) {
        self.is_closed = true;
        let waiting: Vec<u64> = self.due.iter().map(|(_, id)| *id).collect();
        for id in waiting {
            self.unschedule(id);
            self.schedule_at(id, now);
        }
    }

    /// Drops all events that are not written.
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

    /// Schedules a write if the server does not have the current count and no write is scheduled or pending.
    fn schedule(&mut self, id: u64, now: Instant) {
        let is_closed = self.is_closed;
        let series = self.series(id);
        if series.due.is_some() || series.sending.is_some() || series.count == series.written {
            return;
        }
        let is_at_once = series.written == 0 || is_closed;
        let at = if is_at_once { now } else { now.max(series.written_at + series.write_interval) };
        self.schedule_at(id, at);
    }

    fn schedule_at(&mut self, id: u64, at: Instant) {
        self.series(id).due = Some(at);
        self.due.insert((at, id));
    }

    fn unschedule(&mut self, id: u64) {
        if let Some(at) = self.series(id).due.take() {
            self.due.remove(&(at, id));
        }
    }

    fn remove_series(&mut self, id: u64) {
        self.unschedule(id);
        let series = self.series.remove(&id).expect("only existing series are removed");
        self.by_key.remove(&series.key);
        self.uncreated -= usize::from(series.written == 0);
    }

    /// Whether there is room for one more series. If not, evicts the older half of the written series first.
    fn make_room(&mut self) -> bool {
        if self.series.len() < SERIES_MAX {
            return true;
        }
        let is_known = |series: &Series| series.written > 0 && series.sending.is_none();
        let known = self.series.iter().filter(|(_, series)| is_known(series));
        let mut known: Vec<(Instant, u64)> = known.map(|(id, series)| (series.last_recorded, *id)).collect();
        known.sort_unstable();
        for (_, id) in known.iter().take(known.len().div_ceil(2)) {
            self.remove_series(*id);
        }
        self.series.len() < SERIES_MAX
    }

    /// Removes series that have ended, once in each window.
    fn sweep(&mut self, now: Instant) {
        let window = self.limits.window;
        if self.swept_at.is_some_and(|at| now.duration_since(at) < window) {
            return;
        }
        self.swept_at = Some(now);
        let ended = self.series.iter().filter(|(_, series)| series.has_ended(now, window));
        let ended: Vec<u64> = ended.map(|(id, _)| *id).collect();
        for id in ended {
            self.remove_series(id);
        }
        self.notes.retain(|used, _| now.duration_since(used) <= window);
        self.spam.sweep(now);
    }

    fn series(&mut self, id: u64) -> &mut Series {
        self.series.get_mut(&id).expect("a series exists until its write has a result")
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
    /// Whether the window has passed and no write is scheduled or pending.
    fn has_ended(&self, now: Instant, window: Duration) -> bool {
        let is_idle = self.due.is_none() && self.sending.is_none();
        is_idle && now.duration_since(self.last_recorded) > window
    }

    fn as_written(&self) -> Event {
        let last_observed_time = MicroTime(self.last_recorded_at);
        let series = (self.count > 1).then_some(EventSeries { count: self.count, last_observed_time });
        Event { series, ..self.event.clone() }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DropReason::Full => "too many events wait to be written",
            DropReason::Spam => "there are too many events about this object",
            DropReason::Refused => "the server refused it",
            DropReason::Unreachable => "the server could not be reached",
            DropReason::Stopped => "the recorder has stopped",
        })
    }
}
