//! The mailbox of one handler: the informer's task puts notifications in, and the handler's own task, or a stream,
//! takes them out. A slow handler fills only its own mailbox. A slow subscriber slows its informer instead (`inline`).

mod inline;

use std::sync::Arc;

use tidings_util::panic_message;
use tokio::sync::{Notify, SetOnce};
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

use crate::coop_budget::CoopBudget;
use crate::informer::deliver::backlog::Backlog;
use crate::informer::deliver::callback::{Callback, HandlerPanic, SharedCallback};
use crate::informer::handle::keep_alive::KeepAlive;
use crate::informer::notification::RawNotification;
use crate::informer::observe::fault::{FaultReporter, InformerFault};
use crate::sync::{Mutex, ThreadId, current_thread};

/// The bounded queue of one handler, with its state.
pub(crate) struct Mailbox {
    name: String,
    /// The resync period.
    resync: Option<Duration>,
    /// Set for subscribers, whose notifications do not merge.
    caller_runs: Option<CallerRuns>,
    state: Mutex<MailboxState>,
    /// A notification was put in, or the mailbox was closed.
    changed: Notify,
    synced: SetOnce<()>,
    ended: SetOnce<()>,
}

struct MailboxState {
    backlog: Backlog,
    phase: MailboxPhase,
    /// Initial additions that are pending, or in a call.
    initial_pending: usize,
    /// Whether every initial addition has been put in.
    is_initial_complete: bool,
    delivered: u64,
    dropped: u64,
    panics: u64,
    /// The thread on which the handler's own task is calling it.
    handler_thread: Option<ThreadId>,
    /// The thread on which the informer's task is calling it.
    inline_thread: Option<ThreadId>,
    inline_calls: u64,
    /// The code of a subscriber, for calls by the informer's task.
    subscriber: Option<SharedCallback>,
    /// Whether the handler's own task, or the stream, has ended. The mailbox ends when no inline call is left either.
    has_handler_ended: bool,
    /// Keeps the informer running while the handler is registered.
    keep_alive: Option<Arc<KeepAlive>>,
}

/// What happens when a mailbox is full.
pub(crate) enum Overflow {
    /// Above this number, the pending notifications of one object merge.
    Merge(usize),
    /// The informer's task makes the oldest pending call itself.
    CallerRuns(SharedCallback, CallerRuns),
}

/// What the informer's task needs to make calls itself.
pub(crate) struct CallerRuns {
    /// The number of pending notifications above which it does.
    pub(crate) above: usize,
    pub(crate) reporter: Arc<FaultReporter>,
    /// Once this is cancelled, it makes no calls.
    pub(crate) stop: CancellationToken,
}

/// A mailbox only moves forward through these phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MailboxPhase {
    Open,
    /// Takes nothing in. Pending notifications are still delivered.
    Draining,
    /// Takes nothing in and delivers nothing.
    Closed,
}

/// The statistics of one handler.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerStats {
    /// Its name.
    pub name: String,
    /// Whether it has returned from every initial addition.
    pub is_synced: bool,
    /// Pending notifications.
    pub backlog: usize,
    /// Bytes of the pending notifications, without the objects.
    pub backlog_bytes: usize,
    /// How long the oldest pending notification has waited.
    pub lag: Duration,
    /// Notifications that it has received.
    pub delivered: u64,
    /// Notifications that were merged into others because the handler is slow.
    pub merged: u64,
    /// Calls that the informer's task made itself because the subscriber is slow.
    pub inline_calls: u64,
    /// Notifications that were dropped when the handler was removed or its informer stopped.
    pub dropped: u64,
    /// Panics of the handler.
    pub panics: u64,
}

impl Mailbox {
    pub(crate) fn new(
        name: String,
        overflow: Overflow,
        resync: Option<Duration>,
        keep_alive: Option<Arc<KeepAlive>>,
    ) -> Self {
        let (merge_above, caller_runs, subscriber) = match overflow {
            Overflow::Merge(above) => (above, None, None),
            Overflow::CallerRuns(subscriber, caller_runs) => {
                (usize::MAX, Some(caller_runs), Some(subscriber))
            }
        };
        Mailbox {
            name,
            resync,
            caller_runs,
            state: Mutex::new(MailboxState {
                backlog: Backlog::new(merge_above),
                phase: MailboxPhase::Open,
                initial_pending: 0,
                is_initial_complete: false,
                delivered: 0,
                dropped: 0,
                panics: 0,
                handler_thread: None,
                inline_thread: None,
                inline_calls: 0,
                subscriber,
                has_handler_ended: false,
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

    pub(crate) fn resync(&self) -> Option<Duration> {
        self.resync
    }

    /// Whether its notifications never merge.
    pub(crate) fn is_subscriber(&self) -> bool {
        self.caller_runs.is_some()
    }

    /// Marks that every initial addition has been put in.
    pub(crate) fn initial_complete(&self) {
        let mut state = self.state.lock();
        state.is_initial_complete = true;
        self.check_synced(&state);
    }

    fn check_synced(&self, state: &MailboxState) {
        if state.is_initial_complete && state.initial_pending == 0 && !self.synced.initialized() {
            // If two threads race, one of them sets it. It does not matter which.
            let _ = self.synced.set(());
        }
    }

    /// Closes the mailbox for new notifications. Pending ones are delivered.
    pub(crate) fn drain(&self) {
        let mut state = self.state.lock();
        if state.phase == MailboxPhase::Open {
            state.phase = MailboxPhase::Draining;
        }
        let keep_alive = state.keep_alive.take();
        drop(state);
        // Never under the lock: dropping the last `KeepAlive` stops the informer.
        drop(keep_alive);
        self.changed.notify_one();
    }

    /// Closes the mailbox and drops pending notifications.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.phase = MailboxPhase::Closed;
        let dropped = state.backlog.clear() as u64;
        state.dropped += dropped;
        let released = (state.keep_alive.take(), state.subscriber.take());
        drop(state);
        drop(released);
        self.changed.notify_one();
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state.lock().phase == MailboxPhase::Open
    }

    /// Waits for the next notification. Returns `None` when the mailbox is closed or drained.
    pub(crate) async fn next(&self) -> Option<RawNotification> {
        self.next_by(MailboxState::pop).await
    }

    /// As `next`, and records that the handler is called on this thread.
    async fn next_call(&self) -> Option<RawNotification> {
        self.next_by(|state| {
            let popped = state.pop();
            if matches!(popped, Popped::Notification(_)) {
                state.handler_thread = Some(current_thread().id());
            }
            popped
        })
        .await
    }

    async fn next_by(&self, take: impl Fn(&mut MailboxState) -> Popped) -> Option<RawNotification> {
        loop {
            // Created before the check, so that a notification that is put in between the check and the wait wakes
            // this task.
            let changed = self.changed.notified();
            let popped = take(&mut self.state.lock());
            match popped {
                Popped::Notification(notification) => return Some(notification),
                Popped::End => return None,
                Popped::Empty => changed.await,
            }
        }
    }

    pub(crate) fn pop(&self) -> Popped {
        self.state.lock().pop()
    }

    /// Reports the panic of a call. The notification is lost to the handler.
    fn report_panic(&self, returned: Result<(), HandlerPanic>, reporter: &FaultReporter) -> CallOutcome {
        let Err(HandlerPanic { key, message }) = returned else { return CallOutcome::Returned };
        reporter.report(&InformerFault::HandlerPanicked { handler: self.name.clone(), key, message });
        CallOutcome::Panicked
    }

    /// Drops user code, whose `Drop` may panic.
    fn drop_caught(&self, owned: impl Send, reporter: &FaultReporter) {
        if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || drop(owned))) {
            let (key, message) = ("its end".to_owned(), panic_message(&*panic));
            reporter.report(&InformerFault::HandlerPanicked { handler: self.name.clone(), key, message });
        }
    }

    /// Records that the handler has returned from a call.
    pub(crate) fn handled(&self, was_initial: bool, outcome: CallOutcome) {
        let mut state = self.state.lock();
        state.handler_thread = None;
        self.count(&mut state, was_initial, outcome);
    }

    fn count(&self, state: &mut MailboxState, was_initial: bool, outcome: CallOutcome) {
        state.delivered += 1;
        state.panics += u64::from(outcome == CallOutcome::Panicked);
        if was_initial {
            state.initial_pending -= 1;
            self.check_synced(state);
        }
    }

    /// Records that the handler's own task, or the stream, has ended. If the informer's task is in a call of a
    /// subscriber, that call is the last one, and the mailbox ends after it.
    pub(crate) fn end(&self) {
        self.close();
        let mut state = self.state.lock();
        state.has_handler_ended = true;
        let is_called_inline = state.inline_thread.is_some();
        drop(state);
        if !is_called_inline {
            let _ = self.ended.set(());
        }
    }

    /// Waits until the handler has returned from its last call and is dropped. Returns at once inside a call of the
    /// handler, which would otherwise wait for itself.
    pub(crate) async fn ended(&self) {
        let here = Some(current_thread().id());
        let is_inside = {
            let state = self.state.lock();
            state.handler_thread == here || state.inline_thread == here
        };
        if !is_inside {
            self.ended.wait().await;
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.initialized()
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

    pub(crate) fn is_synced(&self) -> bool {
        self.synced.initialized()
    }

    pub(crate) fn stats(&self) -> HandlerStats {
        let state = self.state.lock();
        HandlerStats {
            name: self.name.clone(),
            is_synced: self.is_synced(),
            backlog: state.backlog.len(),
            backlog_bytes: state.backlog.memory_bytes(),
            lag: state.backlog.oldest_since().map_or(Duration::ZERO, |since| since.elapsed()),
            delivered: state.delivered,
            merged: state.backlog.merges(),
            inline_calls: state.inline_calls,
            dropped: state.dropped,
            panics: state.panics,
        }
    }
}

impl MailboxState {
    fn pop(&mut self) -> Popped {
        if self.phase == MailboxPhase::Closed {
            return Popped::End;
        }
        match self.backlog.pop() {
            Some(entry) => Popped::Notification(entry.notification),
            None if self.phase == MailboxPhase::Draining => Popped::End,
            None => Popped::Empty,
        }
    }
}

pub(crate) enum Popped {
    Notification(RawNotification),
    Empty,
    End,
}

/// Calls of a handler per unit of its task's cooperative budget. The number is small, because a call may take long.
const CALLS_PER_UNIT: u8 = 2;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    Returned,
    Panicked,
}

/// The task of a handler: calls it with each notification of its mailbox, one at a time and in order. After a panic it
/// continues with the next notification.
pub(crate) async fn run_handler(mailbox: Arc<Mailbox>, callback: Callback, reporter: Arc<FaultReporter>) {
    let _end = EndMailboxOnDrop(&mailbox);
    // Declared after `_end`, so that it is dropped first: user code is gone when the waiters for the end wake up.
    let mut callback = callback;
    let mut coop_budget = CoopBudget::<CALLS_PER_UNIT>::default();
    while let Some(notification) = mailbox.next_call().await {
        let was_initial = notification.is_initial();
        let outcome = mailbox.report_panic(callback(notification), &reporter);
        mailbox.handled(was_initial, outcome);
        // The mailbox may never be empty, so this task must yield now and then.
        coop_budget.step().await;
    }
    mailbox.drop_caught(callback, &reporter);
}

/// Ends the mailbox also when the task is aborted.
struct EndMailboxOnDrop<'a>(&'a Mailbox);

impl Drop for EndMailboxOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
