//! The mailbox of one handler of a collection: the task of the graph puts changes in, and the handler's own task, or a
//! stream, takes them out.
//!
//! Pending changes of one key are one change, from the state that the handler knows to the newest one. So a handler that
//! hangs costs at most one entry per key, and holds up nothing. Example:
//!
//! ```text
//! a: 1 -> 2                pending: a 1 -> 2
//! b: none -> 1             pending: a 1 -> 2, b none -> 1
//! a: 2 -> 3                pending: a 1 -> 3, b none -> 1       one notification instead of two
//! b: 1 -> none             pending: a 1 -> 3                    the handler never knew b
//! ```
//!
//! The mailbox of an informer's handler (`tidings-informer`, `informer/deliver`) has the same phases, but queues in order
//! up to a bound, merges objects above it, and lets the informer make the calls of subscribers. It is on the path of
//! every event, and has no type parameter. One mailbox for both would need the type of the elements, their comparison
//! and the rule of merging as parameters there, for about 60 lines less here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, SetOnce};
use tokio::time::Instant;

use crate::element::{Element, Value};
use crate::handler::CollectionNotification;
use crate::shared::KeepAlive;
use crate::sync::Mutex;

/// The pending changes of one handler.
pub(crate) struct Mailbox<E> {
    name: String,
    state: Mutex<MailboxState<E>>,
    changed: Notify,
    synced: SetOnce<()>,
    ended: SetOnce<()>,
}

struct MailboxState<E> {
    /// The pending keys, by the number of the change that came first.
    order: BTreeMap<u64, Arc<str>>,
    pending: HashMap<Arc<str>, Pending<E>, foldhash::fast::RandomState>,
    next_number: u64,
    phase: Phase,
    initial_pending: usize,
    is_initial_complete: bool,
    delivered: u64,
    merged: u64,
    panics: u64,
    /// Keeps the collection running while the handler is registered.
    keep_alive: Option<Arc<KeepAlive>>,
}

struct Pending<E> {
    number: u64,
    old: Option<Value<E>>,
    new: Option<Value<E>>,
    is_initial: bool,
    since: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    /// Takes nothing in; what is pending is delivered.
    Draining,
    Closed,
}

/// The statistics of one handler of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectionHandlerStats {
    /// Its name.
    pub name: String,
    /// Whether it has returned from every initial addition.
    pub is_synced: bool,
    /// Pending notifications.
    pub backlog: usize,
    /// How long the oldest pending notification has waited.
    pub lag: Duration,
    /// Notifications that it has received.
    pub delivered: u64,
    /// Changes that were merged into pending ones of the same key.
    pub merged: u64,
    /// Panics of the handler.
    pub panics: u64,
}

impl<E> Mailbox<E> {
    pub(crate) fn new(name: String, keep_alive: Option<Arc<KeepAlive>>) -> Self {
        Mailbox {
            name,
            state: Mutex::new(MailboxState {
                order: BTreeMap::new(),
                pending: HashMap::default(),
                next_number: 0,
                phase: Phase::Open,
                initial_pending: 0,
                is_initial_complete: false,
                delivered: 0,
                merged: 0,
                panics: 0,
                keep_alive,
            }),
            changed: Notify::new(),
            synced: SetOnce::new(),
            ended: SetOnce::new(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state.lock().phase == Phase::Open
    }

    /// Takes no more changes. Pending ones are delivered.
    pub(crate) fn drain(&self) {
        let mut state = self.state.lock();
        if state.phase == Phase::Open {
            state.phase = Phase::Draining;
        }
        let keep_alive = state.keep_alive.take();
        drop(state);
        // Never under the lock: dropping the last one wakes the task, and may drop user code.
        drop(keep_alive);
        self.changed.notify_one();
    }

    /// Drops pending changes, and ends.
    pub(crate) fn end(&self) {
        let mut state = self.state.lock();
        state.phase = Phase::Closed;
        let dropped =
            (std::mem::take(&mut state.pending), std::mem::take(&mut state.order), state.keep_alive.take());
        drop(state);
        drop(dropped);
        let _ = self.ended.set(());
        self.changed.notify_one();
    }

    pub(crate) fn initial_complete(&self) {
        let mut state = self.state.lock();
        state.is_initial_complete = true;
        self.check_synced(&state);
    }

    fn check_synced(&self, state: &MailboxState<E>) {
        if state.is_initial_complete && state.initial_pending == 0 {
            let _ = self.synced.set(());
        }
    }

    pub(crate) fn is_synced(&self) -> bool {
        self.synced.initialized()
    }

    /// Waits until the handler is synced or ended, and returns whether it is synced.
    pub(crate) async fn synced(&self) -> bool {
        tokio::select! {
            biased;
            _ = self.synced.wait() => {}
            _ = self.ended.wait() => {}
        }
        self.is_synced()
    }

    pub(crate) async fn ended(&self) {
        self.ended.wait().await;
    }

    /// Records that the handler has returned from a call.
    pub(crate) fn handled(&self, was_initial: bool, has_panicked: bool) {
        let mut state = self.state.lock();
        state.delivered += 1;
        state.panics += u64::from(has_panicked);
        state.initial_pending -= usize::from(was_initial);
        self.check_synced(&state);
    }

    pub(crate) fn stats(&self) -> CollectionHandlerStats {
        let state = self.state.lock();
        let oldest = state.order.first_key_value().and_then(|(_, key)| state.pending.get(key));
        CollectionHandlerStats {
            name: self.name.clone(),
            is_synced: self.is_synced(),
            backlog: state.pending.len(),
            lag: oldest.map_or(Duration::ZERO, |oldest| oldest.since.elapsed()),
            delivered: state.delivered,
            merged: state.merged,
            panics: state.panics,
        }
    }
}

impl<E: Element> Mailbox<E> {
    /// Puts changes in: key, old and new value.
    pub(crate) fn push(
        &self,
        changes: impl Iterator<Item = (Arc<str>, Option<Value<E>>, Option<Value<E>>)>,
        is_initial: bool,
        now: Instant,
    ) {
        let mut dropped = Vec::new();
        let mut state = self.state.lock();
        if state.phase != Phase::Open {
            return;
        }
        for (key, old, new) in changes {
            dropped.extend(state.push(key, old, new, is_initial, now));
        }
        self.check_synced(&state);
        drop(state);
        // Not under the lock: values are user code.
        drop(dropped);
        self.changed.notify_one();
    }

    /// Waits for the next notification. `None` when the mailbox has ended.
    pub(crate) async fn next(&self) -> Option<CollectionNotification<E>> {
        loop {
            // Created before the check, so that a change that is put in after the check wakes this task.
            let changed = self.changed.notified();
            match self.state.lock().pop() {
                Popped::Notification(notification) => return Some(notification),
                Popped::End => return None,
                Popped::Empty => {}
            }
            changed.await;
        }
    }

    pub(crate) fn pop(&self) -> Popped<E> {
        self.state.lock().pop()
    }
}

pub(crate) enum Popped<E> {
    Notification(CollectionNotification<E>),
    Empty,
    End,
}

impl<E: Element> MailboxState<E> {
    /// Adds one change. Returns what it no longer needs.
    fn push(
        &mut self,
        key: Arc<str>,
        old: Option<Value<E>>,
        new: Option<Value<E>>,
        is_initial: bool,
        now: Instant,
    ) -> Option<Value<E>> {
        let Some(pending) = self.pending.get_mut(&key) else {
            let number = self.next_number;
            self.next_number += 1;
            self.initial_pending += usize::from(is_initial);
            self.order.insert(number, Arc::clone(&key));
            self.pending.insert(key, Pending { number, old, new, is_initial, since: now });
            return None;
        };
        self.merged += 1;
        let replaced = std::mem::replace(&mut pending.new, new);
        if pending.old == pending.new {
            // The handler already knows this state, or never knew the key.
            let gone = self.pending.remove(&key)?;
            self.order.remove(&gone.number);
            self.initial_pending -= usize::from(gone.is_initial);
        }
        replaced
    }

    fn pop(&mut self) -> Popped<E> {
        if self.phase == Phase::Closed {
            return Popped::End;
        }
        let next = self.order.pop_first().and_then(|(_, key)| self.pending.remove(&key));
        match next {
            Some(Pending { old, new, is_initial, .. }) => {
                if self.pending.is_empty() && self.pending.capacity() > 1024 {
                    self.pending = HashMap::default();
                }
                match CollectionNotification::of(old, new, is_initial) {
                    Some(notification) => Popped::Notification(notification),
                    None => Popped::Empty,
                }
            }
            None if self.phase == Phase::Draining => Popped::End,
            None => Popped::Empty,
        }
    }
}
