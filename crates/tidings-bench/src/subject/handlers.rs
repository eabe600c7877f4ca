//! The handlers of the comparison. They read a part of each notification and count it, and do nothing else.

use std::hint::black_box;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use tidings::{Handler, Object};

use super::meter::Meter;
use crate::protocol::{Read, SENT_LABEL};
use crate::wall_clock::now_ns;

/// The label that is read with an identity.
const APP_LABEL: &str = "app";

/// A handler that reads this part of each object and counts in `meter`. `touch` reads a decoded object.
pub(super) fn handler<K>(read: Read, touch: fn(&K), meter: Arc<Meter>) -> Handler<K>
where
    K: DeserializeOwned + Send + Sync + 'static,
{
    let (added, updated, deleted) = (Arc::clone(&meter), Arc::clone(&meter), meter);
    Handler::new()
        .on_add(move |object, _is_initial| {
            read_new(read, touch, object);
            added.count_notification();
        })
        .on_update(move |old, new| {
            if read == Read::Both {
                read_whole(touch, old);
            }
            read_new(read, touch, new);
            if updated.is_timed() {
                time(&updated, new);
            }
            updated.count_update(new.namespace(), new.name());
        })
        .on_delete(move |gone| {
            read_identity(gone);
            deleted.count_notification();
        })
}

fn read_new<K>(read: Read, touch: fn(&K), object: &Object<K>)
where
    K: DeserializeOwned + Send + Sync + 'static,
{
    read_identity(object);
    if read != Read::Identity {
        read_whole(touch, object);
    }
}

fn read_identity<K>(object: &Object<K>) {
    black_box((object.namespace(), object.name(), object.version(), object.labels().value(APP_LABEL)));
}

fn read_whole<K>(touch: fn(&K), object: &Object<K>)
where
    K: DeserializeOwned + Send + Sync + 'static,
{
    touch(&object.decoded().expect("a fixture decodes"));
}

fn time<K>(meter: &Meter, object: &Object<K>) {
    let sent_ns = object.labels().value(SENT_LABEL).and_then(|sent| sent.parse::<u64>().ok());
    if let Some(sent_ns) = sent_ns {
        meter.take_latency(now_ns().saturating_sub(sent_ns));
    }
}
