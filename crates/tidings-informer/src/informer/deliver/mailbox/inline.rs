//! Puts notifications into a mailbox. The mailbox of a subscriber never merges: when it is full, the informer's task
//! takes the oldest pending notification and makes the call itself ("caller runs", a saturation policy of thread
//! pools, see `ThreadPoolExecutor.CallerRunsPolicy` in Java). So a slow subscriber slows its informer, the informer
//! takes no more deltas from the queue, and the backpressure reaches the server.
//!
//! The informer's task never waits for the subscriber's own task: one call that hangs there delays nothing else.
//!
//! A call by the informer's task may overlap a call by the subscriber's own task, and may overtake it. No lock is held
//! during a call. The end of a mailbox waits for both:
//!
//! 1. Informer's task: takes a notification and a reference to the subscriber, under the lock, and calls it.
//! 2. The mailbox is closed. The subscriber's own task ends and drops its reference. A call is running, so the mailbox
//!    has not ended.
//! 3. Informer's task: returns from the call, drops its reference, and then sets the end.

use tokio::time::Instant;

use super::{CALLS_PER_UNIT, CallerRuns, Mailbox, MailboxPhase, MailboxState};
use crate::coop_budget::CoopBudget;
use crate::informer::deliver::backlog::PushResult;
use crate::informer::deliver::callback::SharedCallback;
use crate::informer::notification::RawNotification;
use crate::informer::observe::fault::FaultReporter;
use crate::sync::current_thread;

/// A call that the informer's task makes.
struct InlineCall<'a> {
    notification: RawNotification,
    subscriber: SharedCallback,
    reporter: &'a FaultReporter,
}

impl Mailbox {
    /// Puts notifications in, and returns when no more are pending than the bound of a subscriber allows. While the
    /// informer stops the bound does not apply: the subscriber's own task delivers the rest, within the deadline of
    /// the stop.
    pub(crate) async fn deliver(
        &self,
        notifications: impl IntoIterator<Item = RawNotification>,
        now: Instant,
    ) {
        let mut notifications = notifications.into_iter();
        let mut coop_budget = CoopBudget::<CALLS_PER_UNIT>::default();
        while let Some(call) = self.fill(&mut notifications, now) {
            self.call_inline(call);
            coop_budget.step().await;
        }
    }

    /// Puts notifications in until the mailbox is full, and then returns the call to make. Returns `None` when all are
    /// in.
    fn fill(
        &self,
        notifications: &mut impl Iterator<Item = RawNotification>,
        now: Instant,
    ) -> Option<InlineCall<'_>> {
        let caller_runs = self.caller_runs.as_ref().filter(|runs| !runs.stop.is_cancelled());
        let mut state = self.state.lock();
        if state.phase != MailboxPhase::Open {
            return None;
        }
        let mut inline_call = None;
        while inline_call.is_none()
            && let Some(notification) = notifications.next()
        {
            state.push(notification, now);
            if let Some(CallerRuns { above, reporter, .. }) = caller_runs
                && state.backlog.len() > *above
            {
                inline_call = state.take_inline(reporter);
            }
        }
        self.check_synced(&state);
        drop(state);
        self.changed.notify_one();
        inline_call
    }

    fn call_inline(&self, InlineCall { notification, subscriber, reporter }: InlineCall<'_>) {
        let was_initial = notification.is_initial();
        let outcome = self.report_panic(subscriber(notification), reporter);
        // This may be the last reference.
        self.drop_caught(subscriber, reporter);
        let mut state = self.state.lock();
        state.inline_thread = None;
        state.inline_calls += 1;
        self.count(&mut state, was_initial, outcome);
        let has_ended = state.has_handler_ended;
        drop(state);
        if has_ended {
            let _ = self.ended.set(());
        }
    }
}

impl MailboxState {
    fn push(&mut self, notification: RawNotification, now: Instant) {
        let is_initial = notification.is_initial();
        match self.backlog.push(notification, now) {
            PushResult::Appended if is_initial => self.initial_pending += 1,
            PushResult::Cancelled { was_initial: true } => self.initial_pending -= 1,
            PushResult::Appended | PushResult::Merged | PushResult::Cancelled { .. } => {}
        }
    }

    fn take_inline<'a>(&mut self, reporter: &'a FaultReporter) -> Option<InlineCall<'a>> {
        let subscriber = self.subscriber.clone()?;
        let notification = self.backlog.pop()?.notification;
        self.inline_thread = Some(current_thread().id());
        Some(InlineCall { notification, subscriber, reporter })
    }
}
