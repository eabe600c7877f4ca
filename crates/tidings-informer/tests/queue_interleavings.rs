//! The waits and wakes of the delta queue under shuttle: thousands of interleavings of those who push, wait,
//! give up and close, and of the one who takes. A lost wake-up is a deadlock, which shuttle reports.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bounded::{BoundedQueue, QueueContents};
use shuttle::future::{block_on, spawn};

#[path = "../src/delta/bounded.rs"]
mod bounded;

/// What the bounded takes its lock from here.
mod sync {
    pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Mutex(shuttle::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> shuttle::sync::MutexGuard<'_, T> {
            self.0.lock().expect("nobody panics while holding it")
        }
    }
}

const INTERLEAVINGS: usize = 500;

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

async fn take_all(bounded: &BoundedQueue<Items>) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    while let Some(batch) = poll_fn(|cx| bounded.poll_take(cx)).await {
        assert!(batch.len() <= bounded.bound(), "more was queued than the bound allows");
        all.extend(batch);
    }
    all
}

async fn push_all(bounded: &BoundedQueue<Items>, of: usize) {
    for item in 0..3 {
        bounded.enter(move |items: &mut Items| items.0.push((of, item))).await;
    }
}

#[test]
fn every_push_enters_once_and_in_its_order_within_the_bound() {
    let scenario = || {
        let bounded = Arc::new(BoundedQueue::new(Items::default(), 1));
        block_on(async {
            let pushes = [0, 1, 2].map(|of| {
                let bounded = Arc::clone(&bounded);
                spawn(async move { push_all(&bounded, of).await })
            });
            let taker = {
                let bounded = Arc::clone(&bounded);
                spawn(async move { take_all(&bounded).await })
            };
            for push in pushes {
                push.await.expect("a push ends");
            }
            bounded.close();
            let all = taker.await.expect("the taker ends");
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
fn a_push_that_gives_up_never_keeps_the_others_waiting() {
    let scenario = || {
        let bounded = Arc::new(BoundedQueue::new(Items::default(), 1));
        block_on(async {
            let gives_up = {
                let bounded = Arc::clone(&bounded);
                spawn(async move {
                    let mut push = pin!(bounded.enter(|items: &mut Items| items.0.push((9, 9))));
                    for _ in 0..2 {
                        if poll_fn(|cx| Poll::Ready(push.as_mut().poll(cx))).await.is_ready() {
                            return;
                        }
                        shuttle::future::yield_now().await;
                    }
                })
            };
            let pushes = [0, 1].map(|of| {
                let bounded = Arc::clone(&bounded);
                spawn(async move { push_all(&bounded, of).await })
            });
            let taker = {
                let bounded = Arc::clone(&bounded);
                spawn(async move { take_all(&bounded).await })
            };
            for push in pushes {
                push.await.expect("a push ends");
            }
            gives_up.await.expect("giving up ends");
            bounded.close();
            let all = taker.await.expect("the taker ends");
            assert_eq!(all.iter().filter(|(of, _)| *of < 2).count(), 6);
        });
    };
    shuttle::check_random(scenario, INTERLEAVINGS);
}

#[test]
fn closing_or_leaving_wakes_everybody() {
    for leave in [BoundedQueue::<Items>::close, BoundedQueue::<Items>::abandon] {
        let scenario = move || {
            let bounded = Arc::new(BoundedQueue::new(Items::default(), 1));
            block_on(async {
                let mut tasks = Vec::from([0, 1].map(|of| {
                    let bounded = Arc::clone(&bounded);
                    spawn(async move { push_all(&bounded, of).await })
                }));
                let taker = Arc::clone(&bounded);
                tasks.push(spawn(async move { drop(poll_fn(|cx| taker.poll_take(cx)).await) }));
                leave(&bounded);
                for task in tasks {
                    task.await.expect("everybody ends");
                }
            });
        };
        shuttle::check_random(scenario, INTERLEAVINGS);
    }
}

#[test]
fn what_the_taker_puts_in_above_the_bound_comes_out_and_nobody_is_left_waiting() {
    let scenario = || {
        let bounded = Arc::new(BoundedQueue::new(Items::default(), 1));
        block_on(async {
            let pushes = [0, 1].map(|of| {
                let bounded = Arc::clone(&bounded);
                spawn(async move { push_all(&bounded, of).await })
            });
            let mut all = Vec::new();
            while all.len() < 2 * 3 + 4 {
                if all.is_empty() {
                    let put =
                        bounded.put(|items: &mut Items| items.0.extend([(9, 0), (9, 1), (9, 2), (9, 3)]));
                    assert!(put.is_some());
                }
                all.extend(poll_fn(|cx| bounded.poll_take(cx)).await.expect("it is open"));
            }
            for push in pushes {
                push.await.expect("a push ends");
            }
            bounded.close();
            assert!(bounded.put(|items: &mut Items| items.0.push((9, 9))).is_none());
            assert_eq!(all.iter().filter(|(of, _)| *of == 9).count(), 4);
        });
    };
    shuttle::check_random(scenario, INTERLEAVINGS);
}

/// A bounded that looks, lets go of its lock, and only then leaves its waker: what comes in between wakes nobody.
struct Careless {
    item: sync::Mutex<Option<u8>>,
    taker: sync::Mutex<Option<Waker>>,
}

impl Careless {
    fn poll_take(&self, cx: &mut Context<'_>) -> Poll<u8> {
        if let Some(item) = self.item.lock().take() {
            return Poll::Ready(item);
        }
        *self.taker.lock() = Some(cx.waker().clone());
        Poll::Pending
    }

    fn push(&self, item: u8) {
        *self.item.lock() = Some(item);
        if let Some(taker) = self.taker.lock().take() {
            taker.wake();
        }
    }
}

#[test]
#[should_panic(expected = "deadlock")]
fn the_check_would_find_a_lost_wake_up() {
    let scenario = || {
        let bounded = Arc::new(Careless { item: sync::Mutex::new(None), taker: sync::Mutex::new(None) });
        block_on(async {
            let taker = Arc::clone(&bounded);
            let taken = spawn(async move { poll_fn(|cx| taker.poll_take(cx)).await });
            bounded.push(7);
            assert_eq!(taken.await.expect("it ends"), 7);
        });
    };
    shuttle::check_random(scenario, INTERLEAVINGS);
}
