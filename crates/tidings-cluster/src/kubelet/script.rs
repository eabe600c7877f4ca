//! What happens to the containers of a pod, and when. A script is a pure function of the time since a pod has a node.
//!
//! Never a clock or an object in here: the same script, restart policy, chance and time always give the same moment.

use std::str::FromStr;
use std::time::Duration;

/// The delays before the second, third, ... restart of a container; the last one repeats. The first restart has none.
const BACKOFF_FIRST: Duration = Duration::from_secs(10);
const BACKOFF_MAX: Duration = Duration::from_secs(300);

/// How long a container runs that fails by its failure rate but has no time at which it ends.
const FAILS_AFTER: Duration = Duration::from_secs(1);

/// How many restarts are followed. Further ones would take years.
const RUNS_MAX: u32 = 100_000;

/// What the kubelet imitates for a pod. All containers of a pod follow the same script.
///
/// ```
/// use std::time::Duration;
/// use tidings_cluster::Script;
///
/// let slow = Script::new().start_after(Duration::from_secs(5)).ready_after(Duration::from_secs(30));
/// assert_eq!(slow, "start-after=5s,ready-after=30s".parse()?);
///
/// let broken: Script = "exit-after=2s,exit-code=1".parse()?; // restarts, with growing delays
/// let flaky: Script = "fail-rate=0.2,exit-after=10s".parse()?; // one of five runs fails
/// let stuck: Script = "never-start".parse()?; // an image that can't be pulled
/// # Ok::<(), tidings_cluster::ScriptError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    start_after: Option<Duration>,
    ready_after: Option<Duration>,
    unready: Vec<(Duration, Duration)>,
    exit_after: Option<Duration>,
    exit_code: i32,
    fail_rate: f64,
    jitter: Duration,
    stop_after: Option<Duration>,
    /// Whether `exit_after` was set: otherwise the restart policy decides.
    is_exit_set: bool,
}

/// A script that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "reading the script {script:?}: {part:?} is not one of start-after=5s, ready-after=5s, unready=10s..20s, \
     exit-after=5s, exit-code=1, fail-rate=0.1, jitter=1s, stop-after=5s, never-start, never-ready, never-exit, \
     never-stop"
)]
#[non_exhaustive]
pub struct ScriptError {
    /// The script.
    pub script: String,
    /// The part of it that was not understood.
    pub part: String,
}

impl Script {
    /// Containers start and are ready at once. In a pod with the restart policy Always they run until it is deleted; in
    /// any other pod they succeed after one second.
    pub fn new() -> Self {
        Script {
            start_after: Some(Duration::ZERO),
            ready_after: Some(Duration::ZERO),
            unready: Vec::new(),
            exit_after: None,
            exit_code: 0,
            fail_rate: 0.0,
            jitter: Duration::ZERO,
            stop_after: Some(Duration::ZERO),
            is_exit_set: false,
        }
    }

    /// How long images are pulled and containers created.
    #[must_use]
    pub fn start_after(mut self, delay: Duration) -> Self {
        self.start_after = Some(delay);
        self
    }

    /// The containers never start, as if their image did not exist.
    #[must_use]
    pub fn never_start(mut self) -> Self {
        self.start_after = None;
        self
    }

    /// When the readiness probe succeeds, counted from the start of the containers.
    #[must_use]
    pub fn ready_after(mut self, delay: Duration) -> Self {
        self.ready_after = Some(delay);
        self
    }

    /// The readiness probe never succeeds.
    #[must_use]
    pub fn never_ready(mut self) -> Self {
        self.ready_after = None;
        self
    }

    /// The readiness probe fails between these times, counted from the start of the containers. May be called again.
    #[must_use]
    pub fn unready(mut self, from: Duration, until: Duration) -> Self {
        self.unready.push((from, until));
        self
    }

    /// The containers end with this exit code, this long after their start. The restart policy of the pod
    /// decides whether they restart. A failing liveness probe is the exit code 137.
    #[must_use]
    pub fn exit_after(mut self, delay: Duration, code: i32) -> Self {
        (self.exit_after, self.exit_code, self.is_exit_set) = (Some(delay), code, true);
        self
    }

    /// The containers run until the pod is deleted, whatever its restart policy.
    #[must_use]
    pub fn never_exit(mut self) -> Self {
        (self.exit_after, self.is_exit_set) = (None, true);
        self
    }

    /// The share of runs that end with exit code 1 instead, between 0 and 1. The seed of the cluster decides which.
    #[must_use]
    pub fn fail_rate(mut self, rate: f64) -> Self {
        self.fail_rate = rate.clamp(0.0, 1.0);
        self
    }

    /// Adds up to this much to the start of each pod. The seed of the cluster decides how much.
    #[must_use]
    pub fn jitter(mut self, max: Duration) -> Self {
        self.jitter = max;
        self
    }

    /// How long the containers take to stop after the deletion of the pod, at most the pod's grace period.
    #[must_use]
    pub fn stop_after(mut self, delay: Duration) -> Self {
        self.stop_after = Some(delay);
        self
    }

    /// The containers do not stop when they are asked to: they are killed at the end of the grace period.
    #[must_use]
    pub fn never_stop(mut self) -> Self {
        self.stop_after = None;
        self
    }

    /// How long the containers take to stop.
    pub(super) fn stop_within(&self, grace: Duration) -> Duration {
        self.stop_after.map_or(grace, |delay| delay.min(grace))
    }

    /// The state of the containers, `time` after the pod got its node.
    pub(super) fn at(&self, policy: RestartPolicy, chance: impl Fn(u32) -> f64, time: Duration) -> Moment {
        let Some(start) = self.start_after else {
            return Moment {
                state: State::Waiting { reason: "ContainerCreating" },
                last: None,
                restarts: 0,
                next: None,
            };
        };
        let mut start = start.saturating_add(self.jitter.mul_f64(chance(u32::MAX)));
        let mut last = None;
        for restarts in 0..RUNS_MAX {
            if time < start {
                let reason = if restarts == 0 { "ContainerCreating" } else { "CrashLoopBackOff" };
                return Moment { state: State::Waiting { reason }, last, restarts, next: Some(start) };
            }
            let end =
                self.end(policy, chance(restarts)).map(|(after, code)| (start.saturating_add(after), code));
            let Some((end, code)) = end.filter(|(end, _)| *end <= time) else {
                return self.running(start, time, end.map(|(end, _)| end), last, restarts);
            };
            let ended = Ended { started: start, finished: end, code };
            if !policy.restarts(code) {
                return Moment { state: State::Ended(ended), last: None, restarts, next: None };
            }
            last = Some(ended);
            start = end.saturating_add(backoff(restarts));
        }
        Moment { state: State::Waiting { reason: "CrashLoopBackOff" }, last, restarts: RUNS_MAX, next: None }
    }

    fn running(
        &self,
        start: Duration,
        time: Duration,
        end: Option<Duration>,
        last: Option<Ended>,
        restarts: u32,
    ) -> Moment {
        let is_past = |delay: Duration| start.saturating_add(delay) <= time;
        let is_ready = self.ready_after.is_some_and(is_past)
            && !self.unready.iter().any(|(from, until)| is_past(*from) && !is_past(*until));
        let edges = self.unready.iter().flat_map(|(from, until)| [*from, *until]).chain(self.ready_after);
        let edges = edges.map(|edge| start.saturating_add(edge)).chain(end);
        let next = edges.filter(|edge| *edge > time).min();
        Moment { state: State::Running { started: start, is_ready }, last, restarts, next }
    }

    /// When a run ends, counted from its start, and with which exit code.
    fn end(&self, policy: RestartPolicy, chance: f64) -> Option<(Duration, i32)> {
        let default = (policy != RestartPolicy::Always).then_some(FAILS_AFTER);
        let exit_after = if self.is_exit_set { self.exit_after } else { default };
        if chance < self.fail_rate {
            return Some((exit_after.unwrap_or(FAILS_AFTER), 1));
        }
        exit_after.map(|after| (after, self.exit_code))
    }
}

impl Default for Script {
    fn default() -> Self {
        Script::new()
    }
}

fn backoff(restarts: u32) -> Duration {
    match restarts.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => BACKOFF_FIRST.saturating_mul(1 << doublings.min(10)).min(BACKOFF_MAX),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RestartPolicy {
    Always,
    OnFailure,
    Never,
}

impl RestartPolicy {
    fn restarts(self, code: i32) -> bool {
        match self {
            RestartPolicy::Always => true,
            RestartPolicy::OnFailure => code != 0,
            RestartPolicy::Never => false,
        }
    }
}

/// The containers of a pod at one moment. All times are counted from the time when the pod got its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) state: State,
    /// The run before this one.
    pub(super) last: Option<Ended>,
    pub(super) restarts: u32,
    /// When something changes next.
    pub(super) next: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Waiting { reason: &'static str },
    Running { started: Duration, is_ready: bool },
    Ended(Ended),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) started: Duration,
    pub(super) finished: Duration,
    pub(super) code: i32,
}

/// Reads `start-after=5s,exit-code=1`: parts with commas between them, as [`ScriptError`] lists them.
impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Self, ScriptError> {
        let mut script = Script::new();
        let mut code = None;
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong = || ScriptError { script: text.to_owned(), part: part.to_owned() };
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let delay = || duration(value).ok_or_else(wrong);
            script = match name {
                "never-start" => script.never_start(),
                "never-ready" => script.never_ready(),
                "never-exit" => script.never_exit(),
                "never-stop" => script.never_stop(),
                "start-after" => script.start_after(delay()?),
                "ready-after" => script.ready_after(delay()?),
                "stop-after" => script.stop_after(delay()?),
                "jitter" => script.jitter(delay()?),
                "exit-after" => {
                    let code = script.exit_code;
                    script.exit_after(delay()?, code)
                }
                "exit-code" => {
                    code = Some(value.parse().map_err(|_| wrong())?);
                    script
                }
                "fail-rate" => match value.parse() {
                    Ok(rate) if (0.0..=1.0).contains(&rate) => script.fail_rate(rate),
                    _ => return Err(wrong()),
                },
                "unready" => {
                    let (from, until) = value.split_once("..").ok_or_else(wrong)?;
                    let (from, until) = (duration(from), duration(until));
                    script.unready(from.ok_or_else(wrong)?, until.ok_or_else(wrong)?)
                }
                _ => return Err(wrong()),
            };
        }
        if let Some(code) = code {
            script.exit_code = code;
        }
        Ok(script)
    }
}

/// `500ms`, `2s`, `1.5s`, `5m`, `1h`.
fn duration(text: &str) -> Option<Duration> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()
}

#[cfg(test)]
mod tests;
