//! WATCH: streams the changes after a version.
//!
//! [`initial_state`] reads the objects that a watch starts with. [`cursor`] decides what to send next and [`batching`]
//! when; both are pure state machines. [`stream`] reads the store, waits and sends. A watcher pulls from the history
//! and has no buffer of its own. A watcher that falls behind the oldest change in the history is cut off.

use std::sync::Arc;

use http::{Response, StatusCode};

use self::initial_state::InitialState;
use crate::body::{self, ResponseBody};
use crate::fault::StreamFaults;
use crate::read::list::wait_until;
use crate::request::{Representation, RequestOptions, Selection};
use crate::resource::ResourceDef;
use crate::server::Core;
use crate::status::ApiError;
use crate::store::StoredObject;
use crate::wire::ObjectEncoder;

mod batching;
pub(crate) mod cursor;
mod initial_state;
mod stream;

/// A watch request.
pub(crate) struct WatchRequest {
    pub(crate) def: Arc<ResourceDef>,
    pub(crate) namespace: Option<String>,
    pub(crate) options: RequestOptions,
    pub(crate) selection: Selection,
    pub(crate) representation: Representation,
    pub(crate) faults: StreamFaults,
}

impl WatchRequest {
    fn selects(&self, object: &StoredObject) -> bool {
        self.selection.is_everything() || self.selection.matches(object)
    }
}

/// Where a watch starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchStart {
    /// With all present objects as ADDED events, then later changes.
    InitialEvents(cursor::InitialEventsMarker),
    /// With the changes after this version.
    After(u64),
    /// With the changes after the newest version.
    Now,
}

pub(crate) async fn answer(
    core: &Arc<Core>,
    watch: WatchRequest,
) -> Result<Response<ResponseBody>, ApiError> {
    watch.options.check_list()?;
    let start = start(&watch.options)?;
    if let (WatchStart::InitialEvents(_), Some(version)) = (start, watch.options.version()?) {
        wait_until(core, version).await?;
    }
    let mut opening = InitialState::of(core, &watch, start);
    let mut encoder = ObjectEncoder::of(core, &watch.def, &watch.options, watch.representation)?;
    if let Some(in_json) = watch.representation.in_json()
        && !opening.can_be_encoded(&watch, &encoder).await
    {
        encoder = ObjectEncoder::of(core, &watch.def, &watch.options, in_json)?;
    }
    let media_type = encoder.watch_media_type();
    let body = stream::body(Arc::clone(core), watch, encoder, opening);
    Ok(body::with_type(StatusCode::OK, media_type, body))
}

/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch> and KEP-3157.
fn start(options: &RequestOptions) -> Result<WatchStart, ApiError> {
    use cursor::InitialEventsMarker;
    let marker_if_allowed =
        if options.allows_bookmarks { InitialEventsMarker::Send } else { InitialEventsMarker::Omit };
    Ok(match (options.version()?, options.send_initial_events) {
        (_, Some(true)) => WatchStart::InitialEvents(marker_if_allowed),
        (None | Some(0), Some(false)) => WatchStart::Now,
        (None, None) => WatchStart::InitialEvents(InitialEventsMarker::Omit),
        (Some(0), None) => WatchStart::InitialEvents(marker_if_allowed),
        (Some(version), _) => WatchStart::After(version),
    })
}

#[cfg(test)]
mod tests {
    use super::cursor::InitialEventsMarker;
    use super::*;
    use crate::request::query;

    #[test]
    fn a_watch_starts_where_its_options_say() {
        for (query, expected) in [
            ("watch=1", WatchStart::InitialEvents(InitialEventsMarker::Omit)),
            ("watch=1&allowWatchBookmarks=1", WatchStart::InitialEvents(InitialEventsMarker::Omit)),
            ("watch=1&resourceVersion=0", WatchStart::InitialEvents(InitialEventsMarker::Omit)),
            (
                "watch=1&resourceVersion=0&allowWatchBookmarks=1",
                WatchStart::InitialEvents(InitialEventsMarker::Send),
            ),
            ("watch=1&resourceVersion=7", WatchStart::After(7)),
            (
                "watch=1&sendInitialEvents=true&allowWatchBookmarks=true",
                WatchStart::InitialEvents(InitialEventsMarker::Send),
            ),
            (
                "watch=1&sendInitialEvents=true&resourceVersion=7&allowWatchBookmarks=1",
                WatchStart::InitialEvents(InitialEventsMarker::Send),
            ),
            ("watch=1&sendInitialEvents=false", WatchStart::Now),
            ("watch=1&sendInitialEvents=false&resourceVersion=7", WatchStart::After(7)),
        ] {
            assert_eq!(start(&query::parse(query).unwrap()).unwrap(), expected, "{query}");
        }
    }
}
