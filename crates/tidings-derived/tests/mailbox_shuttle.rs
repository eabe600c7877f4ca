//! The mailbox of a handler under many schedules, chosen by shuttle: one task puts changes in and ends the initial state,
//! another drains or ends the mailbox, and one takes notifications out. The mailbox is compiled a second time here, with
//! shuttle's locks.
//!
//! A lost wake-up is a deadlock, which shuttle reports. A wrong merge is a notification whose `old` is not the state that
//! the receiver knows, or a last state that it never receives.

#![allow(missing_docs, reason = "tests")]

#[path = "../src/sync/simulated.rs"]
mod sync;

#[path = "../src/persistent_map.rs"]
#[allow(dead_code, reason = "only its trait is used here")]
mod persistent_map;

#[path = "../src/element.rs"]
#[allow(dead_code, unreachable_pub, reason = "only a part of it is used here")]
mod element;

#[path = "../src/mailbox.rs"]
#[allow(dead_code, unreachable_pub, reason = "only a part of it is used here")]
mod mailbox;

/// The part of `handler.rs` that a mailbox needs.
mod handler {
    use crate::element::Value;

    pub(crate) struct CollectionNotification<E> {
        pub(crate) old: Option<Value<E>>,
        pub(crate) new: Option<Value<E>>,
        pub(crate) is_initial: bool,
    }

    impl<E> CollectionNotification<E> {
        pub(crate) fn of(old: Option<Value<E>>, new: Option<Value<E>>, is_initial: bool) -> Option<Self> {
            (old.is_some() || new.is_some()).then_some(CollectionNotification { old, new, is_initial })
        }
    }
}

/// The part of `shared.rs` that a mailbox needs.
mod shared {
    pub(crate) struct KeepAlive;
}

use std::collections::BTreeMap;
use std::sync::Arc;

use element::Value;
use mailbox::Mailbox;
use shuttle::future::{block_on, spawn};

type Pair = (String, u32);

const SCHEDULES: usize = 2_000;

/// The changes of two keys, as the rounds of a graph report them: key, old and new value.
const CHANGES: [(&str, Option<u32>, Option<u32>); 8] = [
    ("a", None, Some(1)),
    ("b", None, Some(1)),
    ("a", Some(1), Some(2)),
    ("a", Some(2), Some(1)),
    ("b", Some(1), None),
    ("b", None, Some(2)),
    ("a", Some(1), Some(3)),
    ("b", Some(2), Some(3)),
];

fn value(key: &str, value: u32) -> Value<Pair> {
    Value::computed((key.to_owned(), value))
}

fn put(mailbox: &Mailbox<Pair>, changes: &[(&str, Option<u32>, Option<u32>)], is_initial: bool) {
    let of = |key: &'static str, state: Option<u32>| state.map(|state| value(key, state));
    let changes = changes.iter().map(|(key, old, new)| {
        let key: &'static str = if *key == "a" { "a" } else { "b" };
        (Arc::from(key), of(key, *old), of(key, *new))
    });
    mailbox.push(changes, is_initial, tokio::time::Instant::now());
}

/// Receives until the mailbox ends, and returns the last state of each key.
async fn receive(mailbox: Arc<Mailbox<Pair>>) -> BTreeMap<String, u32> {
    let mut known = BTreeMap::new();
    while let Some(notification) = mailbox.next().await {
        let state = |value: &Option<Value<Pair>>| value.as_ref().map(|value| value.1);
        let either = notification.new.as_ref().or(notification.old.as_ref());
        let key = either.map(|value| value.0.clone()).expect("a notification has a value");
        assert_eq!(known.get(&key).copied(), state(&notification.old), "{key}: not the state that is known");
        match state(&notification.new) {
            Some(new) => drop(known.insert(key, new)),
            None => drop(known.remove(&key)),
        }
        mailbox.handled(notification.is_initial, false);
    }
    mailbox.end();
    known
}

fn mailbox() -> Arc<Mailbox<Pair>> {
    Arc::new(Mailbox::new("test".to_owned(), Some(Arc::new(shared::KeepAlive))))
}

// holds: V7, V9, V24
#[test]
fn under_every_schedule_a_drained_mailbox_delivers_the_last_state_of_each_key() {
    shuttle::check_random(
        || {
            block_on(async {
                let mailbox = mailbox();
                let receiver = spawn(receive(Arc::clone(&mailbox)));
                let writer = Arc::clone(&mailbox);
                let written = spawn(async move {
                    put(&writer, &CHANGES[..2], true);
                    writer.initial_complete();
                    CHANGES[2..].iter().for_each(|change| put(&writer, &[*change], false));
                    writer.drain();
                });
                written.await.unwrap();
                let known = receiver.await.unwrap();
                assert_eq!(known, BTreeMap::from([("a".to_owned(), 3), ("b".to_owned(), 3)]));
                mailbox.ended().await;
                assert!(mailbox.synced().await, "every initial addition was handled or merged away");
            });
        },
        SCHEDULES,
    );
}

// holds: V23
#[test]
fn under_every_schedule_nothing_waits_for_a_mailbox_that_is_ended_early() {
    shuttle::check_random(
        || {
            block_on(async {
                let mailbox = mailbox();
                let receiver = spawn(receive(Arc::clone(&mailbox)));
                let (writer, other, waiter) =
                    (Arc::clone(&mailbox), Arc::clone(&mailbox), Arc::clone(&mailbox));
                let written = spawn(async move {
                    CHANGES.iter().for_each(|change| put(&writer, &[*change], false));
                    writer.initial_complete();
                });
                let ended = spawn(async move { other.end() });
                let waited = spawn(async move { waiter.synced().await });
                written.await.unwrap();
                ended.await.unwrap();
                receiver.await.unwrap();
                waited.await.unwrap();
                mailbox.ended().await;
                assert_eq!(mailbox.stats().backlog, 0);
            });
        },
        SCHEDULES,
    );
}
