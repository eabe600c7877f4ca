//! Loops: a controller that wakes itself again and again for one request.
//!
//! ```text
//! reconcile of R -> its write -> the change of its write -> reconcile of R -> ...
//! ```
//!
//! A wake counts if this controller made all changes that caused it. Above a limit within a minute, while the
//! generation of the object of the request stays the same, the loop is reported once.
//!
//! The counts are in a table of constant size (Misra and Gries' algorithm with one candidate for each place): a request
//! that finds another one in its place lowers that one's count, and takes the place at zero. A request that loops is
//! counted faster than others can lower it.

use std::fmt;
use std::time::Duration;

use tidings_object::{Key, Version};
use tokio::time::Instant;

use super::{Cause, Causes};
use crate::request::Request;

/// The time in which wakes are counted.
const WINDOW: Duration = Duration::from_secs(60);

const SLOTS: usize = 256;

/// A controller wakes itself for one request, without end. See
/// [`on_loop`](crate::ControllerBuilder::on_loop).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoopReport {
    /// The controller.
    pub controller: String,
    /// The request.
    pub request: Request,
    /// How many reconciles in a row were requested by the controller's own writes alone.
    pub wakes: u32,
    /// In which time.
    pub within: Duration,
    /// The objects that the controller keeps changing.
    pub objects: Vec<LoopObject>,
}

/// An object that a controller keeps changing.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoopObject {
    /// Its resource.
    pub resource: String,
    /// Its key.
    pub key: Key,
    /// Its last version.
    pub version: Version,
    /// The paths that changed in the last two wakes. If no path changed in both, those of the last one.
    pub fields: Vec<String>,
}

type OnLoop = Box<dyn Fn(&LoopReport) + Send + Sync>;

/// The options of a controller.
pub(crate) struct LoopDetection {
    /// Wakes in a minute above which a loop is reported. `None`: never.
    pub(crate) limit: Option<u32>,
    pub(crate) hook: Option<OnLoop>,
}

/// The wakes of the requests that wake themselves most.
#[derive(Default)]
pub(super) struct LoopTable {
    /// Empty before the first wake.
    slots: Vec<LoopSlot>,
}

#[derive(Clone)]
struct LoopSlot {
    /// The hash of the request.
    request: u64,
    since: Instant,
    wakes: u32,
    generation: Option<i64>,
    is_reported: bool,
    /// What changed at the wake before the one that is reported.
    objects: Vec<LoopObject>,
}

/// What a wake means.
#[derive(Debug)]
pub(super) enum Wake {
    Counted,
    /// The next wake is reported, and needs what changed at this one.
    LastBeforeReport,
    Loop {
        wakes: u32,
        within: Duration,
        objects_before: Vec<LoopObject>,
    },
}

impl Default for LoopDetection {
    fn default() -> Self {
        LoopDetection { limit: Some(LoopDetection::DEFAULT_LIMIT), hook: None }
    }
}

impl LoopDetection {
    /// One wake in each second of a minute.
    pub(crate) const DEFAULT_LIMIT: u32 = 60;
}

impl LoopTable {
    /// Counts a wake of a request by its own writes.
    pub(super) fn wake(&mut self, request: u64, generation: Option<i64>, limit: u32) -> Wake {
        let since = Instant::now();
        let fresh =
            LoopSlot { request, since, wakes: 0, generation, is_reported: false, objects: Vec::new() };
        if self.slots.is_empty() {
            self.slots = vec![fresh.clone(); SLOTS];
        }
        let slot = &mut self.slots[(request % SLOTS as u64) as usize];
        let is_over = slot.since.elapsed() >= WINDOW;
        if slot.request != request {
            slot.wakes = slot.wakes.saturating_sub(1);
            if slot.wakes > 0 && !is_over {
                return Wake::Counted;
            }
            *slot = fresh;
        } else if is_over || slot.generation != generation {
            *slot = fresh;
        }
        slot.wakes = slot.wakes.saturating_add(1);
        if slot.is_reported || slot.wakes < limit {
            return Wake::Counted;
        }
        if slot.wakes == limit {
            return Wake::LastBeforeReport;
        }
        slot.is_reported = true;
        let objects_before = std::mem::take(&mut slot.objects);
        Wake::Loop { wakes: slot.wakes, within: slot.since.elapsed(), objects_before }
    }

    /// Keeps what changed at [`Wake::LastBeforeReport`].
    pub(super) fn keep(&mut self, request: u64, objects: Vec<LoopObject>) {
        if let Some(slot) = self.slots.get_mut((request % SLOTS as u64) as usize)
            && slot.request == request
        {
            slot.objects = objects;
        }
    }
}

impl LoopObject {
    /// The objects that the causes changed.
    pub(super) fn of(causes: &Causes) -> Vec<LoopObject> {
        let object = |cause: &Cause| {
            let (resource, key) = (cause.resource()?.to_string(), cause.key()?.to_key());
            let (version, fields) = (cause.version()?.clone(), cause.fields().unwrap_or_default());
            Some(LoopObject { resource, key, version, fields })
        };
        causes.iter().filter_map(object).collect()
    }

    /// Keeps the fields that changed in the wake before, too.
    pub(super) fn keep_repeated(&mut self, before: &[LoopObject]) {
        let is_same = |other: &&LoopObject| other.key == self.key && other.resource == self.resource;
        if let Some(before) = before.iter().find(is_same)
            && self.fields.iter().any(|field| before.fields.contains(field))
        {
            self.fields.retain(|field| before.fields.contains(field));
        }
    }
}

impl fmt::Display for LoopReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoopReport { controller, request, wakes, within, objects } = self;
        write!(
            f,
            "controller {controller:?} wakes itself for {request}: its own writes alone requested {wakes} reconciles \
             within {within:?}, by changing "
        )?;
        for (at, object) in objects.iter().enumerate() {
            write!(f, "{}{object}", if at == 0 { "" } else { ", " })?;
        }
        f.write_str("; compare with the cache before each write, or use `apply_all` and `status`, which do")
    }
}

impl fmt::Display for LoopObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.resource, self.key)?;
        if !self.fields.is_empty() {
            write!(f, " at {}", self.fields.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_loop(wake: &Wake) -> bool {
        matches!(wake, Wake::Loop { .. })
    }

    #[tokio::test(start_paused = true)]
    async fn a_loop_is_reported_once_in_a_window_and_again_in_the_next() {
        let mut table = LoopTable::default();
        for window in 0..3 {
            let reported: Vec<_> = (0..30).filter(|_| is_loop(&table.wake(7, Some(1), 10))).collect();
            assert_eq!(reported, [10], "window {window}");
            tokio::time::advance(WINDOW).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn wakes_over_a_longer_time_or_with_new_generations_are_no_loop() {
        let mut table = LoopTable::default();
        for _ in 0..100 {
            assert!(!is_loop(&table.wake(7, Some(1), 10)));
            tokio::time::advance(WINDOW / 10).await;
        }
        for generation in 0..100 {
            assert!(!is_loop(&table.wake(7, Some(generation / 10), 10)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_loop_is_found_among_other_requests_in_the_same_place() {
        let mut table = LoopTable::default();
        let mut reports = 0;
        for other in 0..100_u64 {
            table.wake(7 + (other + 1) * SLOTS as u64, None, 10);
            for _ in 0..2 {
                reports += usize::from(is_loop(&table.wake(7, None, 10)));
            }
        }
        assert_eq!(reports, 1);
    }
}
