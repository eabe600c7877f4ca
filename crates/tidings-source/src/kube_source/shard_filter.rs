//! Removes objects of other shards from lists and watches. A server that does not know `shardSelector` ignores it
//! silently, and only the response to a list shows whether it was applied.

use std::future::ready;

use futures_util::stream::StreamExt as _;

use crate::{
    ErrorKind, ListEnd, ListPart, ListStream, ShardRange, Sharded, SourceError, WatchEvent, WatchStream,
};

/// A page without the objects of other shards. Its end reports whether the server or the client removed them.
pub(super) fn of_list(list: ListStream, range: ShardRange, request: String) -> ListStream {
    let keep = move |part| match part {
        Ok(ListPart::Object(object)) if !range.contains_object(&object) => None,
        Ok(ListPart::End(end)) => Some(check_selector(end, range).map(ListPart::End).map_err(|kind| {
            let request = request.clone();
            SourceError { request, kind }
        })),
        part => Some(part),
    };
    list.filter_map(move |part| ready(keep(part))).boxed()
}

/// A watch without the objects of other shards. Their events become bookmarks, so that the version advances.
pub(super) fn of_watch(watch: WatchStream, range: ShardRange) -> WatchStream {
    let keep = move |event| match event {
        WatchEvent::Changed(_, object) if !range.contains_object(&object) => {
            WatchEvent::Bookmark { version: object.version().clone(), is_initial_events_end: false }
        }
        event => event,
    };
    watch.map(move |event| event.map(keep)).boxed()
}

fn check_selector(end: ListEnd, range: ShardRange) -> Result<ListEnd, ErrorKind> {
    match &end.sharded {
        None => Ok(ListEnd { sharded: Some(Sharded::ByClient), ..end }),
        Some(Sharded::ByServer(selector)) if *selector != range.to_string() => {
            let selector: String = selector.chars().take(200).collect();
            Err(ErrorKind::Malformed(format!("expected the shard {range}, got {selector:?}")))
        }
        Some(_) => Ok(end),
    }
}
