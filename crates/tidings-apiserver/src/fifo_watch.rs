//! A watch channel (as `tokio::sync::watch`) that wakes its waiters in the order in which they began to wait.
//!
//! tokio's `watch` spreads its waiters over several lists at random, so their order differs from run to run. Then a
//! simulation could not be repeated from its seed.

use std::pin::pin;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::sync::Mutex;

/// Changes the value.
#[derive(Debug)]
pub(crate) struct Sender<T>(Arc<Channel<T>>);

/// Waits for changes of the value.
#[derive(Clone, Debug)]
pub(crate) struct Receiver<T> {
    shared: Arc<Channel<T>>,
    /// The number of the last change that this receiver has seen.
    seen: u64,
}

#[derive(Debug)]
struct Channel<T> {
    state: Mutex<ChannelState<T>>,
    changed: Notify,
}

#[derive(Debug)]
struct ChannelState<T> {
    value: T,
    changes: u64,
}

impl<T> Sender<T> {
    pub(crate) fn new(value: T) -> Self {
        let state = Mutex::new(ChannelState { value, changes: 0 });
        Sender(Arc::new(Channel { state, changed: Notify::new() }))
    }

    /// A receiver that waits for changes after this call.
    pub(crate) fn subscribe(&self) -> Receiver<T> {
        Receiver { shared: Arc::clone(&self.0), seen: self.0.state.lock().changes }
    }

    /// Changes the value and wakes all waiters.
    pub(crate) fn modify(&self, change: impl FnOnce(&mut T)) {
        let mut state = self.0.state.lock();
        change(&mut state.value);
        state.changes += 1;
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Sets the value and wakes all waiters.
    pub(crate) fn send(&self, value: T) {
        self.modify(|now| *now = value);
    }
}

impl<T> Receiver<T> {
    /// Whether the value changed since the last change that this receiver has seen.
    pub(crate) fn has_changed(&self) -> bool {
        self.shared.state.lock().changes != self.seen
    }

    /// Marks the last change as seen.
    pub(crate) fn mark_seen(&mut self) {
        self.seen = self.shared.state.lock().changes;
    }

    /// Waits for a change after the last one seen. Returns at once if there was one before the call.
    pub(crate) async fn changed(&mut self) {
        self.wait_until(|state, seen| state.changes != seen).await;
    }

    /// Waits until the value satisfies `is_wanted`.
    pub(crate) async fn wait_for(&mut self, is_wanted: impl Fn(&T) -> bool) {
        self.wait_until(|state, _| is_wanted(&state.value)).await;
    }

    async fn wait_until(&mut self, is_reached: impl Fn(&ChannelState<T>, u64) -> bool) {
        loop {
            // Registers before it reads the value. A change after the read then wakes this waiter, so none is lost.
            let mut changed = pin!(self.shared.changed.notified());
            changed.as_mut().enable();
            {
                let state = self.shared.state.lock();
                if is_reached(&state, self.seen) {
                    self.seen = state.changes;
                    return;
                }
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::task::JoinSet;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiters_are_woken_in_the_order_in_which_they_began_to_wait() {
        let sender = Sender::new(0);
        let woken: Arc<Mutex<Vec<usize>>> = Arc::default();
        let mut tasks = JoinSet::new();
        for number in 0..50 {
            let (mut receiver, woken) = (sender.subscribe(), Arc::clone(&woken));
            tasks.spawn(async move {
                receiver.changed().await;
                woken.lock().push(number);
            });
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        sender.send(1);
        tasks.join_all().await;
        assert_eq!(*woken.lock(), (0..50).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_before_the_wait_is_seen_once() {
        let sender = Sender::new(0);
        let mut receiver = sender.subscribe();
        assert!(!receiver.has_changed());
        sender.send(1);
        assert!(receiver.has_changed());
        receiver.changed().await;
        assert!(!receiver.has_changed());
        receiver.wait_for(|value| *value == 1).await;
    }
}
