//! The state of a watch before its first event: its cursor, and the objects that it starts with.
//!
//! It is read before the first byte is sent. If one of these objects can't be encoded as protobuf, a client that
//! accepts both wires gets JSON. After the first byte the wire can't change.

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

/// The largest number of bytes of initial events that are kept after the check whether they can be encoded.
const ENCODED_BYTES_MAX: usize = 4 << 20;

/// A watch before its first event.
pub(super) struct InitialState {
    pub(super) range: KeyRange,
    pub(super) subscription: WatchSubscription,
    pub(super) cursor: WatchCursor,
    /// All objects in the range, selected or not.
    pub(super) initial: Vec<Arc<StoredObject>>,
    /// The encoded events of the first selected objects, if the check has encoded them.
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
        // Subscribes before it reads the state. A change between the two is then delivered as an event, never lost.
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

    /// Whether all initial objects can be encoded. Keeps the encoded events, up to a bound.
    pub(super) async fn can_be_encoded(&mut self, watch: &WatchRequest, encoder: &ObjectEncoder) -> bool {
        let mut kept_bytes = 0;
        for object in self.initial.iter().filter(|object| watch.selects(object)) {
            // Yields to other tasks now and then: this loop has no other await point.
            tokio::task::coop::consume_budget().await;
            let is_encoded = if kept_bytes < ENCODED_BYTES_MAX {
                let event = encoder.event(WatchEventType::Added.as_str(), object, EventPosition::First).ok();
                kept_bytes += event.as_ref().map_or(0, Bytes::len);
                let is_encoded = event.is_some();
                self.encoded.extend(event);
                is_encoded
            } else {
                encoder.can_encode(object)
            };
            if !is_encoded {
                self.encoded.clear();
                return false;
            }
        }
        true
    }
}
