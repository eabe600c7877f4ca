//! Caches the protobuf encoding of one object.
//!
//! The response to a write and all watchers send the same bytes. So an object is encoded once while its last change is
//! recent. Later the bytes are dropped to save memory, unless the server is configured to keep them.

use std::sync::Arc;

use tidings_protobuf::Message;

use crate::sync::Mutex;

/// The protobuf encoding of one object.
#[derive(Debug, Default)]
pub(super) struct ProtobufCache(Mutex<CachedBytes>);

#[derive(Debug, Default)]
struct CachedBytes {
    retention: Retention,
    /// The bytes, and the message type that they encode: one object may be read in several versions of its group.
    bytes: Option<(&'static Message, Arc<[u8]>)>,
}

/// How long encoded bytes are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Retention {
    /// Not at all.
    #[default]
    Never,
    /// While the last change of the object is recent.
    WhileNew,
    /// As long as the object exists.
    Always,
}

impl ProtobufCache {
    /// Sets how long the bytes are kept. `Always` is never shortened.
    pub(super) fn set_retention(&self, retention: Retention) {
        let mut slot = self.0.lock();
        if slot.retention != Retention::Always {
            slot.retention = retention;
        }
    }

    /// The last change of the object is no longer recent.
    pub(super) fn mark_old(&self) {
        let mut slot = self.0.lock();
        if slot.retention == Retention::WhileNew {
            *slot = CachedBytes::default();
        }
    }

    /// The bytes of this message type. A second caller waits for the lock while the first one encodes: that takes less
    /// time than to encode again.
    pub(super) fn bytes<E>(
        &self,
        message: &'static Message,
        encode: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<[u8]>, E> {
        let mut slot = self.0.lock();
        match &slot.bytes {
            Some((kept, bytes)) if std::ptr::eq(*kept, message) => Ok(Arc::clone(bytes)),
            _ => {
                let bytes: Arc<[u8]> = encode()?.into();
                if slot.retention != Retention::Never && slot.bytes.is_none() {
                    slot.bytes = Some((message, Arc::clone(&bytes)));
                }
                Ok(bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;

    fn times_encoded(encoded: &ProtobufCache, kind: &str) -> usize {
        let times = Cell::new(0);
        let message = tidings_protobuf::message("", "v1", kind).expect("a built-in kind");
        for _ in 0..2 {
            let encode = || {
                times.set(times.get() + 1);
                Ok::<_, Infallible>(kind.as_bytes().to_vec())
            };
            let Ok(bytes) = encoded.bytes(message, encode);
            assert_eq!(&*bytes, kind.as_bytes());
        }
        times.get()
    }

    #[test]
    fn a_recent_change_is_encoded_once_and_an_old_one_each_time() {
        let encoded = ProtobufCache::default();
        assert_eq!(times_encoded(&encoded, "Pod"), 2);
        encoded.set_retention(Retention::WhileNew);
        assert_eq!(times_encoded(&encoded, "Pod"), 1);
        assert_eq!(times_encoded(&encoded, "Pod"), 0);
        assert_eq!(
            times_encoded(&encoded, "Node"),
            2,
            "only one message type is kept, and it is not used for another"
        );
        encoded.mark_old();
        assert_eq!(times_encoded(&encoded, "Pod"), 2);
    }

    #[test]
    fn bytes_that_are_always_kept_are_not_dropped_with_age() {
        let encoded = ProtobufCache::default();
        encoded.set_retention(Retention::Always);
        encoded.set_retention(Retention::WhileNew);
        assert_eq!(times_encoded(&encoded, "Pod"), 1);
        encoded.mark_old();
        assert_eq!(times_encoded(&encoded, "Pod"), 0);
    }
}
