//! The parts of the state, where a test of the whole would not find a bug.

use std::sync::Arc;
use std::time::Duration;

use tidings_util::Histogram;

use crate::clock::Moment;
use crate::delay::Delayed;
use crate::links::{Link, List};
use crate::order::{Order, Scheduling};
use crate::priority::{Allowances, Priority};
use crate::slots::Slot;
use crate::state::{NewItem, State, TakeResult};
use crate::stats::BOUNDS_NANOS;

fn arrival<T>(item: T, after: Duration) -> NewItem<T> {
    NewItem { item: Some(item), hash: 7, flow: 0, priority: Priority::LIVE, after, is_retry: false }
}

// holds: X19
#[test]
fn cancelled_delays_do_not_accumulate() {
    let mut state = State::new(Order::new(Allowances::DEFAULT, Scheduling::FirstInFirstOut), None);
    for _ in 0..10_000 {
        state.add(&mut arrival("a", Duration::from_secs(60)));
        state.add(&mut arrival("a", Duration::ZERO));
        let TakeResult::Item { slot, .. } = state.take() else { panic!("an item waits") };
        state.finish(slot);
    }
    assert!(state.delay_entries() < 200, "{} entries for no delay", state.delay_entries());
}

#[test]
fn a_delay_is_popped_once_and_in_order() {
    let mut delayed = Delayed::default();
    for (slot, nanos) in [(0, 30), (1, 10), (2, 20), (3, 10), (4, 15)] {
        delayed.push(slot, Moment(nanos));
    }
    delayed.cancel(2);
    delayed.cancel(4);
    delayed.push(4, Moment(40));
    let popped: Vec<_> = std::iter::from_fn(|| delayed.pop(Moment(25))).collect();
    assert_eq!(popped, [(1, Moment(10)), (3, Moment(10))]);
    assert_eq!((delayed.len(), delayed.next_at(), delayed.ready_at(4)), (2, Some(Moment(30)), Moment(40)));
    assert_eq!(delayed.clear().len(), 2);
}

// holds: W10
#[test]
fn an_item_that_is_done_has_no_slot() {
    let mut state = State::new(Order::new(Allowances::DEFAULT, Scheduling::FirstInFirstOut), None);
    let item = Arc::new(1);
    state.add(&mut arrival(Arc::clone(&item), Duration::ZERO));
    let TakeResult::Item { item: taken, slot, .. } = state.take() else { panic!("an item waits") };
    drop(taken);
    drop(state.finish(slot));
    assert_eq!(Arc::strong_count(&item), 1);
}

#[test]
fn a_slot_is_removed_from_anywhere_in_its_list_and_appended_again() {
    let (mut links, mut list) = (Vec::<Link>::new(), List::default());
    (0..5).for_each(|slot| list.push(&mut links, slot));
    for slot in [2, 0, 4] {
        list.remove(&mut links, slot);
        list.push(&mut links, slot);
    }
    list.remove(&mut links, 4);
    list.push(&mut links, 5);
    let order: Vec<_> = std::iter::from_fn(|| {
        let first = list.first()?;
        list.remove(&mut links, first);
        Some(first)
    })
    .collect();
    assert_eq!((order, list.is_empty()), (vec![1, 3, 2, 0, 5], true));
}

#[test]
fn a_slot_fits_into_a_cache_line() {
    assert_eq!((size_of::<Slot<Arc<str>>>(), size_of::<Slot<u64>>()), (64, 64));
}

// holds: M1
#[test]
fn durations_fall_into_powers_of_ten_from_ten_nanoseconds_to_ten_seconds() {
    let mut histogram = Histogram::new(&BOUNDS_NANOS);
    for nanos in [0, 10, 11, 10_000_000_000, 10_000_000_001] {
        histogram.observe(Duration::from_nanos(nanos));
    }
    let (bounds, counts): (Vec<_>, Vec<_>) = histogram.buckets().unzip();
    assert_eq!(bounds, [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, f64::INFINITY]);
    assert_eq!(counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    assert_eq!((histogram.count(), histogram.sum()), (5, Duration::from_nanos(20_000_000_022)));
}
