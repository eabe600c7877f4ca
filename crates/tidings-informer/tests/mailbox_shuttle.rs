//! The mailbox of a handler under many schedules, chosen by shuttle: several tasks put notifications in, drain and
//! close it, and one task takes them out. The mailbox is compiled a second time here, with shuttle's locks.
//!
//! A lost wake-up is a deadlock, which shuttle reports. A wrong count is a handler that never syncs. A check that
//! can't fail proves nothing, so the same scenario also runs over mailboxes with these two flaws, and must fail.

#![allow(missing_docs, reason = "tests")]

#[path = "../src/sync/simulated.rs"]
#[allow(unused_imports, dead_code, reason = "other stages use the rest")]
mod sync;

#[path = "../src/coop_budget.rs"]
mod coop_budget;

/// As `src/informer.rs` has it.
#[path = "../src/informer"]
#[allow(dead_code, unreachable_pub, clippy::wrong_self_convention, reason = "only a part of it is used here")]
mod informer {
    pub(crate) mod notification;

    pub(crate) mod deliver {
        pub(crate) mod backlog;
        pub(crate) mod callback;
        pub(crate) mod mailbox;
    }

    pub(crate) mod handle {
        pub(crate) mod keep_alive;
    }

    pub(crate) mod observe {
        /// A reporter without the faults of other modules.
        pub(crate) mod fault {
            pub(crate) enum InformerFault {
                HandlerPanicked { handler: String, key: String, message: String },
            }

            #[derive(Default)]
            pub(crate) struct FaultReporter(pub(crate) crate::sync::Mutex<u64>);

            impl FaultReporter {
                pub(crate) fn report(&self, fault: &InformerFault) {
                    let InformerFault::HandlerPanicked { handler, key, message } = fault;
                    assert!(!handler.is_empty() && !key.is_empty() && !message.is_empty());
                    *self.0.lock() += 1;
                }
            }
        }
    }

    use std::sync::Arc;

    pub(crate) use notification::{Notification, RawNotification, Untyped};

    /// The methods of a mailbox that the scenarios need.
    pub(crate) trait MailboxLike: Send + Sync + 'static {
        fn push_all(&self, notifications: Vec<RawNotification>) -> impl Future<Output = ()> + Send;
        fn initial_complete(&self);
        fn drain(&self);
        fn close(&self);
        fn is_synced(&self) -> bool;
        fn run_handler(self: Arc<Self>, call: Callback) -> impl Future<Output = ()> + Send;
        fn ended(&self) -> impl Future<Output = ()> + Send;
        fn synced(&self) -> impl Future<Output = bool> + Send;
    }

    pub(crate) use deliver::callback::{Callback, SharedCallback, catch_panic};
    pub(crate) use deliver::mailbox::{self, Mailbox};

    pub(crate) fn merging_mailbox(merge_above: usize) -> Mailbox {
        Mailbox::new("lines".to_owned(), mailbox::Overflow::Merge(merge_above), None, None)
    }

    /// The mailbox of a subscriber, and the callback of its own task.
    pub(crate) fn subscribed(above: usize, subscriber: SharedCallback) -> (Mailbox, Callback) {
        let own = Arc::clone(&subscriber);
        let caller_runs = mailbox::CallerRuns { above, reporter: Arc::default(), stop: Default::default() };
        let overflow = mailbox::Overflow::CallerRuns(subscriber, caller_runs);
        let call = Box::new(move |notification| own(notification));
        (Mailbox::new("lines".to_owned(), overflow, None, None), call)
    }

    pub(crate) fn keeping_alive(stop: &tokio_util::sync::CancellationToken) -> Mailbox {
        let keep_alive = Arc::new(handle::keep_alive::KeepAlive::new(stop.clone()));
        Mailbox::new("lines".to_owned(), mailbox::Overflow::Merge(8), None, Some(keep_alive))
    }

    pub(crate) fn stats(mailbox: &Mailbox) -> mailbox::HandlerStats {
        mailbox.stats()
    }

    impl MailboxLike for Mailbox {
        async fn push_all(&self, notifications: Vec<RawNotification>) {
            self.deliver(notifications, tokio::time::Instant::now()).await;
        }

        fn initial_complete(&self) {
            Mailbox::initial_complete(self);
        }

        fn drain(&self) {
            Mailbox::drain(self);
        }

        fn close(&self) {
            Mailbox::close(self);
        }

        fn is_synced(&self) -> bool {
            Mailbox::is_synced(self)
        }

        async fn run_handler(self: Arc<Self>, call: Callback) {
            mailbox::run_handler(self, call, Arc::default()).await;
        }

        async fn ended(&self) {
            Mailbox::ended(self).await;
        }

        async fn synced(&self) -> bool {
            Mailbox::synced(self).await
        }
    }
}

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Poll, Waker};

use informer::{
    Callback, Mailbox, MailboxLike, Notification, RawNotification, SharedCallback, Untyped, catch_panic,
    keeping_alive, merging_mailbox, stats, subscribed,
};
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use shuttle::future::{block_on, spawn};
use shuttle::scheduler::RandomScheduler;
use sync::Mutex;
use tidings_object::{Kind, Object, RawObject};
use tidings_source::scripted::object;
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

const SCHEDULES: usize = 2_000;
const SEED: u64 = 7;

/// Runs a scenario under this number of schedules, always the same ones.
fn check(schedules: usize, scenario: impl Fn() + Send + Sync + 'static) {
    let scheduler = RandomScheduler::new_from_seed(SEED, schedules);
    shuttle::Runner::new(scheduler, shuttle::Config::default()).run(scenario);
}

/// Created once, because objects do not depend on the schedule.
#[derive(Clone)]
struct Pods(Arc<[Arc<RawObject>]>);

impl Pods {
    fn new() -> Pods {
        let pod = |(name, version)| object(&Pod::resource(), Some("default"), name, version, name, json!({}));
        Pods([("a", 1), ("b", 2), ("a", 3), ("a", 4)].map(pod).into())
    }

    fn get(&self, at: usize) -> Object<Untyped> {
        Object::new(Arc::clone(&self.0[at]))
    }

    fn initial(&self, at: usize) -> RawNotification {
        Notification::Added { object: self.get(at), is_initial: true }
    }

    fn updated(&self, old: usize, new: usize) -> RawNotification {
        Notification::Updated { old: self.get(old), new: self.get(new), is_resync: false }
    }

    fn deleted(&self, at: usize) -> RawNotification {
        Notification::Deleted { old: self.get(at), object: self.get(at), is_final_state_unknown: false }
    }
}

type Lines = Arc<Mutex<Vec<String>>>;

fn record(lines: &Lines, notification: &Notification<Pod>) {
    let (what, object) = match notification {
        Notification::Added { object, .. } => ("add", object),
        Notification::Updated { new, .. } => ("update", new),
        Notification::Deleted { object, .. } => ("delete", object),
    };
    lines.lock().push(format!("{what} {}@{}", object.name(), object.version()));
}

fn recording(lines: &Lines) -> Callback {
    let lines = Arc::clone(lines);
    Box::new(move |notification| catch_panic(notification, |notification| record(&lines, notification)))
}

/// The informer delivers, completes the initial list and drains. The handler receives everything in order and syncs.
fn everything_is_received<P: MailboxLike>(mailbox: P, pods: &Pods) {
    let (mailbox, lines, pods) = (Arc::new(mailbox), Lines::default(), pods.clone());
    block_on(async {
        let listener = spawn(Arc::clone(&mailbox).run_handler(recording(&lines)));
        let waiter = {
            let mailbox = Arc::clone(&mailbox);
            spawn(async move { mailbox.synced().await })
        };
        let writer = {
            let mailbox = Arc::clone(&mailbox);
            spawn(async move {
                mailbox.push_all(vec![pods.initial(0)]).await;
                mailbox.push_all(vec![pods.initial(1), pods.updated(0, 2)]).await;
                mailbox.initial_complete();
                mailbox.push_all(vec![pods.deleted(3)]).await;
                mailbox.drain();
            })
        };
        writer.await.expect("the writer ends");
        mailbox.ended().await;
        listener.await.expect("the listener ends");
        assert_eq!(*lines.lock(), ["add a@1", "add b@2", "update a@3", "delete a@4"]);
        assert!(waiter.await.expect("the waiter ends"), "it has lines all that is initial");
        assert!(mailbox.is_synced());
    });
}

// holds: I7, I15, X12
#[test]
fn notifications_that_arrive_before_a_mailbox_drains_are_received_and_its_handler_syncs() {
    let pods = Pods::new();
    check(SCHEDULES, move || everything_is_received(merging_mailbox(8), &pods));
}

// holds: X11, X12
#[test]
fn however_a_mailbox_is_closed_all_tasks_end_and_every_loss_is_counted() {
    let pods = Pods::new();
    let scenario = move || {
        let (mailbox, lines, pods) = (Arc::new(merging_mailbox(0)), Lines::default(), pods.clone());
        block_on(async {
            let mut tasks = vec![spawn(Arc::clone(&mailbox).run_handler(recording(&lines)))];
            let writer = Arc::clone(&mailbox);
            tasks.push(spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1)]).await;
                writer.initial_complete();
            }));
            for close in [Mailbox::drain as fn(&Mailbox), Mailbox::close] {
                let mailbox = Arc::clone(&mailbox);
                tasks.push(spawn(async move { close(&mailbox) }));
            }
            let waiter = Arc::clone(&mailbox);
            tasks.push(spawn(async move { _ = waiter.synced().await }));
            mailbox.ended().await;
            for task in tasks {
                task.await.expect("every task ends");
            }
            let stats = stats(&mailbox);
            assert_eq!(stats.delivered, lines.lock().len() as u64);
            assert_eq!(stats.backlog, 0);
            let counted = stats.delivered + stats.dropped;
            assert!(counted == 0 || counted == 2, "a batch is put in as a whole or not at all: {stats:?}");
            assert!(!stats.is_synced || stats.delivered == 2 || counted == 0, "{stats:?}");
        });
    };
    check(SCHEDULES, scenario);
}

// holds: X11, I15
#[test]
fn an_initial_addition_that_is_cancelled_while_its_handler_pops_still_syncs_it() {
    let pods = Pods::new();
    let scenario = move || {
        let (mailbox, lines, pods) = (Arc::new(merging_mailbox(0)), Lines::default(), pods.clone());
        block_on(async {
            let listener = spawn(Arc::clone(&mailbox).run_handler(recording(&lines)));
            let writer = Arc::clone(&mailbox);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0)]).await;
                writer.initial_complete();
                writer.push_all(vec![pods.deleted(2)]).await;
            });
            assert!(mailbox.synced().await);
            writer.await.expect("the writer ends");
            mailbox.drain();
            listener.await.expect("the listener ends");
            let lines = lines.lock();
            assert!(lines.is_empty() || *lines == ["add a@1", "delete a@3"], "{lines:?}");
        });
    };
    check(SCHEDULES, scenario);
}

/// Whether a call waited for its own end. An assertion inside the call would count as one of its panics.
type WaitedInside = Arc<Mutex<bool>>;

/// Polls the end of the mailbox inside a call of its handler.
fn wait_inside(own: &Mailbox, waits: &WaitedInside) {
    let mut ended = std::pin::pin!(MailboxLike::ended(own));
    let mut context = std::task::Context::from_waker(Waker::noop());
    *waits.lock() |= ended.as_mut().poll(&mut context).is_pending();
}

// holds: X12, X13
#[test]
fn a_handler_that_closes_its_own_mailbox_and_panics_still_ends() {
    let pods = Pods::new();
    let scenario = move || {
        let stop = CancellationToken::new();
        let (mailbox, pods) = (Arc::new(keeping_alive(&stop)), pods.clone());
        block_on(async {
            let own = Arc::clone(&mailbox);
            let waits = WaitedInside::default();
            let inside = Arc::clone(&waits);
            let panics = move |_: &Notification<Pod>| {
                own.drain();
                wait_inside(&own, &inside);
                std::panic::panic_any("scripted");
            };
            let call = Box::new(move |notification| catch_panic(notification, &panics));
            let listener = spawn(Arc::clone(&mailbox).run_handler(call));
            let writer = Arc::clone(&mailbox);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1)]).await;
                writer.initial_complete();
                writer.push_all(vec![pods.updated(0, 2)]).await;
            });
            mailbox.ended().await;
            writer.await.expect("the writer ends");
            listener.await.expect("its panics are caught");
            let stats = stats(&mailbox);
            assert!((2..=3).contains(&stats.panics) && stats.panics == stats.delivered, "{stats:?}");
            assert!(!*waits.lock(), "inside its own call it waited for itself");
            assert!(stats.is_synced);
            assert!(stop.is_cancelled(), "it no longer keeps its informer running");
        });
    };
    check(SCHEDULES / 4, scenario);
}

/// A subscriber that records its notifications. Its calls may overlap.
fn subscriber(lines: &Lines) -> SharedCallback {
    let lines = Arc::clone(lines);
    Arc::new(move |notification| catch_panic(notification, |notification| record(&lines, notification)))
}

// holds: X28
#[test]
fn a_subscriber_at_its_bound_receives_everything_unmerged_and_syncs() {
    let pods = Pods::new();
    let scenario = move |bound| {
        let (lines, pods) = (Lines::default(), pods.clone());
        let (mailbox, call) = subscribed(bound, subscriber(&lines));
        let mailbox = Arc::new(mailbox);
        block_on(async {
            let listener = spawn(Arc::clone(&mailbox).run_handler(call));
            let writer = Arc::clone(&mailbox);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1)]).await;
                writer.initial_complete();
                writer.push_all(vec![pods.updated(0, 2), pods.deleted(3)]).await;
                writer.drain();
            });
            assert!(mailbox.synced().await);
            mailbox.ended().await;
            writer.await.expect("the writer ends");
            listener.await.expect("the listener ends");
            let mut lines = lines.lock().clone();
            lines.sort();
            assert_eq!(lines, ["add a@1", "add b@2", "delete a@4", "update a@3"]);
            let stats = stats(&mailbox);
            assert_eq!((stats.delivered, stats.merged, stats.backlog), (4, 0, 0));
            assert!(stats.inline_calls <= 4 - bound as u64, "{stats:?}");
        });
    };
    for bound in 0..3 {
        let scenario = scenario.clone();
        check(SCHEDULES / 2, move || scenario(bound));
    }
}

// holds: X12, X28
#[test]
fn a_subscriber_that_is_removed_while_the_informer_calls_it_ends_after_that_call() {
    let pods = Pods::new();
    let scenario = move |remove: fn(&Mailbox)| {
        let (lines, pods, owned) = (Lines::default(), pods.clone(), Arc::new(()));
        let calls = subscriber(&lines);
        let (witness, inside) = (Arc::downgrade(&owned), Arc::new(Mutex::new(0)));
        let called = Arc::clone(&inside);
        let subscriber: SharedCallback = Arc::new(move |notification| {
            *called.lock() += 1;
            let returned = calls(notification);
            let _owned = &owned;
            *called.lock() -= 1;
            returned
        });
        let (mailbox, call) = subscribed(0, subscriber);
        let mailbox = Arc::new(mailbox);
        block_on(async {
            let listener = spawn(Arc::clone(&mailbox).run_handler(call));
            let writer = Arc::clone(&mailbox);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1), pods.updated(0, 2)]).await;
            });
            remove(&mailbox);
            mailbox.ended().await;
            assert_eq!(*inside.lock(), 0, "a call is under way");
            assert_eq!(witness.strong_count(), 0, "the subscriber is left");
            let delivered = stats(&mailbox).delivered;
            writer.await.expect("the writer ends");
            listener.await.expect("the listener ends");
            assert_eq!(stats(&mailbox).delivered, delivered, "it was called after its end");
            assert_eq!(lines.lock().len() as u64, delivered);
        });
    };
    for remove in [Mailbox::drain as fn(&Mailbox), Mailbox::close] {
        let scenario = scenario.clone();
        check(SCHEDULES, move || scenario(remove));
    }
}

// holds: X12, X13, X28
#[test]
fn a_subscriber_that_closes_its_own_mailbox_and_panics_still_ends() {
    let pods = Pods::new();
    let scenario = move || {
        let pods = pods.clone();
        let own: Arc<Mutex<Option<Arc<Mailbox>>>> = Arc::default();
        let (mailbox, waits) = (Arc::clone(&own), WaitedInside::default());
        let inside = Arc::clone(&waits);
        let panics = move |_: &Notification<Pod>| {
            let own = mailbox.lock().clone().expect("it is set before the first call");
            own.close();
            wait_inside(&own, &inside);
            std::panic::panic_any("scripted");
        };
        let subscriber: SharedCallback = Arc::new(move |notification| catch_panic(notification, &panics));
        let (mailbox, call) = subscribed(0, subscriber);
        let mailbox = Arc::new(mailbox);
        *own.lock() = Some(Arc::clone(&mailbox));
        block_on(async {
            let listener = spawn(Arc::clone(&mailbox).run_handler(call));
            let writer = Arc::clone(&mailbox);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1), pods.updated(0, 2)]).await;
            });
            mailbox.ended().await;
            writer.await.expect("its panics are caught");
            listener.await.expect("its panics are caught");
            let stats = stats(&mailbox);
            assert!((1..=2).contains(&stats.panics) && stats.panics == stats.delivered, "{stats:?}");
            assert!(!*waits.lock(), "inside its own call it waited for itself");
            *own.lock() = None;
        });
    };
    check(SCHEDULES / 4, scenario);
}

/// The flaws of `FlawedMailbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// It checks, releases its lock, and stores its waker only then.
    LosesWakeUps,
    /// It counts initial additions after it has put them in.
    CountsLate,
}

struct FlawedMailbox {
    flaw: Flaw,
    pending: Mutex<VecDeque<RawNotification>>,
    waker: Mutex<Option<Waker>>,
    /// The number of pending initial additions, and whether all were put in.
    initial: Mutex<(i64, bool)>,
    is_draining: Mutex<bool>,
    synced: SetOnce<()>,
    ended: SetOnce<()>,
}

impl FlawedMailbox {
    fn new(flaw: Flaw) -> FlawedMailbox {
        FlawedMailbox {
            flaw,
            pending: Mutex::default(),
            waker: Mutex::default(),
            initial: Mutex::default(),
            is_draining: Mutex::default(),
            synced: SetOnce::new(),
            ended: SetOnce::new(),
        }
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.lock().take() {
            waker.wake();
        }
    }

    fn count(&self, by: i64) {
        let mut initial = self.initial.lock();
        initial.0 += by;
        assert!(initial.0 >= 0, "handled more than were put in");
        if *initial == (0, true) {
            let _ = self.synced.set(());
        }
    }

    fn poll_next(&self, waker: &Waker) -> Poll<Option<RawNotification>> {
        if self.flaw != Flaw::LosesWakeUps {
            *self.waker.lock() = Some(waker.clone());
        }
        let next = self.pending.lock().pop_front();
        let is_draining = *self.is_draining.lock();
        match next {
            Some(next) => Poll::Ready(Some(next)),
            None if is_draining => Poll::Ready(None),
            None => {
                if self.flaw == Flaw::LosesWakeUps {
                    *self.waker.lock() = Some(waker.clone());
                }
                Poll::Pending
            }
        }
    }
}

impl MailboxLike for FlawedMailbox {
    async fn push_all(&self, notifications: Vec<RawNotification>) {
        let initial = notifications.iter().filter(|one| one.is_initial()).count() as i64;
        if self.flaw != Flaw::CountsLate {
            self.count(initial);
        }
        self.pending.lock().extend(notifications);
        self.wake();
        if self.flaw == Flaw::CountsLate {
            self.count(initial);
        }
    }

    fn initial_complete(&self) {
        self.initial.lock().1 = true;
        self.count(0);
    }

    fn drain(&self) {
        *self.is_draining.lock() = true;
        self.wake();
    }

    fn close(&self) {
        self.drain();
    }

    fn is_synced(&self) -> bool {
        self.synced.initialized()
    }

    async fn run_handler(self: Arc<Self>, mut call: Callback) {
        while let Some(next) = poll_fn(|cx| self.poll_next(cx.waker())).await {
            let was_initial = next.is_initial();
            assert!(call(next).is_ok());
            self.count(-i64::from(was_initial));
        }
        let _ = self.ended.set(());
    }

    async fn ended(&self) {
        self.ended.wait().await;
    }

    async fn synced(&self) -> bool {
        tokio::select! {
            biased;
            _ = self.synced.wait() => {}
            _ = self.ended.wait() => {}
        }
        self.is_synced()
    }
}

#[test]
fn a_mailbox_that_loses_wake_ups_or_counts_late_fails_the_scenario() {
    let pods = Pods::new();
    for flaw in [Flaw::None, Flaw::LosesWakeUps, Flaw::CountsLate] {
        let pods = pods.clone();
        let run = move || check(SCHEDULES, move || everything_is_received(FlawedMailbox::new(flaw), &pods));
        let found = catch_unwind(AssertUnwindSafe(run));
        assert_eq!(found.is_err(), flaw != Flaw::None, "{flaw:?}");
    }
}
