//! A handler's mailbox under every schedule that shuttle draws: those who write into it, drain it and close it,
//! and the one task that empties it. The mailbox is compiled a second time here, over shuttle's locks.
//!
//! A lost wake-up is a deadlock, which shuttle reports; a wrong count is a handler that never syncs. A check that
//! can't fail proves nothing, so it is also given mailboxes with those two flaws, and must find them out.

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
        /// A reporter without the faults of other stages.
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

    /// What the scenarios ask of a mailbox.
    pub(crate) trait Post: Send + Sync + 'static {
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
        Mailbox::new("heard".to_owned(), mailbox::Overflow::Merge(merge_above), None, None)
    }

    /// A subscriber's mailbox, and the call of its own task.
    pub(crate) fn subscribed(above: usize, subscriber: SharedCallback) -> (Mailbox, Callback) {
        let own = Arc::clone(&subscriber);
        let caller_runs = mailbox::CallerRuns { above, reporter: Arc::default(), stop: Default::default() };
        let overflow = mailbox::Overflow::CallerRuns(subscriber, caller_runs);
        let call = Box::new(move |notification| own(notification));
        (Mailbox::new("heard".to_owned(), overflow, None, None), call)
    }

    pub(crate) fn leased(stop: &tokio_util::sync::CancellationToken) -> Mailbox {
        let keep_alive = Arc::new(handle::keep_alive::KeepAlive::new(stop.clone()));
        Mailbox::new("heard".to_owned(), mailbox::Overflow::Merge(8), None, Some(keep_alive))
    }

    pub(crate) fn stats(mailbox: &Mailbox) -> mailbox::HandlerStats {
        mailbox.stats()
    }

    impl Post for Mailbox {
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
    Callback, Mailbox, Notification, Post, RawNotification, SharedCallback, Untyped, catch_panic, leased,
    merging_mailbox, stats, subscribed,
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

/// So many schedules, always the same ones.
fn check(schedules: usize, scenario: impl Fn() + Send + Sync + 'static) {
    let scheduler = RandomScheduler::new_from_seed(SEED, schedules);
    shuttle::Runner::new(scheduler, shuttle::Config::default()).run(scenario);
}

/// Made once: what an object is does not depend on the schedule.
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

type Heard = Arc<Mutex<Vec<String>>>;

fn write_down(heard: &Heard, notification: &Notification<Pod>) {
    let (what, object) = match notification {
        Notification::Added { object, .. } => ("add", object),
        Notification::Updated { new, .. } => ("update", new),
        Notification::Deleted { object, .. } => ("delete", object),
    };
    heard.lock().push(format!("{what} {}@{}", object.name(), object.version()));
}

fn hear(heard: &Heard) -> Callback {
    let heard = Arc::clone(heard);
    Box::new(move |notification| catch_panic(notification, |notification| write_down(&heard, notification)))
}

/// The informer writes, completes what is initial and drains; the handler hears all of it in order and syncs.
fn everything_arrives<P: Post>(post: P, pods: &Pods) {
    let (post, heard, pods) = (Arc::new(post), Heard::default(), pods.clone());
    block_on(async {
        let listener = spawn(Arc::clone(&post).run_handler(hear(&heard)));
        let waiter = {
            let post = Arc::clone(&post);
            spawn(async move { post.synced().await })
        };
        let writer = {
            let post = Arc::clone(&post);
            spawn(async move {
                post.push_all(vec![pods.initial(0)]).await;
                post.push_all(vec![pods.initial(1), pods.updated(0, 2)]).await;
                post.initial_complete();
                post.push_all(vec![pods.deleted(3)]).await;
                post.drain();
            })
        };
        writer.await.expect("nothing is wrong with the writer");
        post.ended().await;
        listener.await.expect("nothing is wrong with the listener");
        assert_eq!(*heard.lock(), ["add a@1", "add b@2", "update a@3", "delete a@4"]);
        assert!(waiter.await.expect("nothing is wrong with the waiter"), "it has heard all that is initial");
        assert!(post.is_synced());
    });
}

// holds: I7, I15, X12
#[test]
fn what_is_written_before_a_mailbox_drains_arrives_and_its_handler_syncs() {
    let pods = Pods::new();
    check(SCHEDULES, move || everything_arrives(merging_mailbox(8), &pods));
}

// holds: X11, X12
#[test]
fn however_a_mailbox_is_closed_everybody_ends_and_nothing_is_lost_uncounted() {
    let pods = Pods::new();
    let scenario = move || {
        let (post, heard, pods) = (Arc::new(merging_mailbox(0)), Heard::default(), pods.clone());
        block_on(async {
            let mut tasks = vec![spawn(Arc::clone(&post).run_handler(hear(&heard)))];
            let writer = Arc::clone(&post);
            tasks.push(spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1)]).await;
                writer.initial_complete();
            }));
            for close in [Mailbox::drain as fn(&Mailbox), Mailbox::close] {
                let post = Arc::clone(&post);
                tasks.push(spawn(async move { close(&post) }));
            }
            let waiter = Arc::clone(&post);
            tasks.push(spawn(async move { _ = waiter.synced().await }));
            post.ended().await;
            for task in tasks {
                task.await.expect("everybody deleted_at");
            }
            let stats = stats(&post);
            assert_eq!(stats.delivered, heard.lock().len() as u64);
            assert_eq!(stats.backlog, 0);
            let told = stats.delivered + stats.dropped;
            assert!(told == 0 || told == 2, "a batch is taken in whole or not at all: {stats:?}");
            assert!(!stats.is_synced || stats.delivered == 2 || told == 0, "{stats:?}");
        });
    };
    check(SCHEDULES, scenario);
}

// holds: X11, I15
#[test]
fn an_initial_addition_that_vanishes_while_its_handler_looks_still_syncs_it() {
    let pods = Pods::new();
    let scenario = move || {
        let (post, heard, pods) = (Arc::new(merging_mailbox(0)), Heard::default(), pods.clone());
        block_on(async {
            let listener = spawn(Arc::clone(&post).run_handler(hear(&heard)));
            let writer = Arc::clone(&post);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0)]).await;
                writer.initial_complete();
                writer.push_all(vec![pods.deleted(2)]).await;
            });
            assert!(post.synced().await);
            writer.await.expect("nothing is wrong with the writer");
            post.drain();
            listener.await.expect("nothing is wrong with the listener");
            let heard = heard.lock();
            assert!(heard.is_empty() || *heard == ["add a@1", "delete a@3"], "{heard:?}");
        });
    };
    check(SCHEDULES, scenario);
}

/// Whether anybody waited for the end of its own call. An assertion in the call would be one of its panics.
type Waits = Arc<Mutex<bool>>;

/// Polled inside its own call, the end does not wait for itself.
fn wait_inside(own: &Mailbox, waits: &Waits) {
    let mut ended = std::pin::pin!(Post::ended(own));
    let mut context = std::task::Context::from_waker(Waker::noop());
    *waits.lock() |= ended.as_mut().poll(&mut context).is_pending();
}

// holds: X12, X13
#[test]
fn a_handler_that_closes_its_own_mailbox_and_panics_ends_all_the_same() {
    let pods = Pods::new();
    let scenario = move || {
        let stop = CancellationToken::new();
        let (post, pods) = (Arc::new(leased(&stop)), pods.clone());
        block_on(async {
            let own = Arc::clone(&post);
            let waits = Waits::default();
            let inside = Arc::clone(&waits);
            let panics = move |_: &Notification<Pod>| {
                own.drain();
                wait_inside(&own, &inside);
                std::panic::panic_any("scripted");
            };
            let call = Box::new(move |notification| catch_panic(notification, &panics));
            let listener = spawn(Arc::clone(&post).run_handler(call));
            let writer = Arc::clone(&post);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1)]).await;
                writer.initial_complete();
                writer.push_all(vec![pods.updated(0, 2)]).await;
            });
            post.ended().await;
            writer.await.expect("nothing is wrong with the writer");
            listener.await.expect("its panics are caught");
            let stats = stats(&post);
            assert!((2..=3).contains(&stats.panics) && stats.panics == stats.delivered, "{stats:?}");
            assert!(!*waits.lock(), "inside its own call it waits for itself");
            assert!(stats.is_synced);
            assert!(stop.is_cancelled(), "it no longer keeps its informer");
        });
    };
    check(SCHEDULES / 4, scenario);
}

/// A subscriber that writes down what it receives. Its calls may overlap.
fn subscriber(heard: &Heard) -> SharedCallback {
    let heard = Arc::clone(heard);
    Arc::new(move |notification| catch_panic(notification, |notification| write_down(&heard, notification)))
}

// holds: X28
#[test]
fn a_subscriber_at_its_bound_receives_everything_unmerged_and_syncs() {
    let pods = Pods::new();
    let scenario = move |bound| {
        let (heard, pods) = (Heard::default(), pods.clone());
        let (post, call) = subscribed(bound, subscriber(&heard));
        let post = Arc::new(post);
        block_on(async {
            let listener = spawn(Arc::clone(&post).run_handler(call));
            let writer = Arc::clone(&post);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1)]).await;
                writer.initial_complete();
                writer.push_all(vec![pods.updated(0, 2), pods.deleted(3)]).await;
                writer.drain();
            });
            assert!(post.synced().await);
            post.ended().await;
            writer.await.expect("nothing is wrong with the writer");
            listener.await.expect("nothing is wrong with the listener");
            let mut heard = heard.lock().clone();
            heard.sort();
            assert_eq!(heard, ["add a@1", "add b@2", "delete a@4", "update a@3"]);
            let stats = stats(&post);
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
        let (heard, pods, owned) = (Heard::default(), pods.clone(), Arc::new(()));
        let calls = subscriber(&heard);
        let (witness, inside) = (Arc::downgrade(&owned), Arc::new(Mutex::new(0)));
        let called = Arc::clone(&inside);
        let subscriber: SharedCallback = Arc::new(move |notification| {
            *called.lock() += 1;
            let returned = calls(notification);
            let _owned = &owned;
            *called.lock() -= 1;
            returned
        });
        let (post, call) = subscribed(0, subscriber);
        let post = Arc::new(post);
        block_on(async {
            let listener = spawn(Arc::clone(&post).run_handler(call));
            let writer = Arc::clone(&post);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1), pods.updated(0, 2)]).await;
            });
            remove(&post);
            post.ended().await;
            assert_eq!(*inside.lock(), 0, "a call is under way");
            assert_eq!(witness.strong_count(), 0, "the subscriber is left");
            let delivered = stats(&post).delivered;
            writer.await.expect("nothing is wrong with the writer");
            listener.await.expect("nothing is wrong with the listener");
            assert_eq!(stats(&post).delivered, delivered, "it was called after its end");
            assert_eq!(heard.lock().len() as u64, delivered);
        });
    };
    for remove in [Mailbox::drain as fn(&Mailbox), Mailbox::close] {
        let scenario = scenario.clone();
        check(SCHEDULES, move || scenario(remove));
    }
}

// holds: X12, X13, X28
#[test]
fn a_subscriber_that_closes_its_own_mailbox_and_panics_ends_all_the_same() {
    let pods = Pods::new();
    let scenario = move || {
        let pods = pods.clone();
        let own: Arc<Mutex<Option<Arc<Mailbox>>>> = Arc::default();
        let (mailbox, waits) = (Arc::clone(&own), Waits::default());
        let inside = Arc::clone(&waits);
        let panics = move |_: &Notification<Pod>| {
            let own = mailbox.lock().clone().expect("it is set before the first call");
            own.close();
            wait_inside(&own, &inside);
            std::panic::panic_any("scripted");
        };
        let subscriber: SharedCallback = Arc::new(move |notification| catch_panic(notification, &panics));
        let (post, call) = subscribed(0, subscriber);
        let post = Arc::new(post);
        *own.lock() = Some(Arc::clone(&post));
        block_on(async {
            let listener = spawn(Arc::clone(&post).run_handler(call));
            let writer = Arc::clone(&post);
            let writer = spawn(async move {
                writer.push_all(vec![pods.initial(0), pods.initial(1), pods.updated(0, 2)]).await;
            });
            post.ended().await;
            writer.await.expect("its panics are caught");
            listener.await.expect("its panics are caught");
            let stats = stats(&post);
            assert!((1..=2).contains(&stats.panics) && stats.panics == stats.delivered, "{stats:?}");
            assert!(!*waits.lock(), "inside its own call it waits for itself");
            *own.lock() = None;
        });
    };
    check(SCHEDULES / 4, scenario);
}

/// What a careless mailbox gets wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// It looks, lets go of its lock, and only then leaves its waker.
    WakesNobody,
    /// It counts what is initial after letting it out.
    CountsLate,
}

struct Careless {
    flaw: Flaw,
    pending: Mutex<VecDeque<RawNotification>>,
    waker: Mutex<Option<Waker>>,
    /// Initial additions on their way, and whether all are.
    initial: Mutex<(i64, bool)>,
    is_draining: Mutex<bool>,
    synced: SetOnce<()>,
    ended: SetOnce<()>,
}

impl Careless {
    fn new(flaw: Flaw) -> Careless {
        Careless {
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
        assert!(initial.0 >= 0, "told more than there was");
        if *initial == (0, true) {
            let _ = self.synced.set(());
        }
    }

    fn poll_next(&self, waker: &Waker) -> Poll<Option<RawNotification>> {
        if self.flaw != Flaw::WakesNobody {
            *self.waker.lock() = Some(waker.clone());
        }
        let next = self.pending.lock().pop_front();
        let is_draining = *self.is_draining.lock();
        match next {
            Some(next) => Poll::Ready(Some(next)),
            None if is_draining => Poll::Ready(None),
            None => {
                if self.flaw == Flaw::WakesNobody {
                    *self.waker.lock() = Some(waker.clone());
                }
                Poll::Pending
            }
        }
    }
}

impl Post for Careless {
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
fn a_mailbox_that_wakes_nobody_or_counts_late_is_found_out() {
    let pods = Pods::new();
    for flaw in [Flaw::None, Flaw::WakesNobody, Flaw::CountsLate] {
        let pods = pods.clone();
        let run = move || check(SCHEDULES, move || everything_arrives(Careless::new(flaw), &pods));
        let found = catch_unwind(AssertUnwindSafe(run));
        assert_eq!(found.is_err(), flaw != Flaw::None, "{flaw:?}");
    }
}
