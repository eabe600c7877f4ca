//! How long an item can be overtaken.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;

use crate::clock::Moment;
use crate::order::{Order, Scheduling};
use crate::priority::{Allowances, Priority};
use crate::slots::Slots;

const ALLOWANCES: Allowances = Allowances { background: Duration::from_millis(30) };

#[derive(Debug, Clone, Copy)]
enum Step {
    Add { priority: Priority, flow: u64 },
    Take,
    Wait { ms: u64 },
}

fn step(flows: u64) -> impl Strategy<Value = Step> {
    let priority = prop_oneof![Just(Priority::LIVE), Just(Priority::BACKGROUND)];
    prop_oneof![
        3 => (priority, 0..flows).prop_map(|(priority, flow)| Step::Add { priority, flow }),
        2 => Just(Step::Take),
        1 => (1..20_u64).prop_map(|ms| Step::Wait { ms }),
    ]
}

/// An item that waits or was handed out; its number is its slot.
#[derive(Debug)]
struct Waited {
    deadline: Moment,
    flow: u64,
    /// The items that were handed out while it waited.
    passed: Vec<usize>,
    /// The flows that had a waiting item at any time while it waited.
    flows: BTreeSet<u64>,
    is_waiting: bool,
}

/// All items of a run, with what happened while they waited.
fn run(steps: &[Step], scheduling: Scheduling) -> Vec<Waited> {
    let (mut order, mut slots) = (Order::new(ALLOWANCES, scheduling), Slots::new());
    let (mut items, mut now) = (Vec::<Waited>::new(), Moment::default());
    let rest = std::iter::repeat_n(&Step::Take, steps.len());
    for step in steps.iter().chain(rest) {
        match *step {
            Step::Wait { ms } => now = now.after(Duration::from_millis(ms)),
            Step::Add { priority, flow } => {
                let slot = slots.insert(0, items.len());
                slots.slot_mut(slot).flow = flow;
                order.push(&mut slots, slot, priority, now);
                let deadline = now.after(ALLOWANCES.of(priority));
                let waiting = items.iter().filter(|item| item.is_waiting).map(|item| item.flow);
                let flows = waiting.chain([flow]).collect();
                items.push(Waited { deadline, flow, passed: Vec::new(), flows, is_waiting: true });
                items.iter_mut().filter(|item| item.is_waiting).for_each(|item| {
                    item.flows.insert(flow);
                });
            }
            Step::Take => {
                let Some(slot) = order.first(&slots) else { continue };
                order.pop(&mut slots, slot);
                items[slot as usize].is_waiting = false;
                let waiting = items.iter_mut().filter(|item| item.is_waiting);
                waiting.for_each(|item| item.passed.push(slot as usize));
            }
        }
    }
    assert!(items.iter().all(|item| !item.is_waiting) && order.len() == 0, "an item was lost");
    items
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    // holds: W4
    #[test]
    fn an_item_is_never_overtaken_by_one_with_a_later_deadline(steps in prop::collection::vec(step(1), 1..150)) {
        let items = run(&steps, Scheduling::FirstInFirstOut);
        for (at, item) in items.iter().enumerate() {
            for passed in &item.passed {
                let other = &items[*passed];
                prop_assert!(other.deadline <= item.deadline, "{passed} went before {at}");
                prop_assert!(other.deadline < item.deadline || *passed < at, "{passed} went before {at}");
            }
        }
    }

    #[test]
    fn with_n_flows_an_item_waits_for_at_most_n_times_the_items_due_before_it(steps in prop::collection::vec(step(5), 1..150)) {
        let items = run(&steps, Scheduling::RoundRobin);
        for (at, item) in items.iter().enumerate() {
            let due_before = item.passed.iter().filter(|other| {
                let other_deadline = items[**other].deadline;
                other_deadline < item.deadline || other_deadline == item.deadline && **other < at
            });
            let bound = item.flows.len() * (due_before.count() + 1);
            prop_assert!(item.passed.len() < bound, "{at}: {} passed, not under {bound}", item.passed.len());
        }
    }

    #[test]
    fn a_flow_has_no_second_turn_while_another_waits_for_its_first(counts in prop::collection::vec(1..20_usize, 1..6)) {
        let adds = counts.iter().zip(0..).flat_map(|(count, flow)| {
            std::iter::repeat_n(Step::Add { priority: Priority::LIVE, flow }, *count)
        });
        let (mut order, mut slots) = (Order::new(ALLOWANCES, Scheduling::RoundRobin), Slots::new());
        let mut flows = Vec::new();
        for add in adds {
            if let Step::Add { priority, flow } = add {
                let slot = slots.insert(0, flows.len());
                slots.slot_mut(slot).flow = flow;
                order.push(&mut slots, slot, priority, Moment::default());
                flows.push(flow);
            }
        }
        let mut turns = vec![0_usize; counts.len()];
        while let Some(slot) = order.first(&slots) {
            order.pop(&mut slots, slot);
            let flow = flows[slot as usize] as usize;
            let behind = (0..counts.len()).find(|other| turns[*other] < turns[flow].min(counts[*other]));
            prop_assert_eq!(behind, None, "{} has had fewer turns than {}", behind.unwrap_or(0), flow);
            turns[flow] += 1;
        }
        prop_assert_eq!(turns, counts);
    }
}
