//! What every collection has: its working state, the changes of the round, the mailboxes of its handlers, and the
//! subscribers to its keys.
//!
//! In the round in which a collection syncs it has no changes. The collections above it are built from its whole state
//! in the same round, and its handlers receive the whole state as initial additions.

use std::any::Any;
use std::sync::Arc;

use foldhash::fast::FixedState;
use tidings_informer::KeyChange;
use tokio::time::Instant;

use crate::change::Change;
use crate::element::{Element, Value};
use crate::keys::KeyReceiver;
use crate::mailbox::Mailbox;
use crate::node::AnyTable;
use crate::shared::NodeShared;
use crate::table::{IndexSpec, Table};

pub(crate) struct Output<E: Element> {
    pub(crate) shared: Arc<NodeShared>,
    pub(crate) table: Table<E>,
    /// Sorted by key when the work of the round is done.
    pub(crate) changes: Vec<Change<E>>,
    pub(crate) is_synced: bool,
    /// Whether the table has something that is not published.
    is_dirty: bool,
    mailboxes: Vec<Arc<Mailbox<E>>>,
    key_receivers: Vec<Arc<KeyReceiver>>,
}

impl<E: Element> Output<E> {
    pub(crate) fn new(shared: Arc<NodeShared>, table: Table<E>) -> Self {
        Output {
            shared,
            table,
            changes: Vec::new(),
            is_synced: false,
            is_dirty: true,
            mailboxes: Vec::new(),
            key_receivers: Vec::new(),
        }
    }

    pub(crate) fn hasher(seed: u64) -> FixedState {
        FixedState::with_seed(seed)
    }

    pub(crate) fn add_index(&mut self, spec: Box<dyn Any + Send>) {
        if let Ok(spec) = spec.downcast::<Arc<IndexSpec<E>>>() {
            self.table.add_index(*spec);
            self.is_dirty = true;
        }
    }

    pub(crate) fn drop_unused_indexes(&mut self) {
        self.is_dirty |= self.table.drop_unused_indexes();
    }

    pub(crate) fn add_receiver(&mut self, receiver: Box<dyn Any + Send>, now: Instant) {
        match receiver.downcast::<Arc<Mailbox<E>>>() {
            Ok(mailbox) => {
                if self.is_synced {
                    self.push_initial(&mailbox, now);
                }
                self.mailboxes.push(*mailbox);
            }
            Err(other) => {
                let Ok(subscriber) = other.downcast::<Arc<KeyReceiver>>() else { return };
                if self.is_synced {
                    self.push_initial_keys(&subscriber);
                }
                self.key_receivers.push(*subscriber);
            }
        }
    }

    fn push_initial(&self, mailbox: &Mailbox<E>, now: Instant) {
        mailbox.push(initial(&self.table), true, now);
        mailbox.initial_complete();
    }

    fn push_initial_keys(&self, subscriber: &KeyReceiver) {
        let mut keys = self.table.keys();
        keys.sort_unstable();
        subscriber.push(keys.iter().map(|key| (&**key, KeyChange::Initial)), &self.shared);
        subscriber.initial_complete();
    }

    /// Marks that the state is complete for the first time.
    pub(crate) fn set_synced(&mut self) {
        self.is_synced = true;
        self.is_dirty = true;
        self.changes.clear();
    }

    /// Applies a change to the table, and remembers it for the collections above and the handlers.
    pub(crate) fn change(&mut self, key: Arc<str>, old: Option<Value<E>>, new: Option<Value<E>>) {
        self.table.set(&key, new.as_ref());
        self.changed(key, old, new);
    }

    /// As `change`, if the value differs from the one that is there.
    pub(crate) fn replace(&mut self, key: Arc<str>, new: Option<Value<E>>) {
        let old = self.table.set(&key, new.as_ref());
        if old != new {
            self.changed(key, old, new);
        }
    }

    fn changed(&mut self, key: Arc<str>, old: Option<Value<E>>, new: Option<Value<E>>) {
        let indexes = self.table.change_indexes(&key, old.as_ref(), new.as_ref());
        self.is_dirty = true;
        if self.is_synced {
            self.changes.push(Change { indexes, ..Change::new(key, old, new) });
        }
    }

    pub(crate) fn set_dirty(&mut self) {
        self.is_dirty = true;
    }

    pub(crate) fn publish(&mut self) -> Option<AnyTable> {
        (self.is_synced && std::mem::take(&mut self.is_dirty))
            .then(|| Arc::new(self.table.clone()) as AnyTable)
    }

    /// Delivers the changes of the round, after they were published.
    pub(crate) fn deliver(&mut self, now: Instant) {
        let is_first = self.is_synced && !self.shared.is_synced();
        self.mailboxes.retain(|mailbox| mailbox.is_open());
        for mailbox in &self.mailboxes {
            if is_first {
                self.push_initial(mailbox, now);
            } else {
                let changes = self.changes.iter();
                let changes = changes.map(|one| (Arc::clone(&one.key), one.old.clone(), one.new.clone()));
                mailbox.push(changes, false, now);
            }
        }
        self.key_receivers.retain(|subscriber| subscriber.is_open());
        for subscriber in &self.key_receivers {
            if is_first {
                self.push_initial_keys(subscriber);
            } else {
                let changes = self.changes.iter().map(|one| (&*one.key, one.key_change()));
                subscriber.push(changes, &self.shared);
            }
        }
        if is_first {
            self.shared.set_synced();
        }
        self.changes.clear();
        self.changes.shrink_to(1024);
    }
}

/// All values as additions, by key.
fn initial<E: Element>(
    table: &Table<E>,
) -> impl Iterator<Item = (Arc<str>, Option<Value<E>>, Option<Value<E>>)> + use<E> {
    let mut rows: Vec<_> = table.list().into_iter().map(|row| (row.shared_key(), row)).collect();
    rows.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    rows.into_iter().map(|(key, row)| (key, None, Some(row)))
}

impl<E: Element> Drop for Output<E> {
    /// The last user of the collection is gone, or its graph has stopped. Pending notifications are delivered.
    fn drop(&mut self) {
        for mailbox in &self.mailboxes {
            mailbox.drain();
        }
    }
}

/// The methods of `AnyNode` that are the same for every collection: they pass through to `self.output`.
macro_rules! output_methods {
    () => {
        fn shared(&self) -> &Arc<NodeShared> {
            &self.output.shared
        }

        fn is_synced(&self) -> bool {
            self.output.is_synced
        }

        fn table(&self) -> &dyn Any {
            &self.output.table
        }

        fn keys(&self) -> Vec<Arc<str>> {
            self.output.table.keys()
        }

        fn index_values(&self, index: u32) -> Vec<Arc<str>> {
            self.output.table.index_values(index)
        }

        fn add_index(&mut self, spec: Box<dyn Any + Send>) {
            self.output.add_index(spec);
        }

        fn drop_unused_indexes(&mut self) {
            self.output.drop_unused_indexes();
        }

        fn add_label_index(&mut self, label: &str) {
            self.output.table.add_label_index(label);
        }

        fn add_receiver(&mut self, receiver: Box<dyn Any + Send>, now: Instant) {
            self.output.add_receiver(receiver, now);
        }

        fn change_count(&self) -> usize {
            self.output.changes.len()
        }

        fn change(&self, at: usize) -> &dyn AnyChange {
            &self.output.changes[at]
        }

        fn publish(&mut self) -> Option<AnyTable> {
            self.output.publish()
        }

        fn deliver(&mut self, now: Instant) {
            self.output.deliver(now);
        }
    };
}

pub(crate) use output_methods;
