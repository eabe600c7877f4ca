//! The state machine of a reflector: [`Phase`] × [`OperationOutcome`] → next [`Phase`] and [`PhaseEffect`].
//!
//! It is a pure function, and one table test covers every combination. It never reads a clock, a version or the text of
//! an error: the caller turns these into an [`OperationOutcome`] first. Invariant: every sequence of failures without
//! progress reaches [`PhaseEffect::BackOff`] after finitely many steps.
//!
//! Example: a watch whose version has expired, on a server that has also forgotten the last version.
//!
//! ```text
//! Watch, streak none                      410 Expired    relist at once, at the last version, streak expired
//! StreamList(LastSeen), streak expired    410 Expired    the same at once, at the most recent state
//! StreamList(MostRecent), streak expired  listed         watch; the streak stays "expired"
//! Watch, streak expired                   410 Expired    relist, this time after a backoff delay
//! ```

use tidings_source::ErrorClass;

/// The next operation, and the failures since the stream last made progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phase {
    pub(super) operation: Operation,
    pub(super) streak: FailureStreak,
}

/// What the reflector does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// A streaming list, whose stream continues as the watch.
    StreamList(ListVersion),
    /// A list, page by page.
    List(ListVersion),
    /// A watch from the last version.
    Watch,
    /// A request for the server's current version.
    Probe,
}

/// The version that a list requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListVersion {
    /// Not older than the last version, so that the cache never goes back in time. Any version before the first list.
    LastSeen,
    /// The server's most recent state, because it no longer has the last version, or does not have it yet.
    MostRecent,
}

/// The failures since the stream last made progress. The same failure again is handled differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureStreak {
    None,
    /// The server no longer had the last version. A list in between does not count as progress.
    Expired,
    /// The watch was malformed after the last version.
    Malformed,
    /// A watch was open for a while and received nothing.
    Quiet,
    /// This many operations in a row failed.
    Failures(u8),
}

/// The result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OperationOutcome {
    pub(super) end: OperationEnd,
    /// Whether a watch has changed the last version.
    pub(super) has_progressed: bool,
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperationEnd {
    /// The list was committed.
    Listed,
    /// The stream was closed, or the connection broke, after more than a second or after an event.
    Closed,
    /// The stream was closed within a second and without an event.
    ClosedEarly,
    /// The stream was silent for too long.
    Silent,
    /// The server does not support streaming lists.
    StreamingRefused,
    /// An internal error inside the window in which these are tolerated.
    Tolerated,
    /// Probe: the server has the last version, or a newer one.
    UpToDate,
    /// Probe: the server has not reached the last version, so it was restored from a backup.
    WentBack,
    Failed(FailureStage, ErrorClass),
}

/// When an operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureStage {
    /// Before the server answered with a stream.
    Opening,
    /// While the stream was open.
    Streaming,
}

/// What to do before the next operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhaseEffect {
    /// Nothing: it starts at once.
    AtOnce,
    /// Wait for the next backoff delay, or for the server's Retry-After.
    BackOff,
    /// Remember that the server refuses streaming lists; the operation starts at once.
    RememberRefusal,
}

/// After this many failures in a row the reflector tries another operation.
const FAILURES_MAX: u8 = 3;

impl Phase {
    /// The first phase of every reflector.
    pub(super) const START: Phase =
        Phase::new(Operation::StreamList(ListVersion::LastSeen), FailureStreak::None);

    const fn new(operation: Operation, streak: FailureStreak) -> Phase {
        Phase { operation, streak }
    }

    /// The next phase after [`operation`](Self::operation) ended with this outcome, and what to do before.
    pub(super) fn after(self, outcome: OperationOutcome) -> (Phase, PhaseEffect) {
        let streak = if outcome.has_progressed { FailureStreak::None } else { self.streak };
        match (self.operation, outcome.end) {
            (Operation::StreamList(_) | Operation::List(_), OperationEnd::Listed) => {
                (listed(streak), PhaseEffect::AtOnce)
            }
            (Operation::StreamList(at), end) => after_stream_list(at, streak, end),
            (Operation::List(at), end) => after_list(at, streak, end),
            // A watch that receives nothing may start at a version that the server has not reached.
            (Operation::Watch, OperationEnd::Closed | OperationEnd::Silent) if !outcome.has_progressed => {
                let next = if streak == FailureStreak::Quiet { Operation::Probe } else { Operation::Watch };
                (Phase::new(next, FailureStreak::Quiet), PhaseEffect::AtOnce)
            }
            (Operation::Watch, end) => after_watch(streak, end),
            (Operation::Probe, OperationEnd::WentBack) => (
                Phase::new(Operation::StreamList(ListVersion::MostRecent), FailureStreak::None),
                PhaseEffect::AtOnce,
            ),
            // A failed probe gives no information; the watch shows whether the server works.
            (Operation::Probe, _) => (Phase::new(Operation::Watch, streak), PhaseEffect::AtOnce),
        }
    }
}

/// The phase after a list. It keeps the streak [`FailureStreak::Expired`]: a server whose lists work and whose watches
/// expire at once must not be listed in a tight loop.
fn listed(streak: FailureStreak) -> Phase {
    let streak = if streak == FailureStreak::Expired { FailureStreak::Expired } else { FailureStreak::None };
    Phase::new(Operation::Watch, streak)
}

fn after_stream_list(at: ListVersion, streak: FailureStreak, end: OperationEnd) -> (Phase, PhaseEffect) {
    use ErrorClass::{ConnectionRefused, Expired, TooManyRequests, VersionTooLarge};
    let streamed = |at, streak, effect| (Phase::new(Operation::StreamList(at), streak), effect);
    let paged = |at, streak, effect| (Phase::new(Operation::List(at), streak), effect);
    match (end, at) {
        // An early close is not a refusal. But if the server closes every streaming list early, list page by page.
        (OperationEnd::Closed, _) => match streak {
            FailureStreak::None => streamed(at, FailureStreak::Failures(1), PhaseEffect::AtOnce),
            FailureStreak::Failures(n) if n + 1 < FAILURES_MAX => {
                streamed(at, FailureStreak::Failures(n + 1), PhaseEffect::BackOff)
            }
            _ => paged(at, streak, PhaseEffect::BackOff),
        },
        (OperationEnd::Silent | OperationEnd::StreamingRefused, _) => {
            paged(at, streak, PhaseEffect::RememberRefusal)
        }
        (OperationEnd::Failed(_, TooManyRequests | ConnectionRefused), _) => {
            streamed(at, streak, PhaseEffect::BackOff)
        }
        (OperationEnd::Failed(_, Expired | VersionTooLarge), ListVersion::LastSeen) => {
            streamed(ListVersion::MostRecent, streak, PhaseEffect::AtOnce)
        }
        (OperationEnd::Failed(_, Expired | VersionTooLarge), ListVersion::MostRecent) => {
            paged(at, streak, PhaseEffect::BackOff)
        }
        _ => paged(at, streak, PhaseEffect::AtOnce),
    }
}

fn after_list(at: ListVersion, streak: FailureStreak, end: OperationEnd) -> (Phase, PhaseEffect) {
    match (end, at) {
        (
            OperationEnd::Failed(_, ErrorClass::Expired | ErrorClass::VersionTooLarge),
            ListVersion::LastSeen,
        ) => (Phase::new(Operation::List(ListVersion::MostRecent), streak), PhaseEffect::AtOnce),
        _ => (Phase::new(Operation::StreamList(at), streak), PhaseEffect::BackOff),
    }
}

fn after_watch(streak: FailureStreak, end: OperationEnd) -> (Phase, PhaseEffect) {
    use ErrorClass::{ConnectionRefused, Expired, Malformed, Network, TooManyRequests};
    let watch = |streak, effect| (Phase::new(Operation::Watch, streak), effect);
    let relist = |streak, effect| (Phase::new(Operation::StreamList(ListVersion::LastSeen), streak), effect);
    match end {
        OperationEnd::Closed | OperationEnd::Tolerated => watch(FailureStreak::None, PhaseEffect::AtOnce),
        OperationEnd::Silent => watch(streak, PhaseEffect::AtOnce),
        OperationEnd::Failed(_, Expired) if streak == FailureStreak::Expired => {
            relist(streak, PhaseEffect::BackOff)
        }
        OperationEnd::Failed(_, Expired) => relist(FailureStreak::Expired, PhaseEffect::AtOnce),
        OperationEnd::Failed(_, TooManyRequests | ConnectionRefused) => watch(streak, PhaseEffect::BackOff),
        OperationEnd::Failed(_, Malformed) if streak == FailureStreak::Malformed => {
            relist(FailureStreak::None, PhaseEffect::BackOff)
        }
        OperationEnd::Failed(_, Malformed) => watch(FailureStreak::Malformed, PhaseEffect::BackOff),
        OperationEnd::Failed(FailureStage::Opening, _)
        | OperationEnd::Failed(FailureStage::Streaming, Network) => match next_failure_count(streak) {
            n if n < FAILURES_MAX => watch(FailureStreak::Failures(n), PhaseEffect::BackOff),
            _ => relist(FailureStreak::None, PhaseEffect::BackOff),
        },
        OperationEnd::Listed
        | OperationEnd::ClosedEarly
        | OperationEnd::StreamingRefused
        | OperationEnd::UpToDate
        | OperationEnd::WentBack
        | OperationEnd::Failed(FailureStage::Streaming, _) => {
            relist(FailureStreak::None, PhaseEffect::BackOff)
        }
    }
}

fn next_failure_count(streak: FailureStreak) -> u8 {
    match streak {
        FailureStreak::Failures(before) => before + 1,
        FailureStreak::None | FailureStreak::Expired | FailureStreak::Malformed | FailureStreak::Quiet => 1,
    }
}

#[cfg(test)]
mod tests;
