//! What to ask next, given how the last request ended: `Phase` × `Outcome` → `Phase` and `Effect`.
//!
//! Pure, so that every combination stands in one table test. It never looks at a clock, a version or an error's
//! text: whoever asks turns those into an [`Outcome`] first. Every way to fail without getting on leads to a
//! [`Effect::BackOff`] after finitely many steps.

use tidings_source::ErrorClass;

/// What to ask next, and what has gone wrong since the stream last got on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phase {
    pub(super) ask: Ask,
    pub(super) streak: Streak,
}

/// The next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// A streaming list, whose stream goes on as the watch.
    StreamList(At),
    /// A list, page by page.
    List(At),
    /// A watch from the last version.
    Watch,
    /// How far the server has come.
    Probe,
}

/// At which version a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// Not older than what we have seen: time never goes backwards. Anything will do if we have seen nothing.
    Last,
    /// The server's most recent state, because it no longer has, or does not yet have, what we have seen.
    MostRecent,
}

/// What has gone wrong since the stream last got on, so that the same again is answered otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Streak {
    /// Nothing.
    Clean,
    /// The version was no longer to be had. A list in between does not count as getting on.
    Expired,
    /// The stream was malformed after the last version.
    Broken,
    /// A watch was open for a while, and brought nothing.
    Quiet,
    /// So many requests in a row came to nothing.
    Strikes(u8),
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) end: End,
    /// Whether the sink received anything from a watch, so that the last version has moved on.
    pub(super) has_progressed: bool,
}

/// What ended a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
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
    Failed(Stage, ErrorClass),
}

/// How far a request had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It was not answered with a stream.
    Opening,
    /// The stream was open.
    Streaming,
}

/// What to do before the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    AtOnce,
    /// Wait one step of the backoff ladder, or as long as the server asked.
    BackOff,
    /// Remember that streaming lists are refused, and ask at once.
    RememberRefusal,
}

/// After so many requests in a row that came to nothing another way is tried.
const STRIKES_MAX: u8 = 3;

impl Phase {
    /// Where every reflector begins.
    pub(super) const START: Phase = Phase::new(Ask::StreamList(At::Last), Streak::Clean);

    const fn new(ask: Ask, streak: Streak) -> Phase {
        Phase { ask, streak }
    }

    /// What to do, after the request that [`ask`](Self::ask) names ended so.
    pub(super) fn after(self, outcome: Outcome) -> (Phase, Effect) {
        let streak = if outcome.has_progressed { Streak::Clean } else { self.streak };
        match (self.ask, outcome.end) {
            (Ask::StreamList(_) | Ask::List(_), End::Listed) => (listed(streak), Effect::AtOnce),
            (Ask::StreamList(at), end) => after_stream_list(at, streak, end),
            (Ask::List(at), end) => after_list(at, streak, end),
            // Watches that bring nothing may be from a version that the server does not know.
            (Ask::Watch, End::Closed | End::Silent) if !outcome.has_progressed => {
                let ask = if streak == Streak::Quiet { Ask::Probe } else { Ask::Watch };
                (Phase::new(ask, Streak::Quiet), Effect::AtOnce)
            }
            (Ask::Watch, end) => after_watch(streak, end),
            (Ask::Probe, End::WentBack) => {
                (Phase::new(Ask::StreamList(At::MostRecent), Streak::Clean), Effect::AtOnce)
            }
            // A probe that failed says nothing: the watch will tell.
            (Ask::Probe, _) => (Phase::new(Ask::Watch, streak), Effect::AtOnce),
        }
    }
}

/// A server whose lists work and whose watches expire at once must not be listed in a tight loop.
fn listed(streak: Streak) -> Phase {
    let streak = if streak == Streak::Expired { Streak::Expired } else { Streak::Clean };
    Phase::new(Ask::Watch, streak)
}

fn after_stream_list(at: At, streak: Streak, end: End) -> (Phase, Effect) {
    use ErrorClass::{ConnectionRefused, Expired, TooManyRequests, VersionTooLarge};
    let streamed = |at, streak, effect| (Phase::new(Ask::StreamList(at), streak), effect);
    let paged = |at, streak, effect| (Phase::new(Ask::List(at), streak), effect);
    match (end, at) {
        // Cut short is no refusal; but a server that always cuts it short must not keep us from a list for ever.
        (End::Closed, _) => match streak {
            Streak::Clean => streamed(at, Streak::Strikes(1), Effect::AtOnce),
            Streak::Strikes(n) if n + 1 < STRIKES_MAX => {
                streamed(at, Streak::Strikes(n + 1), Effect::BackOff)
            }
            _ => paged(at, streak, Effect::BackOff),
        },
        (End::Silent | End::StreamingRefused, _) => paged(at, streak, Effect::RememberRefusal),
        (End::Failed(_, TooManyRequests | ConnectionRefused), _) => streamed(at, streak, Effect::BackOff),
        (End::Failed(_, Expired | VersionTooLarge), At::Last) => {
            streamed(At::MostRecent, streak, Effect::AtOnce)
        }
        (End::Failed(_, Expired | VersionTooLarge), At::MostRecent) => paged(at, streak, Effect::BackOff),
        _ => paged(at, streak, Effect::AtOnce),
    }
}

fn after_list(at: At, streak: Streak, end: End) -> (Phase, Effect) {
    match (end, at) {
        (End::Failed(_, ErrorClass::Expired | ErrorClass::VersionTooLarge), At::Last) => {
            (Phase::new(Ask::List(At::MostRecent), streak), Effect::AtOnce)
        }
        _ => (Phase::new(Ask::StreamList(at), streak), Effect::BackOff),
    }
}

fn after_watch(streak: Streak, end: End) -> (Phase, Effect) {
    use ErrorClass::{ConnectionRefused, Expired, Malformed, Network, TooManyRequests};
    let watch = |streak, effect| (Phase::new(Ask::Watch, streak), effect);
    let relist = |streak, effect| (Phase::new(Ask::StreamList(At::Last), streak), effect);
    match end {
        End::Closed | End::Forgiven => watch(Streak::Clean, Effect::AtOnce),
        End::Silent => watch(streak, Effect::AtOnce),
        End::Failed(_, Expired) if streak == Streak::Expired => relist(streak, Effect::BackOff),
        End::Failed(_, Expired) => relist(Streak::Expired, Effect::AtOnce),
        End::Failed(_, TooManyRequests | ConnectionRefused) => watch(streak, Effect::BackOff),
        End::Failed(_, Malformed) if streak == Streak::Broken => relist(Streak::Clean, Effect::BackOff),
        End::Failed(_, Malformed) => watch(Streak::Broken, Effect::BackOff),
        End::Failed(Stage::Opening, _) | End::Failed(Stage::Streaming, Network) => match strike(streak) {
            n if n < STRIKES_MAX => watch(Streak::Strikes(n), Effect::BackOff),
            _ => relist(Streak::Clean, Effect::BackOff),
        },
        End::Listed
        | End::ClosedEarly
        | End::StreamingRefused
        | End::UpToDate
        | End::WentBack
        | End::Failed(Stage::Streaming, _) => relist(Streak::Clean, Effect::BackOff),
    }
}

fn strike(streak: Streak) -> u8 {
    match streak {
        Streak::Strikes(before) => before + 1,
        Streak::Clean | Streak::Expired | Streak::Broken | Streak::Quiet => 1,
    }
}

#[cfg(test)]
mod tests;
