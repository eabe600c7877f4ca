//! The waits and wake-ups of the bounded queue under shuttle: hundreds of interleavings of tasks that push, wait, give
//! up and close, and of the consumer. A lost wake-up is a deadlock, which shuttle reports.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bounded::{BoundedQueue, QueueContents};
use shuttle::future::{block_on, spawn};

#[path = "../src/delta/bounded.rs"]
mod bounded;

/// The lock of `bounded.rs` in this test.
mod sync {
    pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Mutex(shuttle::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> shuttle::sync::MutexGuard<'_, T> {
            self.0.lock().expect("no panic while the lock is held")
        }
    }
}

const INTERLEAVINGS: usize = 500;
const BOUND: usize = 1;

#[derive(Default)]
struct Items(Vec<(usize, usize)>);

impl QueueContents for Items {
    type Batch = Vec<(usize, usize)>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn take(&mut self) -> Option<Self::Batch> {
        (!self.0.is_empty()).then(|| self.0.drain(..).collect())
    }
}

async fn take_all(queue: &BoundedQueue<Items>) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    while let Some(batch) = poll_fn(|cx| queue.poll_take(cx)).await {
        assert!(batch.len() <= BOUND, "more is queued than the bound allows");
        all.extend(batch);
    }
    all
}

async fn push_all(queue: &BoundedQueue<Items>, of: usize) {
    for item in 0..3 {
        queue.push(move |items: &mut Items| items.0.push((of, item))).await;
    }
}

#[test]
fn every_push_enters_once_and_in_order_within_the_bound() {
    let scenario = || {
        let queue = Arc::new(BoundedQueue::new(Items::default(), BOUND));
        block_on(async {
            let pushes = [0, 1, 2].map(|of| {
                let queue = Arc::clone(&queue);
                spawn(async move { push_all(&queue, of).await })
            });
            let consumer = {
                let queue = Arc::clone(&queue);
                spawn(async move { take_all(&queue).await })
            };
            for push in pushes {
                push.await.expect("a push ends");
            }
            queue.close();
            let all = consumer.await.expect("the consumer ends");
            for of in 0..3 {
                let its: Vec<_> =
                    all.iter().filter(|(other, _)| *other == of).map(|(_, item)| *item).collect();
                assert_eq!(its, [0, 1, 2]);
            }
        });
    };
    shuttle::check_random(scenario, INTERLEAVINGS);
}

#[test]
fn a_push_that_gives_up_never_blocks_the_others() {
    let scenario = || {
        let queue = Arc::new(BoundedQueue::new(Items::default(), BOUND));
        block_on(async {
            let gives_up = {
                let queue = Arc::clone(&queue);
                spawn(async move {
                    let mut push = pin!(queue.push(|items: &mut Items| items.0.push((9, 9))));
                    for _ in 0..2 {
                        if poll_fn(|cx| Poll::Ready(push.as_mut().poll(cx))).await.is_ready() {
                            return;
                        }
                        shuttle::future::yield_now().await;
                    }
                })
            };
            let pushes = [0, 1].map(|of| {
                let queue = Arc::clone(&queue);
                spawn(async move { push_all(&queue, of).await })
            });
            let consumer = {
                let queue = Arc::clone(&queue);
                spawn(async move { take_all(&queue).await })
            };
            for push in pushes {
                push.await.expect("a push ends");
            }
            gives_up.await.expect("giving up ends");
            queue.close();
            let all = consumer.await.expect("the consumer ends");
            assert_eq!(all.iter().filter(|(of, _)| *of < 2).count(), 6);
        });
    };
    shuttle::check_random(scenario, INTERLEAVINGS);
}

#[test]
fn closing_wakes_all_waiting_tasks() {
    for close in [BoundedQueue::<Items>::close, BoundedQueue::<Items>::close_and_clear] {
        let scenario = move || {
            let queue = Arc::new(BoundedQueue::new(Items::default(), BOUND));
            block_on(async {
                let mut tasks = Vec::from([0, 1].map(|of| {
                    let queue = Arc::clone(&queue);
                    spawn(async move { push_all(&queue, of).await })
                }));
                let consumer = Arc::clone(&queue);
                tasks.push(spawn(async move { drop(poll_fn(|cx| consumer.poll_take(cx)).await) }));
                close(&queue);
                for task in tasks {
                    task.await.expect("every task ends");
                }
            });
        };
        shuttle::check_random(scenario, INTERLEAVINGS);
    }
}

#[test]
fn items_pushed_above_the_bound_are_taken_and_no_push_waits_for_ever() {
    let scenario = || {
        let queue = Arc::new(BoundedQueue::new(Items::default(), BOUND));
        block_on(async {
            let pushes = [0, 1].map(|of| {
                let queue = Arc::clone(&queue);
                spawn(async move { push_all(&queue, of).await })
            });
            let mut all = Vec::new();
            while all.len() < 2 * 3 + 4 {
                if all.is_empty() {
                    let put = queue.push_above_bound(|items: &mut Items| {
                        items.0.extend([(9, 0), (9, 1), (9, 2), (9, 3)])
                    });
                    assert!(put.is_some());
                }
                all.extend(poll_fn(|cx| queue.poll_take(cx)).await.expect("it is open"));
            }
            for push in pushes {
                push.await.expect("a push ends");
            }
            queue.close();
            assert!(queue.push_above_bound(|items: &mut Items| items.0.push((9, 9))).is_none());
            assert_eq!(all.iter().filter(|(of, _)| *of == 9).count(), 4);
        });
    };
    shuttle::check_random(scenario, INTERLEAVINGS);
}

/// A queue with a bug: it releases the lock before it registers the waker, so a push between the two wakes no task.
struct LosesWakeUps {
    item: sync::Mutex<Option<u8>>,
    consumer: sync::Mutex<Option<Waker>>,
}

impl LosesWakeUps {
    fn poll_take(&self, cx: &mut Context<'_>) -> Poll<u8> {
        if let Some(item) = self.item.lock().take() {
            return Poll::Ready(item);
        }
        *self.consumer.lock() = Some(cx.waker().clone());
        Poll::Pending
    }

    fn push(&self, item: u8) {
        *self.item.lock() = Some(item);
        if let Some(consumer) = self.consumer.lock().take() {
            consumer.wake();
        }
    }
}

#[test]
#[should_panic(expected = "deadlock")]
fn shuttle_finds_a_lost_wake_up() {
    let scenario = || {
        let queue = Arc::new(LosesWakeUps { item: sync::Mutex::new(None), consumer: sync::Mutex::new(None) });
        block_on(async {
            let consumer = Arc::clone(&queue);
            let taken = spawn(async move { poll_fn(|cx| consumer.poll_take(cx)).await });
            queue.push(7);
            assert_eq!(taken.await.expect("it ends"), 7);
        });
    };
    shuttle::check_random(scenario, INTERLEAVINGS);
}
