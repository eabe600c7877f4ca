//! How fast items pass: added, taken, done, by one worker and by four, and how much a delay costs when many are
//! pending. `bench/peers/workqueue` does the same work with client-go's queue.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tidings_workqueue::{Item, WorkQueue};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

const ITEMS: usize = 10_000;
const DELAYED: [usize; 3] = [1_000, 10_000, 100_000];

fn strings() -> Vec<Arc<str>> {
    (0..ITEMS).map(|n| format!("namespace-{}/name-{n}", n % 100).into()).collect()
}

fn numbers() -> Vec<u64> {
    (0..ITEMS as u64).collect()
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime starts")
}

async fn work_until_shut_down<T: Item>(queue: WorkQueue<T>) {
    while let Some(item) = queue.next().await {
        black_box(&*item);
    }
}

/// One after the other: each item is added, taken and done before the next one.
async fn one_by_one<T: Item>(queue: &WorkQueue<T>, items: &[T]) {
    for item in items {
        queue.add(item.clone());
        black_box(queue.next().await);
    }
}

/// All items are added, then worked on by so many workers.
async fn backlog<T: Item>(items: Arc<[T]>, workers: usize) {
    let queue = WorkQueue::new();
    for item in &*items {
        queue.add(item.clone());
    }
    queue.shut_down();
    let workers: JoinSet<()> = (0..workers).map(|_| work_until_shut_down(queue.clone())).collect();
    workers.join_all().await;
}

/// Items are worked on while others are still being added.
async fn flow<T: Item>(items: Arc<[T]>, workers: usize) {
    let queue = WorkQueue::new();
    let mut tasks: JoinSet<()> = (0..workers).map(|_| work_until_shut_down(queue.clone())).collect();
    tasks.spawn(async move {
        for item in &*items {
            queue.add(item.clone());
        }
        queue.shut_down();
    });
    tasks.join_all().await;
}

fn passes<T: Item>(criterion: &mut Criterion, kind: &str, items: &[T]) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group(format!("queue/{kind}"));
    group.throughput(Throughput::Elements(ITEMS as u64));
    group.bench_function("one_by_one", |bencher| {
        let queue = WorkQueue::new();
        bencher.iter(|| runtime.block_on(one_by_one(&queue, items)));
    });
    let items: Arc<[T]> = items.into();
    for workers in [1, 4] {
        group.bench_function(BenchmarkId::new("backlog", workers), |bencher| {
            bencher.iter(|| runtime.block_on(runtime.spawn_of(backlog(Arc::clone(&items), workers))));
        });
        group.bench_function(BenchmarkId::new("flow", workers), |bencher| {
            bencher.iter(|| runtime.block_on(runtime.spawn_of(flow(Arc::clone(&items), workers))));
        });
    }
    group.finish();
}

/// Runs a future on a worker thread, as a controller would.
trait SpawnOf {
    fn spawn_of(&self, future: impl Future<Output = ()> + Send + 'static) -> impl Future<Output = ()>;
}

impl SpawnOf for Runtime {
    fn spawn_of(&self, future: impl Future<Output = ()> + Send + 'static) -> impl Future<Output = ()> {
        let mut task = JoinSet::new();
        task.spawn_on(future, self.handle());
        async { task.join_all().await.into_iter().collect() }
    }
}

fn delays(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("queue/delayed");
    for count in DELAYED {
        let after = |n: usize| Duration::from_secs(3600) + Duration::from_micros((n * 7919 % count) as u64);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("add", count), |bencher| {
            let add_all = |queue: WorkQueue<usize>| {
                (0..count).for_each(|n| {
                    queue.add_after(n, after(n));
                });
                queue
            };
            bencher.iter_batched(WorkQueue::new, add_all, BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("fire_and_take", count), |bencher| {
            let runtime =
                Builder::new_current_thread().enable_time().start_paused(true).build().expect("it starts");
            let set_up = || {
                let _entered = runtime.enter();
                let queue = WorkQueue::new();
                (0..count).for_each(|n| {
                    queue.add_after(n, after(n));
                });
                queue
            };
            let take_all = |queue: WorkQueue<usize>| {
                runtime.block_on(async {
                    for _ in 0..count {
                        black_box(queue.next().await);
                    }
                });
                queue
            };
            bencher.iter_batched(set_up, take_all, BatchSize::LargeInput);
        });
    }
    group.finish();
}

fn throughput(criterion: &mut Criterion) {
    passes(criterion, "strings", &strings());
    passes(criterion, "numbers", &numbers());
}

criterion_group!(benches, throughput, delays);
criterion_main!(benches);
