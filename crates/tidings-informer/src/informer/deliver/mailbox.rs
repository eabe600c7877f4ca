//! One handler's end of the informer: a mailbox that the informer writes into and one task, or stream, that
//! empties it. A slow handler fills its own mailbox and nobody else's; a subscriber slows its informer instead (`inline`).

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

/// What the informer writes notifications into, for one handler.
pub(crate) struct Mailbox {
    name: String,
    /// When this handler wants everything told again.
    resync: Option<Duration>,
    /// A subscriber's: nothing merges.
    caller_runs: Option<CallerRuns>,
    state: Mutex<State>,
    /// Something can be taken out, or the mailbox was closed.
    arrived: Notify,
    synced: SetOnce<()>,
    ended: SetOnce<()>,
}

struct State {
    backlog: Backlog,
    phase: MailboxPhase,
    /// Initial additions that are pending or being handled.
    initial_pending: usize,
    /// Whether every initial addition has been put in.
    is_initial_complete: bool,
    delivered: u64,
    dropped: u64,
    panics: u64,
    /// The thread on which the handler's own task is calling it.
    called_on: Option<ThreadId>,
    /// The thread on which the informer's task is calling it.
    inline_on: Option<ThreadId>,
    inline_calls: u64,
    /// For calls by the informer's task.
    subscriber: Option<SharedCallback>,
    /// The handler's own task, or stream, has ended. The mailbox has when no inline call is left either.
    has_handler_ended: bool,
    /// A handler that is registered keeps its informer alive.
    keep_alive: Option<Arc<KeepAlive>>,
}

/// What happens at a mailbox's bound.
pub(crate) enum Overflow {
    /// Pending notifications of one object merge above so many.
    Merge(usize),
    /// The informer's task makes the oldest pending call itself.
    CallerRuns(SharedCallback, CallerRuns),
}

/// What the informer's task needs to make calls itself.
pub(crate) struct CallerRuns {
    /// Above how many pending notifications it does.
    pub(crate) above: usize,
    pub(crate) reporter: Arc<FaultReporter>,
    /// Once cancelled, it makes none.
    pub(crate) stop: CancellationToken,
}

/// Whether, and how, a mailbox is on its way to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MailboxPhase {
    Open,
    /// What is pending is still delivered.
    Draining,
    /// Nothing more is delivered.
    Closed,
}

/// The figures of one handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerStats {
    /// Its name.
    pub name: String,
    /// Whether it has been told everything that was there at first.
    pub is_synced: bool,
    /// How many notifications wait for it.
    pub backlog: usize,
    /// Bytes of its backlog, the objects apart.
    pub backlog_bytes: usize,
    /// How long the oldest has waited.
    pub lag: Duration,
    /// How many it was given.
    pub delivered: u64,
    /// How many were merged into others because it was slow.
    pub merged: u64,
    /// How many of its calls the informer's task made itself because it was slow: subscribers only.
    pub inline_calls: u64,
    /// How many were dropped when it was removed or its informer stopped.
    pub dropped: u64,
    /// How often it panicked.
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
            state: Mutex::new(State {
                backlog: Backlog::new(merge_above),
                phase: MailboxPhase::Open,
                initial_pending: 0,
                is_initial_complete: false,
                delivered: 0,
                dropped: 0,
                panics: 0,
                called_on: None,
                inline_on: None,
                inline_calls: 0,
                subscriber,
                has_handler_ended: false,
                keep_alive,
            }),
            arrived: Notify::new(),
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

    /// Whether nothing of it is ever merged.
    pub(crate) fn is_subscriber(&self) -> bool {
        self.caller_runs.is_some()
    }

    /// Every initial addition has been put in.
    pub(crate) fn initial_complete(&self) {
        let mut state = self.state.lock();
        state.is_initial_complete = true;
        self.check_synced(&state);
    }

    fn check_synced(&self, state: &State) {
        if state.is_initial_complete && state.initial_pending == 0 && !self.synced.initialized() {
            // Only one of several racing threads sets it; which one does not matter.
            let _ = self.synced.set(());
        }
    }

    /// Takes no more in; what is pending is delivered.
    pub(crate) fn drain(&self) {
        let mut state = self.state.lock();
        if state.phase == MailboxPhase::Open {
            state.phase = MailboxPhase::Draining;
        }
        let keep_alive = state.keep_alive.take();
        drop(state);
        // Never under the lock: the last one to go stops the informer.
        drop(keep_alive);
        self.arrived.notify_one();
    }

    /// Takes no more in and drops what is pending.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.phase = MailboxPhase::Closed;
        let dropped = state.backlog.clear() as u64;
        state.dropped += dropped;
        let released = (state.keep_alive.take(), state.subscriber.take());
        drop(state);
        drop(released);
        self.arrived.notify_one();
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state.lock().phase == MailboxPhase::Open
    }

    /// The next notification; `None` when the mailbox is closed, or drained.
    pub(crate) async fn next(&self) -> Option<RawNotification> {
        self.next_by(State::take).await
    }

    /// The next notification, for which the handler is about to be called on this thread.
    async fn next_call(&self) -> Option<RawNotification> {
        self.next_by(|state| {
            let taken = state.take();
            if matches!(taken, Popped::Some(_)) {
                state.called_on = Some(current_thread().id());
            }
            taken
        })
        .await
    }

    async fn next_by(&self, take: impl Fn(&mut State) -> Popped) -> Option<RawNotification> {
        loop {
            // Made before looking: an arrival between the look and the wait is not missed.
            let arrived = self.arrived.notified();
            let taken = take(&mut self.state.lock());
            match taken {
                Popped::Some(notification) => return Some(notification),
                Popped::End => return None,
                Popped::Nothing => arrived.await,
            }
        }
    }

    pub(crate) fn take(&self) -> Popped {
        self.state.lock().take()
    }

    /// Reports the panic of a call. The call is lost.
    fn outcome(&self, returned: Result<(), HandlerPanic>, reporter: &FaultReporter) -> CallOutcome {
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

    /// The handler has returned from a notification.
    pub(crate) fn handled(&self, was_initial: bool, outcome: CallOutcome) {
        let mut state = self.state.lock();
        state.called_on = None;
        self.count(&mut state, was_initial, outcome);
    }

    fn count(&self, state: &mut State, was_initial: bool, outcome: CallOutcome) {
        state.delivered += 1;
        state.panics += u64::from(outcome == CallOutcome::Panicked);
        if was_initial {
            state.initial_pending -= 1;
            self.check_synced(state);
        }
    }

    /// The handler's own task, or stream, has ended. If the informer's task is calling a subscriber, that call is the last,
    /// and the mailbox deleted_at with it.
    pub(crate) fn end(&self) {
        self.close();
        let mut state = self.state.lock();
        state.has_handler_ended = true;
        let is_called_inline = state.inline_on.is_some();
        drop(state);
        if !is_called_inline {
            let _ = self.ended.set(());
        }
    }

    /// Waits until the handler has returned from its last call and is gone. Inside that call there is nothing
    /// to wait for: it would wait for itself.
    pub(crate) async fn ended(&self) {
        let here = Some(current_thread().id());
        let is_inside = {
            let state = self.state.lock();
            state.called_on == here || state.inline_on == here
        };
        if !is_inside {
            self.ended.wait().await;
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.initialized()
    }

    /// Waits until it is synced; says whether it is, for it may end before.
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

impl State {
    fn take(&mut self) -> Popped {
        if self.phase == MailboxPhase::Closed {
            return Popped::End;
        }
        match self.backlog.pop() {
            Some(entry) => Popped::Some(entry.notification),
            None if self.phase == MailboxPhase::Draining => Popped::End,
            None => Popped::Nothing,
        }
    }
}

pub(crate) enum Popped {
    Some(RawNotification),
    Nothing,
    End,
}

/// How many calls of a handler cost its task one unit of its budget: few, for nobody knows how long a call takes.
const CALLS_PER_UNIT: u8 = 2;

/// How a handler returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    Returned,
    Panicked,
}

/// TaskSignals a handler with everything that comes into its mailbox, one at a time and in order. After a panic the next
/// notification follows at once.
pub(crate) async fn run_handler(mailbox: Arc<Mailbox>, callback: Callback, reporter: Arc<FaultReporter>) {
    let _end = EndOnDrop(&mailbox);
    // Declared after the end, so that it is gone before: whoever waits for the end finds nothing of it left.
    let mut callback = callback;
    let mut coop_budget = CoopBudget::<CALLS_PER_UNIT>::default();
    while let Some(notification) = mailbox.next_call().await {
        let was_initial = notification.is_initial();
        let outcome = mailbox.outcome(callback(notification), &reporter);
        mailbox.handled(was_initial, outcome);
        // A handler that never waits must not keep its thread from others for ever.
        coop_budget.step().await;
    }
    mailbox.drop_caught(callback, &reporter);
}

/// An aborted listener has ended as well.
struct EndOnDrop<'a>(&'a Mailbox);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
