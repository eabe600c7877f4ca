//! WATCH: what happened after a version, as it happens.
//!
//! [`opening`] reads what there is at first; [`cursor`] decides what to send next and [`pace`] when, both are pure; [`stream`]
//! reads the store, waits and sends. A watcher pulls from history: nothing is buffered for it, and one that falls out of the history
//! window is cut off.

use std::sync::Arc;

use http::{Response, StatusCode};

use self::opening::Opening;
use crate::body::{self, Body};
use crate::fault::StreamFaults;
use crate::read::list::wait_until;
use crate::request::{Options, Representation, Selection};
use crate::resource::ResourceDef;
use crate::server::Core;
use crate::status::ApiError;
use crate::store::Stored;
use crate::wire::Shape;

pub mod cursor;
mod opening;
mod pace;
mod stream;

/// What a watcher is sent, and from where on.
pub(crate) struct Watch {
    pub(crate) def: Arc<ResourceDef>,
    pub(crate) namespace: Option<String>,
    pub(crate) options: Options,
    pub(crate) selection: Selection,
    pub(crate) representation: Representation,
    pub(crate) faults: StreamFaults,
}

impl Watch {
    fn selects(&self, object: &Stored) -> bool {
        self.selection.is_everything() || self.selection.matches(object)
    }
}

/// Where a watch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// With everything there is as ADDED events, then what follows.
    Everything(cursor::Marker),
    /// With what follows this version.
    After(u64),
    /// With what follows the newest version.
    Now,
}

/// Answers with a stream of events.
pub(crate) async fn answer(core: &Arc<Core>, watch: Watch) -> Result<Response<Body>, ApiError> {
    watch.options.check_list()?;
    let start = start(&watch.options)?;
    if let (Start::Everything(_), Some(version)) = (start, watch.options.version()?) {
        wait_until(core, version).await?;
    }
    let mut opening = Opening::of(core, &watch, start);
    let mut shape = Shape::of(core, &watch.def, &watch.options, watch.representation)?;
    if let Some(in_json) = watch.representation.in_json()
        && !opening.can_be_told(&watch, &shape).await
    {
        shape = Shape::of(core, &watch.def, &watch.options, in_json)?;
    }
    let media_type = shape.watch_media_type();
    let body = stream::body(Arc::clone(core), watch, shape, opening);
    Ok(body::with_type(StatusCode::OK, media_type, body))
}

/// See <https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch> and KEP-3157.
fn start(options: &Options) -> Result<Start, ApiError> {
    use cursor::Marker;
    let marker_if_allowed = if options.allows_bookmarks { Marker::Due } else { Marker::Unwanted };
    Ok(match (options.version()?, options.send_initial_events) {
        (_, Some(true)) => Start::Everything(marker_if_allowed),
        (None | Some(0), Some(false)) => Start::Now,
        (None, None) => Start::Everything(Marker::Unwanted),
        (Some(0), None) => Start::Everything(marker_if_allowed),
        (Some(version), _) => Start::After(version),
    })
}

#[cfg(test)]
mod tests {
    use super::cursor::Marker;
    use super::*;
    use crate::request::query;

    #[test]
    fn a_watch_starts_where_its_options_say() {
        for (query, expected) in [
            ("watch=1", Start::Everything(Marker::Unwanted)),
            ("watch=1&allowWatchBookmarks=1", Start::Everything(Marker::Unwanted)),
            ("watch=1&resourceVersion=0", Start::Everything(Marker::Unwanted)),
            ("watch=1&resourceVersion=0&allowWatchBookmarks=1", Start::Everything(Marker::Due)),
            ("watch=1&resourceVersion=7", Start::After(7)),
            ("watch=1&sendInitialEvents=true&allowWatchBookmarks=true", Start::Everything(Marker::Due)),
            (
                "watch=1&sendInitialEvents=true&resourceVersion=7&allowWatchBookmarks=1",
                Start::Everything(Marker::Due),
            ),
            ("watch=1&sendInitialEvents=false", Start::Now),
            ("watch=1&sendInitialEvents=false&resourceVersion=7", Start::After(7)),
        ] {
            assert_eq!(start(&query::parse(query).unwrap()).unwrap(), expected, "{query}");
        }
    }
}
