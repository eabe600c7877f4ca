//! What a watch finds when it opens: where it stands, and the objects it begins with.
//!
//! Read before the first byte is sent, so that a client that accepts both wires is told in JSON if one of these objects
//! can't be told as protobuf. What comes later can't change the wire any more.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use super::cursor::{Bookmarks, WatchCursor, WatchEventType, WatchPhase};
use super::{WatchRequest, WatchStart};
use crate::read::list::range;
use crate::resource::ResourceScope;
use crate::server::Core;
use crate::store::{KeyRange, StoredObject, WatchSubscription};
use crate::wire::{EventPosition, ObjectEncoder};

/// How many bytes of the first events are kept when they had to be encoded to see whether they can be told.
const KEPT_BYTES_MAX: usize = 4 << 20;

/// A watch before its first event.
pub(super) struct InitialState {
    pub(super) range: KeyRange,
    pub(super) subscription: WatchSubscription,
    pub(super) cursor: WatchCursor,
    /// What there is, selected or not.
    pub(super) initial: Vec<Arc<StoredObject>>,
    /// The events of the first that are selected, if they were encoded already.
    pub(super) encoded: VecDeque<Bytes>,
}

impl InitialState {
    pub(super) fn of(core: &Core, watch: &WatchRequest, start: WatchStart) -> Self {
        let namespace = watch.namespace.as_deref();
        let range = match (watch.selection.name(), namespace, watch.def.scope) {
            (Some(name), Some(namespace), _) => KeyRange::one(&format!("{namespace}/{name}")),
            (Some(name), None, ResourceScope::Cluster) => KeyRange::one(name),
            _ => range(namespace),
        };
        // Subscribed before the state is read: a change between the two is seen as news, never missed.
        let subscription = core.store.subscribe(&watch.def.storage);
        let has_bookmarks = watch.options.allows_bookmarks && !watch.faults.hides_bookmarks();
        let bookmarks = if has_bookmarks { Bookmarks::Enabled } else { Bookmarks::Disabled };
        let (cursor, initial) = match start {
            WatchStart::InitialEvents(marker) => {
                let read = core.store.snapshot(&watch.def.storage, &range, usize::MAX, None);
                let snapshot = read.expect("the newest version can always be read");
                (WatchCursor::new(snapshot.version, WatchPhase::Initial(marker), bookmarks), snapshot.objects)
            }
            WatchStart::After(version) => {
                (WatchCursor::new(version, WatchPhase::Opened, bookmarks), Vec::new())
            }
            WatchStart::Now => {
                (WatchCursor::new(core.store.version(), WatchPhase::Live, bookmarks), Vec::new())
            }
        };
        Self { range, subscription, cursor, initial, encoded: VecDeque::new() }
    }

    /// Whether all that the watch begins with can be told so. What had to be encoded to know it is kept, up to a bound.
    pub(super) async fn can_be_encoded(&mut self, watch: &WatchRequest, encoder: &ObjectEncoder) -> bool {
        let mut kept_bytes = 0;
        for object in self.initial.iter().filter(|object| watch.selects(object)) {
            // The client's task must give way to others now and then, however much there is to look at.
            tokio::task::coop::consume_budget().await;
            let is_told = if kept_bytes < KEPT_BYTES_MAX {
                let event = encoder.event(WatchEventType::Added.as_str(), object, EventPosition::First).ok();
                kept_bytes += event.as_ref().map_or(0, Bytes::len);
                let is_told = event.is_some();
                self.encoded.extend(event);
                is_told
            } else {
                encoder.can_encode(object)
            };
            if !is_told {
                self.encoded.clear();
                return false;
            }
        }
        true
    }
}
