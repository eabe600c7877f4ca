//! The faults that the API servers inject at random.

use std::time::Duration;

use tidings_apiserver::Verb;
use tidings_apiserver::{Ending, Fault};
use tidings_apiserver::{EventFault, Injection};

use crate::plan::Plan;

/// The faults of a plan. Every fault of the API server is part of some plan.
pub(crate) fn faults(plan: &Plan) -> Vec<Injection> {
    let status = |code, retry_after_seconds| Fault::Status { code, retry_after_seconds }.always();
    let mut faults = vec![
        status(429, Some(3)),
        status(429, None),
        status(500, None),
        status(502, None),
        status(503, Some(1)),
        status(504, None),
        status(401, None),
        status(403, None),
        status(404, None).on(Verb::List),
        status(404, None).on(Verb::Watch),
        status(409, None).on(Verb::Update),
        Fault::HtmlPage { code: 502 }.always(),
        Fault::Refused.always(),
        Fault::GarbageBody.always(),
        Fault::Hang.always(),
        Fault::Delay(Duration::from_secs(2)).always(),
        Fault::Delay(Duration::from_secs(40)).always(),
        Fault::RefuseStreamingList.always(),
        Fault::FailStreamingList.always(),
        Fault::HideMarker.always(),
        Fault::HideMarker.always(),
        Fault::HideBookmarks.always(),
        Fault::ExpireOnOpen.always(),
        Fault::CutBody { after_bytes: 300, ending: Ending::Broken }.always(),
        Fault::WrongKind.always().on(Verb::List),
    ];
    faults.extend(stream_faults(plan));
    faults
}

fn stream_faults(plan: &Plan) -> Vec<Injection> {
    let event = |after_events, fault| Fault::Event { after_events, fault }.always();
    let cut = |after_events, ending| Fault::CutStream { after_events, ending }.always();
    let mut faults = vec![
        cut(0, Ending::Clean),
        cut(2, Ending::Clean),
        cut(3, Ending::Broken),
        Fault::CutMidFrame { after_events: 2 }.always(),
        Fault::SlowStream(Duration::from_millis(300)).always(),
        event(1, EventFault::Duplicate),
        event(2, EventFault::Stale),
        event(1, EventFault::UnknownType),
        event(1, EventFault::Garbage),
        event(2, EventFault::Error { code: 410 }),
        event(1, EventFault::Error { code: 500 }),
        event(1, EventFault::Error { code: 429 }),
    ];
    if plan.has_stalls {
        faults.extend([
            cut(1, Ending::Stalled),
            Fault::StallStream { after_events: 0 }.always(),
            Fault::StallStream { after_events: 2 }.always(),
            Fault::CutBody { after_bytes: 200, ending: Ending::Stalled }.always(),
        ]);
    }
    faults
}
