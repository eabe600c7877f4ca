//! Which workers a step wakes: one for each item, none twice, and one that becomes the timer worker.

use std::time::Duration;

use crate::clock::Moment;
use crate::order::{Order, Scheduling};
use crate::priority::{Allowances, Priority};
use crate::state::{NewItem, State, WaitEnd, Wakes};

fn state() -> State<u32> {
    State::new(Order::new(Allowances::DEFAULT, Scheduling::FirstInFirstOut), None)
}

fn add(state: &mut State<u32>, item: u32, after_ms: u64) -> Wakes {
    let after = Duration::from_millis(after_ms);
    let (hash, flow, priority) = (u64::from(item), 0, Priority::LIVE);
    state.add(&mut NewItem { item: Some(item), hash, flow, priority, after, is_retry: false });
    state.wakes()
}

fn workers(workers: usize) -> Wakes {
    Wakes { workers, timer: false, drainers: false }
}

#[test]
fn each_item_wakes_one_idle_worker_and_no_worker_is_woken_twice() {
    let mut state = state();
    assert_eq!(add(&mut state, 0, 0), workers(0), "no worker is idle");
    state.take();
    (0..2).for_each(|_| assert_eq!(state.begin_wait(), Some(None)));
    assert_eq!(add(&mut state, 1, 0), workers(1));
    assert_eq!(add(&mut state, 1, 0), workers(0), "it waits already");
    assert_eq!(add(&mut state, 2, 0), workers(1));
    assert_eq!(add(&mut state, 3, 0), workers(0), "both were woken and have not run");
    state.end_wait(None, WaitEnd::Woken);
    assert_eq!(add(&mut state, 4, 0), workers(0), "one was woken and has not run");
    assert_eq!(state.begin_wait(), None, "items wait");
}

#[test]
fn a_delay_wakes_a_worker_that_becomes_the_timer_worker_and_an_earlier_delay_wakes_that_one() {
    let mut state = state();
    let ten = Moment(10_000_000);
    (0..2).for_each(|_| assert_eq!(state.begin_wait(), Some(None)));
    assert_eq!(add(&mut state, 1, 10), workers(1));
    state.end_wait(None, WaitEnd::Woken);
    assert_eq!(state.begin_wait(), Some(Some(ten)));
    for (item, after_ms, timer) in [(2, 20, false), (3, 10, false), (4, 5, true)] {
        assert_eq!(add(&mut state, item, after_ms), Wakes { timer, ..workers(0) }, "after {after_ms} ms");
    }
    state.end_wait(Some(ten), WaitEnd::Otherwise);
    assert_eq!(state.wakes(), workers(1), "the other worker takes its place");
}
