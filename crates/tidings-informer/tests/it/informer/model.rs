//! Random faults, handlers and streams: at the end every view equals the cache, and the cache equals the server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::{FutureExt as _, StreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use tidings_informer::delta::QueueOrder;
use tidings_informer::{Handler, Notifications, Registration};
use tidings_object::RawObject;
use tidings_source::scripted::{ListResponse, WatchFeed};
use tidings_source::{ChangeType, ErrorKind, WatchEvent};

use crate::informer::fixture::{InformerFixture, config, pod_of, seconds, settle};
use crate::informer::notification_log::NotificationLog;

const NAMES: usize = 5;

#[derive(Debug, Clone)]
enum Step {
    /// An object is created, changed or deleted. The watch receives the event now, or together with the next one.
    Change {
        name: usize,
        is_deleted: bool,
        is_sent: bool,
    },
    /// The watch sends an earlier event again.
    Repeat {
        name: usize,
        versions_ago: usize,
    },
    Bookmark,
    /// The watch breaks. The next one continues at its version.
    Break,
    /// The watch expires. After this number of failures a list succeeds.
    Expire {
        failures: usize,
    },
    AddHandler {
        merge_above: usize,
        resync: bool,
    },
    RemoveHandler {
        which: usize,
        is_dropping: bool,
    },
    AddStream {
        merge_above: usize,
        resync: bool,
    },
    /// A stream takes some of its pending notifications.
    Take {
        which: usize,
        events: usize,
    },
    DropStream {
        which: usize,
    },
    Pass {
        millis: u64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let change = (0..NAMES, prop::bool::weighted(0.3), prop::bool::weighted(0.7))
        .prop_map(|(name, is_deleted, is_sent)| Step::Change { name, is_deleted, is_sent });
    let which = 0..4_usize;
    prop::collection::vec(
        prop_oneof![
            20 => change,
            2 => (0..NAMES, 0..3_usize).prop_map(|(name, versions_ago)| Step::Repeat { name, versions_ago }),
            1 => Just(Step::Bookmark),
            1 => Just(Step::Break),
            1 => (0..3_usize).prop_map(|failures| Step::Expire { failures }),
            1 => (0..6_usize, any::<bool>()).prop_map(|(merge_above, resync)| Step::AddHandler { merge_above, resync }),
            1 => (which.clone(), any::<bool>()).prop_map(|(which, is_dropping)| Step::RemoveHandler { which, is_dropping }),
            1 => (0..6_usize, any::<bool>()).prop_map(|(merge_above, resync)| Step::AddStream { merge_above, resync }),
            3 => (which.clone(), 1..6_usize).prop_map(|(which, events)| Step::Take { which, events }),
            1 => which.prop_map(|which| Step::DropStream { which }),
            6 => prop_oneof![Just(1), Just(700)].prop_map(|millis| Step::Pass { millis }),
        ],
        1..120,
    )
}

/// The server, and all receivers of the informer.
struct World {
    fixture: InformerFixture,
    feed: WatchFeed,
    version: u64,
    objects: BTreeMap<usize, Arc<RawObject>>,
    /// The answer to lists that no step scripts. A watch that keeps breaking leads to such a list.
    truth: Arc<Mutex<(u64, Vec<Arc<RawObject>>)>>,
    /// Every version of each current object that the watch has sent.
    sent: BTreeMap<usize, Vec<Arc<RawObject>>>,
    unsent: Vec<(ChangeType, usize, Arc<RawObject>)>,
    handlers: Vec<(NotificationLog, Registration)>,
    streams: Vec<(NotificationLog, Notifications<Pod>)>,
    gone: Vec<NotificationLog>,
}

impl World {
    async fn new(order: QueueOrder) -> World {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[]).await;
        let truth = Arc::new(Mutex::new((5, Vec::new())));
        let current = Arc::clone(&truth);
        fixture.source.will_list_always(move |_| {
            let (version, objects) = &*current.lock().unwrap();
            ListResponse::page(*version).objects(objects)
        });
        World {
            truth,
            fixture,
            feed,
            version: 5,
            objects: BTreeMap::new(),
            sent: BTreeMap::new(),
            unsent: Vec::new(),
            handlers: Vec::new(),
            streams: Vec::new(),
            gone: Vec::new(),
        }
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Change { name, is_deleted, is_sent } => {
                self.change(name, is_deleted);
                if is_sent {
                    self.send();
                }
            }
            Step::Repeat { name, versions_ago } => {
                let sent = self.sent.get(&name).and_then(|sent| sent.iter().rev().nth(versions_ago));
                if let Some(again) = sent {
                    self.feed.modified(again);
                }
            }
            Step::Bookmark => {
                self.send();
                self.feed.bookmark(self.version);
            }
            Step::Break => {
                let next = self.fixture.source.will_watch_live();
                self.feed.broken(ErrorKind::Network { message: "reset".to_owned(), is_refused: false });
                self.feed = next;
                self.send();
            }
            Step::Expire { failures } => self.expire(failures).await,
            Step::AddHandler { merge_above, resync } => {
                self.handlers
                    .push(self.fixture.record_with(|handler| with_options(handler, merge_above, resync)));
            }
            Step::RemoveHandler { which, is_dropping } if which < self.handlers.len() => {
                let (log, registration) = self.handlers.remove(which);
                match is_dropping {
                    true => registration.remove_now().await,
                    false => registration.remove().await,
                }
                self.gone.push(log);
            }
            Step::AddStream { merge_above, resync } => {
                let stream = self
                    .fixture
                    .informer
                    .notifications_with(with_options(Handler::new(), merge_above, resync))
                    .unwrap();
                self.streams.push((NotificationLog::default(), stream));
            }
            Step::Take { which, events } if which < self.streams.len() => {
                let (log, stream) = &mut self.streams[which];
                take(log, stream, events);
            }
            Step::DropStream { which } if which < self.streams.len() => {
                self.gone.push(self.streams.remove(which).0);
            }
            Step::Pass { millis } => tokio::time::sleep(std::time::Duration::from_millis(millis)).await,
            Step::RemoveHandler { .. } | Step::Take { .. } | Step::DropStream { .. } => {}
        }
    }

    fn change(&mut self, name: usize, is_deleted: bool) {
        self.version += 1;
        let before = self.objects.remove(&name);
        let uid = before.as_ref().map_or_else(|| format!("uid-{}", self.version), |pod| pod.uid().to_owned());
        let pod = pod_of(&uid, &format!("pod-{name}"), self.version);
        let change = match (&before, is_deleted) {
            (None, _) => ChangeType::Added,
            (Some(_), true) => ChangeType::Deleted,
            (Some(_), false) => ChangeType::Modified,
        };
        if change != ChangeType::Deleted {
            self.objects.insert(name, Arc::clone(&pod));
        }
        self.unsent.push((change, name, pod));
        *self.truth.lock().unwrap() = (self.version, self.objects.values().map(Arc::clone).collect());
    }

    fn send(&mut self) {
        for (change, name, pod) in self.unsent.drain(..) {
            match change {
                ChangeType::Deleted => _ = self.sent.remove(&name),
                _ => self.sent.entry(name).or_default().push(Arc::clone(&pod)),
            }
            self.feed.event(WatchEvent::Changed(change, pod));
        }
    }

    /// The list contains what the watch did not send. After it, a repeated event would be wrong.
    async fn expire(&mut self, failures: usize) {
        for _ in 0..failures {
            self.fixture.source.will_list(ListResponse::status(503, "ServiceUnavailable"));
        }
        let objects: Vec<_> = self.objects.values().map(Arc::clone).collect();
        let next = self.fixture.script(self.version, &objects);
        self.unsent.clear();
        self.sent = self.objects.iter().map(|(name, pod)| (*name, vec![Arc::clone(pod)])).collect();
        let requests_before = self.fixture.source.lists().len();
        self.feed.error(410, "Expired");
        self.feed = next;
        while self.fixture.source.lists().len() < requests_before + failures + 1 {
            tokio::time::sleep(seconds(1)).await;
        }
        settle().await;
    }

    async fn end(mut self) {
        self.send();
        // Long enough to reopen several broken watches, one after the other.
        tokio::time::sleep(seconds(400)).await;
        let server: Vec<_> =
            self.objects.values().map(|pod| format!("{}@{}", pod.name(), pod.version())).collect();
        assert_eq!(self.fixture.cached(), server, "the cache is not the server");
        for (log, stream) in &mut self.streams {
            take(log, stream, usize::MAX);
            assert_eq!(log.view(), server, "a stream's view is not the cache");
            assert!(stream.is_synced());
        }
        for (log, registration) in &self.handlers {
            assert_eq!(log.view(), server, "a handler's view is not the cache");
            assert!(registration.is_synced());
            assert_eq!(registration.stats().backlog, 0);
        }
        let handlers = self.handlers.iter().map(|(log, _)| log);
        let streams = self.streams.iter().map(|(log, _)| log);
        handlers.chain(streams).chain(&self.gone).for_each(NotificationLog::assert_consistent);
        self.streams.clear();
        self.fixture.end().await;
    }
}

fn with_options(handler: Handler<Pod>, merge_above: usize, resync: bool) -> Handler<Pod> {
    let handler = handler.merge_above(merge_above);
    if resync { handler.resync(seconds(1)) } else { handler }
}

fn take(log: &NotificationLog, stream: &mut Notifications<Pod>, events: usize) {
    for _ in 0..events {
        let Some(Some(event)) = stream.next().now_or_never() else { return };
        log.handle(&event);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    // holds: I6, I7, X11, X12, X14, X15, X25
    #[test]
    fn after_any_sequence_of_faults_every_view_equals_the_cache_and_the_cache_equals_the_server(
        is_in_order in any::<bool>(),
        steps in steps(),
    ) {
        let order = if is_in_order { QueueOrder::InOrder } else { QueueOrder::PerObject };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut world = World::new(order).await;
            for step in steps {
                world.step(step).await;
            }
            world.end().await;
        });
    }
}
