//! The throughput of the queue in both orders: single changes, and a list of many objects.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::FutureExt;
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::{DeltaReceiver, KnownInScope, QueueOrder, StreamId, StreamSender, queue};
use tidings_informer::reflector::{Epoch, Replacement, Sink};
use tidings_object::{Budget, Intake, Kind, KnownObjects, NothingKnown, RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

const OBJECTS: usize = 10_000;
const ORDERS: [QueueOrder; 2] = [QueueOrder::InOrder, QueueOrder::PerObject];

/// A cache that contains exactly the listed objects: for the cost of a relist without changes.
struct Unchanged(Vec<Arc<RawObject>>);

impl KnownObjects for Unchanged {
    fn known(&self, key: &str) -> Option<Arc<RawObject>> {
        let (_, name) = key.split_once('/')?;
        self.0.get(name.parse::<usize>().ok()?).cloned()
    }
}

impl KnownInScope for Unchanged {
    fn for_each_in(&self, _: &StreamScope, visit: &mut dyn FnMut(&Arc<RawObject>)) {
        self.0.iter().for_each(visit);
    }
}

fn objects() -> Vec<Arc<RawObject>> {
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
    let object = |n: usize| {
        let json = format!(
            r#"{{"metadata":{{"namespace":"bench","name":"{n}","uid":"u{n}","resourceVersion":"{n}"}}}}"#
        );
        intake.json(json.as_bytes(), &NothingKnown).expect("well-formed")
    };
    (0..OBJECTS).map(object).collect()
}

fn pushes_changes(sink: &mut StreamSender, objects: &[Arc<RawObject>]) {
    for object in objects {
        sink.change(ChangeType::Modified, Arc::clone(object)).now_or_never().expect("room in the queue");
    }
}

fn pushes_list(sink: &mut StreamSender, objects: &[Arc<RawObject>]) {
    let mut list = sink.begin_replace(&StreamScope::All);
    objects.iter().for_each(|object| list.accept(Arc::clone(object)));
    list.commit(Version::from(1), Epoch::Same).now_or_never().expect("room in the queue");
}

fn takes_all(receiver: &mut DeltaReceiver) {
    while let Some(Some(batch)) = receiver.next_batch().now_or_never() {
        black_box(batch);
    }
}

fn throughput(criterion: &mut Criterion) {
    let objects = objects();
    type Pushes = fn(&mut StreamSender, &[Arc<RawObject>]);
    let nothing: Arc<dyn KnownInScope> = Arc::new(NothingKnown);
    let everything: Arc<dyn KnownInScope> = Arc::new(Unchanged(objects.clone()));
    let cases: [(&str, Pushes, &Arc<dyn KnownInScope>); 3] = [
        ("changes", pushes_changes, &nothing),
        ("list", pushes_list, &nothing),
        ("unchanged_list", pushes_list, &everything),
    ];
    for (name, pushes, known) in cases {
        let mut group = criterion.benchmark_group(format!("delta/{name}"));
        group.throughput(Throughput::Elements(OBJECTS as u64));
        for order in ORDERS {
            group.bench_function(format!("{order:?}"), |bencher| {
                let set_up = || queue(order, 4 * OBJECTS, Arc::clone(known));
                bencher.iter_batched(
                    set_up,
                    |(sender, mut receiver)| {
                        let mut sink = sender.stream(StreamId(1), StreamScope::All);
                        pushes(&mut sink, &objects);
                        takes_all(&mut receiver);
                        (sender, receiver)
                    },
                    BatchSize::LargeInput,
                );
            });
        }
        group.finish();
    }
}

criterion_group!(benches, throughput);
criterion_main!(benches);
