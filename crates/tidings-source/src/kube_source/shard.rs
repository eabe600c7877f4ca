//! What a source of one shard yields: objects of the shard, whatever the server sends. A server that does not know
//! `shardSelector` ignores it without a word, and only the answer to a list tells.

use std::future::ready;

use futures_util::stream::StreamExt as _;

use crate::{
    ListEnd, ListPart, ListStream, ShardRange, Sharded, SourceError, Trouble, WatchEvent, WatchStream,
};

/// A page without the objects of other shards. Its end says who left them out.
pub(super) fn of_list(list: ListStream, range: ShardRange, asked: String) -> ListStream {
    let keep = move |part| match part {
        Ok(ListPart::Object(object)) if !range.contains(object.uid()) => None,
        Ok(ListPart::End(end)) => Some(checked(end, range).map(ListPart::End).map_err(|trouble| {
            let asked = asked.clone();
            SourceError { asked, trouble }
        })),
        part => Some(part),
    };
    list.filter_map(move |part| ready(keep(part))).boxed()
}

/// A watch without the objects of other shards. Of those only the version counts.
pub(super) fn of_watch(watch: WatchStream, range: ShardRange) -> WatchStream {
    let keep = move |event| match event {
        WatchEvent::Changed(_, object) if !range.contains(object.uid()) => {
            WatchEvent::Bookmark { version: object.version().clone(), is_initial_events_end: false }
        }
        event => event,
    };
    watch.map(move |event| event.map(keep)).boxed()
}

fn checked(end: ListEnd, range: ShardRange) -> Result<ListEnd, Trouble> {
    match &end.sharded {
        None => Ok(ListEnd { sharded: Some(Sharded::ByClient), ..end }),
        Some(Sharded::ByServer(selector)) if *selector != range.to_string() => {
            let selector: String = selector.chars().take(200).collect();
            Err(Trouble::Malformed(format!("asked for {range}, got the shard {selector:?}")))
        }
        Some(_) => Ok(end),
    }
}
