//! Tests of both orders: waiting and closing, and model tests.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::{FutureExt, poll};
use proptest::prelude::*;
use tidings_object::NothingKnown;
use tidings_source::{ChangeType, StreamScope};
use tokio::task::JoinSet;

use super::receiver::BATCH_DELTAS_MAX;
use super::transcript::{Cache, check, object, scope, show};
use super::*;
use crate::reflector::{Replacement, Sink};

const ORDERS: [QueueOrder; 2] = [QueueOrder::InOrder, QueueOrder::PerObject];

fn small(order: QueueOrder, deltas_max: usize) -> (DeltaSender, DeltaReceiver) {
    queue(order, deltas_max, Arc::new(NothingKnown))
}

fn stream(sender: &DeltaSender, number: u32) -> StreamSender {
    sender.stream(StreamId(number), StreamScope::All)
}

/// Fails after a second without a wake-up. Time is paused, so the test does not really wait.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(1), future).await.expect("a wake-up")
}

async fn taken(receiver: &mut DeltaReceiver) -> Vec<String> {
    let batch = soon(receiver.next_batch()).await.expect("the queue is open");
    batch.iter().map(|(stream, delta)| show(*stream, delta)).collect()
}

// holds: Q11
#[tokio::test(start_paused = true)]
async fn a_push_wakes_the_consumer_of_an_empty_queue() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 10);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { taken(&mut receiver).await });
        tokio::task::yield_now().await;
        stream(&sender, 1).change(ChangeType::Added, object("a/x@1")).await;
        assert_eq!(soon(tasks.join_next()).await.unwrap().unwrap()[0], "+ a/x@1");
    }
}

// holds: Q29
#[tokio::test(start_paused = true)]
async fn a_push_waits_while_the_bound_is_reached() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 2);
        let mut one = stream(&sender, 1);
        one.bookmark(Version::from(1)).await;
        stream(&sender, 2).change(ChangeType::Added, object("b/x@2")).await;
        let mut third = pin!(one.change(ChangeType::Added, object("a/x@3")));
        assert!(poll!(third.as_mut()).is_pending());
        assert!(poll!(third.as_mut()).is_pending());
        receiver.next_batch().await;
        third.await;
        assert_eq!(taken(&mut receiver).await[0], "+ a/x@3");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_enters_whole_once_there_is_room_for_one_delta() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 1);
        let mut one = stream(&sender, 1);
        one.bookmark(Version::from(1)).await;
        let mut list = one.begin_replace(&StreamScope::All);
        (0..50).for_each(|n| list.accept(object(&format!("a/{n}@1"))));
        let mut commit = pin!(list.commit(Version::from(2), Epoch::Same));
        assert!(poll!(commit.as_mut()).is_pending());
        receiver.next_batch().await;
        commit.await;
        let is_listed = |shown: &String| shown == "listed 2";
        let (mut objects, mut listed) = (0, false);
        while !listed {
            let shown = taken(&mut receiver).await;
            objects += shown.iter().map(|shown| shown.matches("a/").count()).sum::<usize>();
            listed = shown.iter().any(is_listed);
        }
        assert_eq!(objects, 50);
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_pushes_enter_first_in_first_out() {
    let (sender, mut receiver) = small(QueueOrder::InOrder, 1);
    let mut streams: Vec<_> = (1..=3).map(|number| stream(&sender, number)).collect();
    let [one, two, three] = &mut streams[..] else { unreachable!() };
    one.change(ChangeType::Added, object("a/x@1")).await;
    let mut second = pin!(two.change(ChangeType::Added, object("b/x@1")));
    assert!(poll!(second.as_mut()).is_pending());
    let mut third = pin!(three.change(ChangeType::Added, object("c/x@1")));
    assert!(poll!(third.as_mut()).is_pending());
    assert_eq!(taken(&mut receiver).await, ["+ a/x@1"]);
    // There is room, but an earlier push waits for it.
    let mut again = pin!(one.change(ChangeType::Added, object("a/x@2")));
    assert!(poll!(again.as_mut()).is_pending());
    assert!(poll!(third.as_mut()).is_pending());
    assert!(poll!(second.as_mut()).is_ready());
    assert_eq!(taken(&mut receiver).await, ["2> + b/x@1"]);
    assert!(poll!(again.as_mut()).is_pending());
    assert!(poll!(third.as_mut()).is_ready());
    assert_eq!(taken(&mut receiver).await, ["3> + c/x@1"]);
    assert!(poll!(again.as_mut()).is_ready());
}

#[tokio::test(start_paused = true)]
async fn room_for_several_deltas_lets_several_waiting_pushes_enter() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 3);
        for number in 1..=3 {
            stream(&sender, number).bookmark(Version::from(1)).await;
        }
        let mut tasks = JoinSet::new();
        for number in 4..=6 {
            let mut waiting = stream(&sender, number);
            tasks.spawn(async move { waiting.bookmark(Version::from(2)).await });
        }
        tokio::task::yield_now().await;
        receiver.next_batch().await;
        soon(tasks.join_all()).await;
        assert_eq!(taken(&mut receiver).await, ["4> reached 2", "5> reached 2", "6> reached 2"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_push_dropped_while_it_waits_pushes_nothing_and_wakes_the_next() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 1);
        let (mut one, mut two) = (stream(&sender, 1), stream(&sender, 2));
        one.bookmark(Version::from(1)).await;
        let mut dropped = Box::pin(one.change(ChangeType::Added, object("a/dropped@2")));
        assert!(poll!(dropped.as_mut()).is_pending());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { two.change(ChangeType::Added, object("b/x@2")).await });
        tokio::task::yield_now().await;
        // It is woken because there is room, and dropped before it is polled.
        receiver.next_batch().await;
        drop(dropped);
        soon(tasks.join_next()).await.unwrap().unwrap();
        assert_eq!(taken(&mut receiver).await[0], "2> + b/x@2");
        assert!(receiver.next_batch().now_or_never().is_none_or(|batch| {
            batch.is_some_and(|batch| batch.iter().all(|(_, delta)| delta.object().is_none()))
        }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_take_dropped_while_it_waits_takes_nothing() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 10);
        {
            let mut waiting = pin!(receiver.next_batch());
            assert!(poll!(waiting.as_mut()).is_pending());
            stream(&sender, 1).change(ChangeType::Added, object("a/x@1")).await;
        }
        assert_eq!(taken(&mut receiver).await[0], "+ a/x@1");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_dropped_before_its_commit_queues_nothing() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 10);
        let mut one = stream(&sender, 1);
        let mut list = one.begin_replace(&StreamScope::All);
        list.accept(object("a/x@1"));
        drop(list);
        assert_eq!(sender.depth().deltas(), 0);
        assert!(receiver.next_batch().now_or_never().is_none());
    }
}

#[test]
fn the_length_of_a_list_is_the_number_of_its_keys() {
    for order in ORDERS {
        let (sender, _receiver) = small(order, 10);
        let mut one = stream(&sender, 1);
        let mut list = one.begin_replace(&StreamScope::All);
        assert!(list.is_empty());
        ["a/x@1", "a/y@2", "a/x@3"].map(object).into_iter().for_each(|object| list.accept(object));
        assert_eq!((list.len(), list.is_empty()), (2, false));
        list.retract(&object("a/x@4"));
        assert_eq!(list.len(), 1);
    }
}

// holds: Q12
#[tokio::test(start_paused = true)]
async fn a_closed_queue_still_delivers_its_deltas_and_then_ends() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 10);
        let mut one = stream(&sender, 1);
        one.change(ChangeType::Added, object("a/x@1")).await;
        sender.close();
        one.change(ChangeType::Added, object("a/late@2")).await;
        assert_eq!(taken(&mut receiver).await[0], "+ a/x@1");
        assert!(receiver.next_batch().await.is_none());
        assert!(receiver.next_batch().await.is_none());
    }
}

// holds: Q12
#[tokio::test(start_paused = true)]
async fn closing_wakes_the_consumer_and_the_waiting_pushes() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 1);
        let mut tasks = JoinSet::new();
        let mut one = stream(&sender, 1);
        one.bookmark(Version::from(1)).await;
        tasks.spawn(async move { one.bookmark(Version::from(2)).await });
        tokio::task::yield_now().await;
        sender.close();
        soon(tasks.join_next()).await.unwrap().unwrap();
        receiver.next_batch().await.unwrap();
        assert!(receiver.next_batch().await.is_none());

        let (sender, mut receiver) = small(order, 1);
        tasks.spawn(async move { assert!(receiver.next_batch().await.is_none()) });
        tokio::task::yield_now().await;
        sender.close();
        soon(tasks.join_next()).await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_queue_closes_when_the_last_sender_is_dropped() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 1);
        let one = stream(&sender, 1);
        drop(sender.clone());
        drop(sender);
        let mut ends = pin!(receiver.next_batch());
        assert!(poll!(ends.as_mut()).is_pending());
        drop(one);
        assert!(matches!(poll!(ends.as_mut()), Poll::Ready(None)));
    }
}

#[tokio::test(start_paused = true)]
async fn after_the_receiver_is_dropped_no_push_waits_and_no_delta_is_kept() {
    for order in ORDERS {
        let (sender, receiver) = small(order, 1);
        let depth = sender.depth();
        let (mut one, mut two) = (stream(&sender, 1), stream(&sender, 2));
        let kept = object("a/x@1");
        one.change(ChangeType::Added, Arc::clone(&kept)).await;
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { two.bookmark(Version::from(1)).await });
        tokio::task::yield_now().await;
        drop(receiver);
        soon(tasks.join_next()).await.unwrap().unwrap();
        one.change(ChangeType::Modified, object("a/x@2")).await;
        assert_eq!((depth.deltas(), depth.bytes_estimate(), Arc::strong_count(&kept)), (0, 0, 1));
    }
}

// holds: Q26
#[tokio::test(start_paused = true)]
async fn a_batch_is_bounded_and_a_list_is_the_last_of_its_batch() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 10_000);
        let mut one = stream(&sender, 1);
        for n in 0..BATCH_DELTAS_MAX as u64 + 10 {
            one.change(ChangeType::Added, object(&format!("a/{n}@{n}"))).await;
        }
        assert_eq!(receiver.next_batch().await.unwrap().len(), BATCH_DELTAS_MAX);
        assert!(receiver.next_batch().await.unwrap().len() >= 10);
    }
    check(
        QueueOrder::InOrder,
        "+ a/x@1
         list * @2:
         + a/x@3
         take: + a/x@1 | all *:
         take: listed 2 | + a/x@3",
    );
}

#[tokio::test(start_paused = true)]
async fn the_deltas_of_one_object_are_in_one_batch_however_many() {
    let (sender, mut receiver) = small(QueueOrder::PerObject, 10_000);
    let mut one = stream(&sender, 1);
    one.change(ChangeType::Added, object("a/x@1")).await;
    for n in 0..BATCH_DELTAS_MAX as u64 + 10 {
        one.change(ChangeType::Modified, object(&format!("a/y@{n}"))).await;
    }
    let shown = taken(&mut receiver).await;
    assert_eq!(shown, ["+ a/x@1", "reached 1"]);
    assert_eq!(receiver.next_batch().await.unwrap().len(), BATCH_DELTAS_MAX + 10);
}

// holds: Q25
#[tokio::test(start_paused = true)]
async fn the_queue_frees_an_object_after_it_was_applied() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 10);
        let kept = object("a/x@1");
        stream(&sender, 1).change(ChangeType::Added, Arc::clone(&kept)).await;
        drop(receiver.next_batch().await);
        assert!(receiver.next_batch().now_or_never().is_none());
        assert_eq!(Arc::strong_count(&kept), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_depth_counts_deltas_and_packed_bytes_and_returns_to_zero() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 77);
        let depth = sender.depth();
        assert_eq!((depth.deltas(), depth.bytes_estimate()), (0, 0));
        let mut one = stream(&sender, 1);
        let (x, y) = (object("a/x@1"), object("a/y@2#a-longer-body"));
        let bytes = x.packed_bytes() + y.packed_bytes();
        let mut list = one.begin_replace(&StreamScope::All);
        list.accept(x);
        list.accept(y);
        list.commit(Version::from(2), Epoch::Same).await;
        let deltas = if order == QueueOrder::InOrder { 2 } else { 3 };
        assert_eq!((depth.deltas(), depth.bytes_estimate()), (deltas, bytes));
        while receiver.next_batch().now_or_never().is_some() {}
        assert_eq!((depth.deltas(), depth.bytes_estimate()), (0, 0));
        let one_more = object("a/z@3");
        let bytes = one_more.packed_bytes();
        one.change(ChangeType::Added, one_more).await;
        assert_eq!(depth.bytes_estimate(), bytes);
        receiver.next_batch().await;
        assert_eq!(depth.bytes_estimate(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_itself_queues_the_end_of_its_scope() {
    for order in ORDERS {
        let (sender, mut receiver) = small(order, 10);
        sender.stream(StreamId(1), scope("a")).end().await;
        assert_eq!(taken(&mut receiver).await, ["end a"]);
    }
}

#[tokio::test(start_paused = true)]
async fn debug_output_of_a_queue_shows_how_full_it_is() {
    for order in ORDERS {
        let (sender, receiver) = small(order, 77);
        stream(&sender, 1).bookmark(Version::from(1)).await;
        for shown in [format!("{sender:?}"), format!("{receiver:?}")] {
            assert!(shown.contains("bound: 77, len: Some(1)"), "{shown}");
        }
    }
    let fifo = DeltaFifo::new(Arc::new(NothingKnown));
    assert!(format!("{fifo:?}").contains("deltas: 0"), "{fifo:?}");
}

#[test]
fn both_ends_can_move_to_other_threads() {
    fn check<T: Send + Sync>(_: &T) {}
    fn moved<T: Future + Send>(_: T) {}
    let (sender, mut receiver) = small(QueueOrder::PerObject, 1);
    check(&(&sender, &receiver, sender.depth()));
    moved(receiver.next_batch());
    moved(sender.end_stream(StreamId(1), StreamScope::All));
    moved(stream(&sender, 1).change(ChangeType::Added, object("a/x@1")));
}

/// One step of a server with two namespaces, of the two streams, or of the consumer.
#[derive(Debug, Clone, Copy)]
enum WorldStep {
    /// A write, and its watch event.
    Write(usize),
    /// A deletion, and its watch event, also of an unknown object.
    Delete(usize),
    /// A write or a deletion without a watch event: only the next list of the namespace shows it.
    MissWrite(usize),
    MissDelete(usize),
    /// The watch replays a write or a deletion with the oldest version.
    ReplayWrite(usize),
    ReplayDelete(usize),
    List(usize),
    Bookmark(usize),
    /// The stream of a namespace ends, and a new one begins with a list.
    Restart(usize),
    Resync,
    Take(usize),
}

impl WorldStep {
    fn is_replay(self) -> bool {
        matches!(self, WorldStep::ReplayWrite(_) | WorldStep::ReplayDelete(_))
    }
}

const KEYS: [&str; 6] = ["a/x", "a/y", "a/z", "b/x", "b/y", "b/z"];

fn steps() -> impl Strategy<Value = Vec<WorldStep>> {
    let step = prop_oneof![
        6 => (0..6_usize).prop_map(WorldStep::Write),
        4 => (0..6_usize).prop_map(WorldStep::Delete),
        1 => (0..6_usize).prop_map(WorldStep::MissWrite),
        1 => (0..6_usize).prop_map(WorldStep::MissDelete),
        1 => (0..6_usize).prop_map(WorldStep::ReplayWrite),
        1 => (0..6_usize).prop_map(WorldStep::ReplayDelete),
        2 => (0..2_usize).prop_map(WorldStep::List),
        1 => (0..2_usize).prop_map(WorldStep::Bookmark),
        1 => (0..2_usize).prop_map(WorldStep::Restart),
        1 => Just(WorldStep::Resync),
        4 => (1..6_usize).prop_map(WorldStep::Take),
    ];
    prop::collection::vec(step, 0..80)
}

/// A queue between the simplest server and the simplest cache.
struct World {
    order: Box<dyn order::DeltaOrder>,
    cache: Arc<Cache>,
    server: BTreeMap<&'static str, Arc<RawObject>>,
    version: u64,
    streams: [StreamId; 2],
    streams_ever: u32,
    /// The versions that each stream has pushed, without deletions, and the last version that it has reached.
    pushed: BTreeMap<StreamId, Vec<u64>>,
    reached: BTreeMap<StreamId, u64>,
    /// Whether the consumer keeps the objects of an ended stream, because a new stream follows the same scope.
    keeps_ended: bool,
    /// Taken and not applied yet.
    taken: Batch,
    out: Batch,
}

impl World {
    fn new(order: QueueOrder) -> World {
        let cache = Arc::new(Cache::default());
        let order: Box<dyn order::DeltaOrder> = match order {
            QueueOrder::InOrder => Box::new(in_order::InOrder::default()),
            QueueOrder::PerObject => Box::new(DeltaFifo::new(Arc::clone(&cache) as _)),
        };
        World {
            order,
            cache,
            server: BTreeMap::new(),
            version: 1,
            streams: [StreamId(1), StreamId(2)],
            streams_ever: 2,
            pushed: BTreeMap::new(),
            reached: BTreeMap::new(),
            keeps_ended: false,
            taken: Batch::new(),
            out: Batch::new(),
        }
    }

    fn run(order: QueueOrder, steps: &[WorldStep]) -> World {
        World::new(order).after(steps)
    }

    fn run_keeping_ended(order: QueueOrder, steps: &[WorldStep]) -> World {
        World { keeps_ended: true, ..World::new(order) }.after(steps)
    }

    fn after(self, steps: &[WorldStep]) -> World {
        let mut world = self;
        steps.iter().for_each(|step| world.step(*step));
        [0, 1].into_iter().for_each(|namespace| world.list(namespace));
        while world.order.load().deltas > 0 {
            world.take(1_000);
        }
        world.take(1);
        world
    }

    fn step(&mut self, step: WorldStep) {
        match step {
            WorldStep::Write(key) => {
                let object = self.write(key);
                let change =
                    if self.version.is_multiple_of(2) { ChangeType::Added } else { ChangeType::Modified };
                self.pushed.entry(self.streams[key / 3]).or_default().push(self.version);
                self.change(key, change, object);
            }
            WorldStep::Delete(key) => {
                self.version += 1;
                self.server.remove(KEYS[key]);
                let object = object(&format!("{}@{}", KEYS[key], self.version));
                self.change(key, ChangeType::Deleted, object);
            }
            WorldStep::MissWrite(key) => drop(self.write(key)),
            WorldStep::MissDelete(key) => drop(self.server.remove(KEYS[key])),
            WorldStep::ReplayWrite(key) => self.replay(key, ChangeType::Modified),
            WorldStep::ReplayDelete(key) => self.replay(key, ChangeType::Deleted),
            WorldStep::List(namespace) => self.list(namespace),
            WorldStep::Bookmark(namespace) => {
                self.push(namespace, order::StreamMessage::Bookmark(Version::from(self.version)));
                self.reached.insert(self.streams[namespace], self.version);
            }
            WorldStep::Restart(namespace) => {
                self.push(namespace, order::StreamMessage::Ended { scope: namespace_scope(namespace) });
                self.streams_ever += 1;
                self.streams[namespace] = StreamId(self.streams_ever);
                self.list(namespace);
            }
            WorldStep::Resync => {
                self.apply();
                self.order.resync();
            }
            WorldStep::Take(deltas_max) => self.take(deltas_max),
        }
    }

    fn write(&mut self, key: usize) -> Arc<RawObject> {
        self.version += 1;
        let object = object(&format!("{}@{}", KEYS[key], self.version));
        self.server.insert(KEYS[key], Arc::clone(&object));
        object
    }

    fn change(&mut self, key: usize, change: ChangeType, object: Arc<RawObject>) {
        self.push(key / 3, order::StreamMessage::Changed(change, object));
        self.reached.insert(self.streams[key / 3], self.version);
    }

    fn replay(&mut self, key: usize, change: ChangeType) {
        self.push(key / 3, order::StreamMessage::Changed(change, object(&format!("{}@1", KEYS[key]))));
    }

    fn list(&mut self, namespace: usize) {
        let scope = namespace_scope(namespace);
        let listed = self.server.values().filter(|object| scope.contains(object.namespace())).cloned();
        let (listed, version, epoch) = (listed.collect(), Version::from(self.version), Epoch::Same);
        self.push(namespace, order::StreamMessage::Listed { scope, listed, version, epoch });
        self.reached.insert(self.streams[namespace], self.version);
    }

    fn push(&mut self, namespace: usize, message: order::StreamMessage) {
        self.order.push(self.streams[namespace], message);
    }

    fn take(&mut self, deltas_max: usize) {
        self.apply();
        self.taken = self.order.take(deltas_max);
    }

    fn apply(&mut self) {
        for (stream, delta) in self.taken.drain(..) {
            if let Delta::Sync(object) = &delta {
                // A resync changes nothing: its object is the cached one.
                let known = self.cache.known(&object.key()).map(|known| transcript::word(&known));
                assert_eq!(known, Some(transcript::word(object)));
            }
            if !(self.keeps_ended && matches!(delta, Delta::ScopeEnded { .. })) {
                self.cache.apply_one(&delta);
            }
            self.out.push((stream, delta));
        }
    }
}

fn namespace_scope(namespace: usize) -> StreamScope {
    scope(["a", "b"][namespace])
}

fn number(version: &Version) -> u64 {
    version.number().expect("numbers only")
}

/// The versions of the watch events of a stream, without deletions, in the order in which they left.
fn versions_out(out: &Batch, stream: StreamId) -> Vec<u64> {
    out.iter()
        .filter(|(of, delta)| *of == stream && matches!(delta, Delta::Changed(..)) && !delta.is_deletion())
        .map(|(_, delta)| number(delta.object().unwrap().version()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    // holds: X29
    #[test]
    fn after_any_steps_the_cache_equals_the_server(steps in steps()) {
        for world in ORDERS
            .into_iter()
            .flat_map(|order| [World::run(order, &steps), World::run_keeping_ended(order, &steps)])
        {
            let server: Vec<_> = world.server.values().map(|object| transcript::word(object)).collect();
            prop_assert_eq!(world.cache.words(), server, "keeps ended: {}", world.keeps_ended);
        }
    }

    #[test]
    fn every_change_leaves_once_and_in_order(mut steps in steps()) {
        steps.retain(|step| !step.is_replay());
        let world = World::run(QueueOrder::InOrder, &steps);
        for (stream, pushed) in &world.pushed {
            prop_assert_eq!(&versions_out(&world.out, *stream), pushed);
        }
        let world = World::run(QueueOrder::PerObject, &steps);
        for (stream, pushed) in &world.pushed {
            let mut all = versions_out(&world.out, *stream);
            all.sort_unstable();
            prop_assert_eq!(&all, pushed);
        }
        for key in KEYS {
            let of_key: Vec<_> = world
                .out
                .iter()
                .filter(|(_, delta)| matches!(delta, Delta::Changed(..)))
                .filter_map(|(_, delta)| delta.object().filter(|object| object.key().as_str() == key))
                .map(|object| number(object.version()))
                .collect();
            prop_assert!(of_key.is_sorted(), "{key}: {of_key:?}");
        }
    }

    #[test]
    fn a_version_is_reported_only_after_everything_before_it_and_the_last_version_is_reported(mut steps in steps()) {
        steps.retain(|step| !step.is_replay());
        for order in ORDERS {
            let world = World::run(order, &steps);
            // In reverse: every change that leaves after a marker is newer than the marker.
            let (mut later_min, mut later_reached) = (BTreeMap::new(), BTreeMap::new());
            let mut last = BTreeMap::new();
            for (stream, delta) in world.out.iter().rev() {
                match delta {
                    Delta::Reached { version, .. } => {
                        let version = number(version);
                        prop_assert!(later_min.get(stream).is_none_or(|later| *later > version), "{order:?}");
                        let later = later_reached.insert(*stream, version);
                        prop_assert!(later.is_none_or(|later| later >= version), "{order:?}");
                        last.entry(*stream).or_insert(version);
                    }
                    Delta::Changed(_, object) => {
                        let version = number(object.version());
                        let min = later_min.entry(*stream).or_insert(version);
                        *min = version.min(*min);
                    }
                    _ => {}
                }
            }
            for stream in world.streams {
                prop_assert_eq!(last.get(&stream), world.reached.get(&stream), "{:?}", order);
            }
        }
    }

    // holds: Q4, X10
    #[test]
    fn per_object_every_deletion_is_of_an_existing_object_while_no_stream_ends(mut steps in steps()) {
        steps.retain(|step| !matches!(step, WorldStep::Restart(_)) && !step.is_replay());
        let world = World::run(QueueOrder::PerObject, &steps);
        let replayed = Cache::default();
        for (_, delta) in &world.out {
            if delta.is_deletion() {
                let key = delta.object().unwrap().key();
                prop_assert!(replayed.known(&key).is_some(), "{}", show(StreamId(1), delta));
            }
            replayed.apply_one(delta);
        }
    }
}
