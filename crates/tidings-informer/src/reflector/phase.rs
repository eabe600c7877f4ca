//! What to ask next, given how the last request ended: `Phase` × `OperationOutcome` → `Phase` and `PhaseEffect`.
//!
//! Pure, so that every combination stands in one table test. It never looks at a clock, a version or an error's
//! text: whoever asks turns those into an [`OperationOutcome`] first. Every way to fail without getting on leads to a
//! [`PhaseEffect::BackOff`] after finitely many steps.

use tidings_source::ErrorClass;

/// What to ask next, and what has gone wrong since the stream last got on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phase {
    pub(super) operation: Operation,
    pub(super) streak: FailureStreak,
}

/// The next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// A streaming list, whose stream goes on as the watch.
    StreamList(ListVersion),
    /// A list, page by page.
    List(ListVersion),
    /// A watch from the last version.
    Watch,
    /// How far the server has come.
    Probe,
}

/// ListVersion which version a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListVersion {
    /// Not older than what we have seen: time never goes backwards. Anything will do if we have seen nothing.
    LastSeen,
    /// The server's most recent state, because it no longer has, or does not yet have, what we have seen.
    MostRecent,
}

/// What has gone wrong since the stream last got on, so that the same again is answered otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureStreak {
    /// Nothing.
    None,
    /// The version was no longer to be had. A list in between does not count as getting on.
    Expired,
    /// The stream was malformed after the last version.
    Malformed,
    /// A watch was open for a while, and brought nothing.
    Quiet,
    /// So many requests in a row came to nothing.
    Failures(u8),
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OperationOutcome {
    pub(super) end: OperationEnd,
    /// Whether the sink received anything from a watch, so that the last version has moved on.
    pub(super) has_progressed: bool,
}

/// What ended a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperationEnd {
    /// The list was committed.
    Listed,
    /// The server closed the stream, or the connection broke, after a while or after an event.
    Closed,
    /// The stream ended within a second and without an event.
    ClosedEarly,
    /// Nothing came for longer than it may take.
    Silent,
    /// The server does not speak streaming lists.
    StreamingRefused,
    /// An internal error inside the window in which they are forgiven.
    Forgiven,
    /// The server is where we are, or further.
    UpToDate,
    /// The server has not reached our version: it was restored from a backup.
    WentBack,
    /// Something failed.
    Failed(FailureStage, ErrorClass),
}

/// How far a request had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureStage {
    /// It was not answered with a stream.
    Opening,
    /// The stream was open.
    Streaming,
}

/// What to do before the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhaseEffect {
    /// Nothing.
    AtOnce,
    /// Wait one step of the backoff ladder, or as long as the server asked.
    BackOff,
    /// Remember that streaming lists are refused, and ask at once.
    RememberRefusal,
}

/// After so many requests in a row that came to nothing another way is tried.
const FAILURES_MAX: u8 = 3;

impl Phase {
    /// Where every reflector begins.
    pub(super) const START: Phase =
        Phase::new(Operation::StreamList(ListVersion::LastSeen), FailureStreak::None);

    const fn new(operation: Operation, streak: FailureStreak) -> Phase {
        Phase { operation, streak }
    }

    /// What to do, after the request that [`operation`](Self::operation) names ended so.
    pub(super) fn after(self, outcome: OperationOutcome) -> (Phase, PhaseEffect) {
        let streak = if outcome.has_progressed { FailureStreak::None } else { self.streak };
        match (self.operation, outcome.end) {
            (Operation::StreamList(_) | Operation::List(_), OperationEnd::Listed) => {
                (listed(streak), PhaseEffect::AtOnce)
            }
            (Operation::StreamList(at), end) => after_stream_list(at, streak, end),
            (Operation::List(at), end) => after_list(at, streak, end),
            // Watches that bring nothing may be from a version that the server does not know.
            (Operation::Watch, OperationEnd::Closed | OperationEnd::Silent) if !outcome.has_progressed => {
                let ask = if streak == FailureStreak::Quiet { Operation::Probe } else { Operation::Watch };
                (Phase::new(ask, FailureStreak::Quiet), PhaseEffect::AtOnce)
            }
            (Operation::Watch, end) => after_watch(streak, end),
            (Operation::Probe, OperationEnd::WentBack) => (
                Phase::new(Operation::StreamList(ListVersion::MostRecent), FailureStreak::None),
                PhaseEffect::AtOnce,
            ),
            // A probe that failed says nothing: the watch will tell.
            (Operation::Probe, _) => (Phase::new(Operation::Watch, streak), PhaseEffect::AtOnce),
        }
    }
}

/// A server whose lists work and whose watches expire at once must not be listed in a tight loop.
fn listed(streak: FailureStreak) -> Phase {
    let streak = if streak == FailureStreak::Expired { FailureStreak::Expired } else { FailureStreak::None };
    Phase::new(Operation::Watch, streak)
}

fn after_stream_list(at: ListVersion, streak: FailureStreak, end: OperationEnd) -> (Phase, PhaseEffect) {
    use ErrorClass::{ConnectionRefused, Expired, TooManyRequests, VersionTooLarge};
    let streamed = |at, streak, effect| (Phase::new(Operation::StreamList(at), streak), effect);
    let paged = |at, streak, effect| (Phase::new(Operation::List(at), streak), effect);
    match (end, at) {
        // Cut short is no refusal; but a server that always cuts it short must not keep us from a list for ever.
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
        OperationEnd::Closed | OperationEnd::Forgiven => watch(FailureStreak::None, PhaseEffect::AtOnce),
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
