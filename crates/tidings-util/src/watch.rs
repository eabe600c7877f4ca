//! A watch channel (as `tokio::sync::watch`) that wakes its waiters in the order in which they began to wait.
//!
//! tokio's `watch` spreads its waiters over eight lists at random, so their order differs from run to run. Then a
//! simulation could not be repeated from its seed. One list also costs less when few tasks wait, which is the usual case
//! here: tokio takes eight locks for each change.
//!
//! The names and meanings are those of tokio. As there, a [`Ref`] holds a lock: never keep one across an await, and never
//! borrow twice in one expression.

use std::error::Error;
use std::fmt;
use std::pin::pin;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::sync::{AtomicUsize, MappedReadGuard, Ordering, ReadGuard, RwLock};

/// Changes the value. The channel closes when it is dropped.
pub struct Sender<T>(Arc<Channel<T>>);

/// Waits for changes of the value.
pub struct Receiver<T> {
    shared: Arc<Channel<T>>,
    /// The number of the last change that this receiver has seen.
    seen: u64,
}

/// The value, locked for reading.
pub type Ref<'a, T> = MappedReadGuard<'a, T>;

/// The sender is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

struct Channel<T> {
    state: RwLock<State<T>>,
    changed: Notify,
    receivers: AtomicUsize,
}

struct State<T> {
    value: T,
    changes: u64,
    is_closed: bool,
}

impl<T> Sender<T> {
    /// A channel with this first value.
    pub fn new(value: T) -> Self {
        let state = RwLock::new(State { value, changes: 0, is_closed: false });
        Sender(Arc::new(Channel { state, changed: Notify::new(), receivers: AtomicUsize::new(0) }))
    }

    /// A receiver that waits for changes after this call.
    pub fn subscribe(&self) -> Receiver<T> {
        self.0.receivers.fetch_add(1, Ordering::Relaxed);
        Receiver { shared: Arc::clone(&self.0), seen: self.0.state.read().changes }
    }

    /// The number of receivers.
    pub fn receiver_count(&self) -> usize {
        self.0.receivers.load(Ordering::Relaxed)
    }

    /// The value.
    pub fn borrow(&self) -> Ref<'_, T> {
        self.0.borrow()
    }

    /// Changes the value and wakes all waiters.
    pub fn send_modify(&self, change: impl FnOnce(&mut T)) {
        self.send_if_modified(|value| {
            change(value);
            true
        });
    }

    /// Changes the value, and wakes all waiters if the function returns true.
    pub fn send_if_modified(&self, change: impl FnOnce(&mut T) -> bool) -> bool {
        let mut state = self.0.state.write();
        if !change(&mut state.value) {
            return false;
        }
        state.changes += 1;
        drop(state);
        self.0.changed.notify_waiters();
        true
    }

    /// Sets the value, wakes all waiters, and returns the value of before.
    pub fn send_replace(&self, value: T) -> T {
        let mut before = value;
        self.send_modify(|now| std::mem::swap(now, &mut before));
        before
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.state.write().is_closed = true;
        self.0.changed.notify_waiters();
    }
}

impl<T> Receiver<T> {
    /// The value. Its change counts as seen only if it did before.
    pub fn borrow(&self) -> Ref<'_, T> {
        self.shared.borrow()
    }

    /// The value. Its change counts as seen.
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let state = self.shared.state.read();
        self.seen = state.changes;
        ReadGuard::map(state, |state| &state.value)
    }

    /// Whether the value changed since the last change that this receiver has seen.
    pub fn has_changed(&self) -> bool {
        self.shared.state.read().changes != self.seen
    }

    /// Marks the last change as seen.
    pub fn mark_unchanged(&mut self) {
        self.seen = self.shared.state.read().changes;
    }

    /// Waits for a change after the last one seen. Returns at once if there was one before the call.
    pub async fn changed(&mut self) -> Result<(), Closed> {
        let seen = self.seen;
        self.wait_until(|state| state.changes != seen).await.map(drop)
    }

    /// Waits until the value satisfies `is_wanted`, which may be at once.
    pub async fn wait_for(&mut self, is_wanted: impl Fn(&T) -> bool) -> Result<Ref<'_, T>, Closed> {
        self.wait_until(|state| is_wanted(&state.value)).await
    }

    async fn wait_until(&mut self, is_reached: impl Fn(&State<T>) -> bool) -> Result<Ref<'_, T>, Closed> {
        let Receiver { shared, seen } = self;
        loop {
            // Registers before it reads the value. A change after the read then wakes this waiter, so none is lost.
            let mut changed = pin!(shared.changed.notified());
            changed.as_mut().enable();
            {
                let state = shared.state.read();
                if is_reached(&state) {
                    *seen = state.changes;
                    return Ok(ReadGuard::map(state, |state| &state.value));
                }
                if state.is_closed {
                    return Err(Closed);
                }
            }
            changed.await;
        }
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.shared.receivers.fetch_add(1, Ordering::Relaxed);
        Receiver { shared: Arc::clone(&self.shared), seen: self.seen }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.shared.receivers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<T> Channel<T> {
    fn borrow(&self) -> Ref<'_, T> {
        ReadGuard::map(self.state.read(), |state| &state.value)
    }
}

impl<T: fmt::Debug> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sender").field(&*self.borrow()).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Receiver").field(&*self.borrow()).finish()
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sender of the channel is gone")
    }
}

impl Error for Closed {}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::task::JoinSet;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiters_are_woken_in_the_order_in_which_they_began_to_wait() {
        let sender = Sender::new(0);
        let woken: Arc<RwLock<Vec<usize>>> = Arc::new(RwLock::new(Vec::new()));
        let mut tasks = JoinSet::new();
        for number in 0..50 {
            let (mut receiver, woken) = (sender.subscribe(), Arc::clone(&woken));
            tasks.spawn(async move {
                receiver.changed().await.unwrap();
                woken.write().push(number);
            });
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        sender.send_replace(1);
        tasks.join_all().await;
        assert_eq!(*woken.read(), (0..50).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_before_the_wait_is_seen_once() {
        let sender = Sender::new(0);
        let mut receiver = sender.subscribe();
        assert!(!receiver.has_changed());
        sender.send_replace(1);
        assert!(receiver.has_changed());
        receiver.changed().await.unwrap();
        assert!(!receiver.has_changed());
        assert_eq!(*receiver.wait_for(|value| *value == 1).await.unwrap(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_that_is_none_wakes_nobody_and_a_borrow_counts_as_seen_if_it_says_so() {
        let sender = Sender::new(0);
        let mut receiver = sender.subscribe();
        assert!(!sender.send_if_modified(|value| {
            *value = 5;
            false
        }));
        assert!(!receiver.has_changed());
        assert_eq!(*receiver.borrow(), 5);
        sender.send_modify(|value| *value += 1);
        assert_eq!(*receiver.borrow(), 6);
        assert!(receiver.has_changed());
        assert_eq!(*receiver.borrow_and_update(), 6);
        assert!(!receiver.has_changed());
    }

    #[tokio::test(start_paused = true)]
    async fn receivers_are_counted_and_a_dropped_sender_ends_their_waits() {
        let sender = Sender::new(0);
        let mut receiver = sender.subscribe();
        let clone = receiver.clone();
        assert_eq!(sender.receiver_count(), 2);
        drop(clone);
        assert_eq!(sender.receiver_count(), 1);
        sender.send_replace(1);
        drop(sender);
        assert_eq!(receiver.changed().await, Ok(()), "the last change is seen before the end");
        assert_eq!(receiver.changed().await, Err(Closed));
        assert!(receiver.wait_for(|value| *value == 2).await.is_err());
    }
}
