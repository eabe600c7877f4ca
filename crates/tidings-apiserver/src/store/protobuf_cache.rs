//! One object as protobuf, while that is worth keeping. Who is answered after a write and all who watch are told the same bytes, so
//! these are encoded once while the change is new. Later only servers that are set so keep them: memory is dearer then.

use std::sync::Arc;

use tidings_protobuf::Message;

use crate::sync::Mutex;

/// The bytes of one object's message.
#[derive(Debug, Default)]
pub(super) struct ProtobufCache(Mutex<CachedBytes>);

#[derive(Debug, Default)]
struct CachedBytes {
    retention: Retention,
    /// Of which message, since versions of a group differ.
    bytes: Option<(&'static Message, Arc<[u8]>)>,
}

/// For how long what is encoded is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Retention {
    /// Not at all.
    #[default]
    Never,
    /// Until the change that made it is no longer new.
    WhileNew,
    /// As long as the object.
    Always,
}

impl ProtobufCache {
    /// Keeps what is encoded from now on for so long, or longer.
    pub(super) fn set_retention(&self, retention: Retention) {
        let mut slot = self.0.lock();
        if slot.retention != Retention::Always {
            slot.retention = retention;
        }
    }

    /// The object's change is no longer new.
    pub(super) fn mark_old(&self) {
        let mut slot = self.0.lock();
        if slot.retention == Retention::WhileNew {
            *slot = CachedBytes::default();
        }
    }

    /// The bytes of this message. Who comes while they are encoded waits for them: that is shorter than to do it again.
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
    fn what_is_new_is_encoded_once_and_what_is_old_each_time() {
        let encoded = ProtobufCache::default();
        assert_eq!(times_encoded(&encoded, "Pod"), 2);
        encoded.set_retention(Retention::WhileNew);
        assert_eq!(times_encoded(&encoded, "Pod"), 1);
        assert_eq!(times_encoded(&encoded, "Pod"), 0);
        assert_eq!(times_encoded(&encoded, "Node"), 2, "one message is kept, and no other is told for it");
        encoded.mark_old();
        assert_eq!(times_encoded(&encoded, "Pod"), 2);
    }

    #[test]
    fn what_is_kept_always_does_not_grow_old() {
        let encoded = ProtobufCache::default();
        encoded.set_retention(Retention::Always);
        encoded.set_retention(Retention::WhileNew);
        assert_eq!(times_encoded(&encoded, "Pod"), 1);
        encoded.mark_old();
        assert_eq!(times_encoded(&encoded, "Pod"), 0);
    }
}
