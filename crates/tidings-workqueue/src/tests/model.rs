//! Random steps, run on the state and on a simple model, with the same result.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use crate::clock::Moment;
use crate::links::SlotId;
use crate::order::{Order, Scheduling};
use crate::priority::{Allowances, Priority};
use crate::state::{Added, NewItem, Phase, State, TakeResult};

const ALLOWANCES: Allowances = Allowances { background: Duration::from_millis(128) };

#[derive(Debug, Clone)]
enum Step {
    Add { item: u8, priority: Priority, after_ms: u64 },
    Take,
    Finish { nth: usize },
    Wait { ms: u64 },
    Close { phase: Phase },
}

fn step() -> impl Strategy<Value = Step> {
    let priority = prop_oneof![Just(Priority::LIVE), Just(Priority::BACKGROUND), Just(Priority::new(20))];
    let after_ms = prop_oneof![3 => Just(0), 2 => 1..100_u64];
    prop_oneof![
        60 => (0..12_u8, priority, after_ms).prop_map(|(item, priority, after_ms)| Step::Add { item, priority, after_ms }),
        50 => Just(Step::Take),
        40 => (0..8_usize).prop_map(|nth| Step::Finish { nth }),
        30 => (1..60_u64).prop_map(|ms| Step::Wait { ms }),
        1 => prop_oneof![Just(Phase::Draining), Just(Phase::ShutDown)].prop_map(|phase| Step::Close { phase }),
    ]
}

/// One entry for each pending item, in no order.
#[derive(Debug)]
struct Model {
    now_ms: u64,
    is_open: bool,
    steps: u64,
    pending: BTreeMap<u8, Turn>,
    working: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Turn {
    ready_ms: u64,
    /// Of delays that end at the same moment, the one that was added first is first.
    added_at: u64,
    priority: Priority,
    /// Its position among the waiting: by deadline, then the larger allowance, then the order of adds.
    place: Option<(u64, Reverse<Priority>, u64)>,
}

fn deadline_ms(priority: Priority, from_ms: u64) -> u64 {
    from_ms + u64::from(priority.rank())
}

impl Model {
    fn new() -> Self {
        Model { now_ms: 0, is_open: true, steps: 0, pending: BTreeMap::new(), working: Vec::new() }
    }

    fn tick(&mut self) -> u64 {
        self.steps += 1;
        self.steps
    }

    fn enter(&mut self, item: u8, from_ms: u64) {
        let arrival = self.tick();
        let is_worked_on = self.working.contains(&item);
        let turn = self.pending.get_mut(&item).expect("it is pending");
        turn.place =
            (!is_worked_on).then(|| (deadline_ms(turn.priority, from_ms), Reverse(turn.priority), arrival));
    }

    fn add(&mut self, item: u8, priority: Priority, after_ms: u64) -> Added {
        if !self.is_open {
            return Added::Ignored;
        }
        let (now_ms, ready_ms, added_at) = (self.now_ms, self.now_ms + after_ms, self.tick());
        let old = self.pending.get(&item).copied();
        let better = old.map_or(priority, |old| old.priority.min(priority));
        if let Some(old) = old
            && old.ready_ms <= ready_ms.max(now_ms)
        {
            let mut turn = Turn { priority: better, ..old };
            if let Some((deadline, ..)) = old.place
                && after_ms == 0
                && deadline_ms(priority, now_ms) < deadline
            {
                turn.place = Some((deadline_ms(priority, now_ms), Reverse(priority), added_at));
            }
            self.pending.insert(item, turn);
            return Added::Collapsed;
        }
        self.pending.insert(item, Turn { ready_ms, added_at, priority: better, place: None });
        if after_ms > 0 {
            return Added::Delayed;
        }
        self.enter(item, now_ms);
        Added::Queued
    }

    fn take(&mut self) -> Option<(u8, Priority)> {
        let placed = self.pending.iter().filter_map(|(item, turn)| Some((turn.place?, *item)));
        let (_, item) = placed.min()?;
        let turn = self.pending.remove(&item).expect("it was just seen");
        self.working.push(item);
        Some((item, turn.priority))
    }

    fn finish(&mut self, item: u8) {
        self.working.retain(|other| *other != item);
        if self.pending.get(&item).is_some_and(|turn| turn.ready_ms <= self.now_ms) {
            self.enter(item, self.now_ms);
        }
    }

    fn wait(&mut self, ms: u64) {
        let before_ms = self.now_ms;
        self.now_ms += ms;
        let over = before_ms + 1..=self.now_ms;
        let ended = self.pending.iter().filter(|(_, turn)| over.contains(&turn.ready_ms));
        let mut ended: Vec<_> = ended.map(|(item, turn)| (turn.ready_ms, turn.added_at, *item)).collect();
        ended.sort_unstable();
        for (ready_ms, _, item) in ended {
            self.enter(item, ready_ms);
        }
    }

    fn close(&mut self) {
        self.is_open = false;
        self.pending.retain(|_, turn| turn.ready_ms <= self.now_ms);
    }

    fn waiting(&self) -> usize {
        self.pending.values().filter(|turn| turn.place.is_some()).count()
    }

    fn delayed(&self) -> usize {
        self.pending.values().filter(|turn| turn.ready_ms > self.now_ms).count()
    }
}

fn arrival(item: u8, priority: Priority, after_ms: u64) -> NewItem<u8> {
    let after = Duration::from_millis(after_ms);
    // Three hashes for twelve items, so that items collide.
    let hash = u64::from(item % 3);
    NewItem { item: Some(item), hash, flow: 0, priority, after, is_retry: after_ms > 0 }
}

fn moment(ms: u64) -> Moment {
    Moment::default().after(Duration::from_millis(ms))
}

/// Does one step in both, and compares the results.
fn agree(step: &Step, state: &mut State<u8>, model: &mut Model, slots: &mut BTreeMap<u8, SlotId>) {
    match *step {
        Step::Add { item, priority, after_ms } => {
            let added = state.add(&mut arrival(item, priority, after_ms));
            assert_eq!(added, model.add(item, priority, after_ms));
        }
        Step::Take => match (state.take(), model.take()) {
            (TakeResult::Item { item, slot, priority, .. }, expected) => {
                assert_eq!(Some((item, priority)), expected);
                assert_eq!(slots.insert(item, slot), None, "{item} is with two workers");
            }
            (TakeResult::Nothing, None) => assert!(model.is_open),
            (TakeResult::Ended, None) => assert!(!model.is_open),
            (taken, expected) => panic!("{taken:?} was taken, not {expected:?}"),
        },
        Step::Finish { nth } => {
            if let Some(item) = model.working.get(nth).copied() {
                let slot = slots.remove(&item).expect("it is worked on");
                state.finish(slot);
                model.finish(item);
            }
        }
        Step::Wait { ms } => {
            model.wait(ms);
            state.advance(moment(model.now_ms));
        }
        Step::Close { phase } => {
            state.close(phase);
            model.close();
        }
    }
}

fn compare(state: &mut State<u8>, model: &Model) {
    let stats = state.stats();
    let dirty = model.pending.len() - model.waiting() - model.delayed();
    assert_eq!(
        (stats.waiting, stats.dirty, stats.working, stats.delayed),
        (model.waiting(), dirty, model.working.len(), model.delayed())
    );
    let next =
        model.pending.values().map(|turn| turn.ready_ms).filter(|ready_ms| *ready_ms > model.now_ms).min();
    assert_eq!(state.next_delay(), next.map(moment));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    // holds: W1, W2, W3, W4, W5, W6, W7, W11, X19
    #[test]
    fn the_queue_does_what_the_model_does(steps in prop::collection::vec(step(), 1..200)) {
        let (mut state, mut model) = (State::new(Order::new(ALLOWANCES, Scheduling::FirstInFirstOut), Some(Box::default())), Model::new());
        let mut slots = BTreeMap::new();
        for step in &steps {
            agree(step, &mut state, &mut model, &mut slots);
            compare(&mut state, &model);
        }
        // Nothing is lost: the remaining items can be taken, and then all slots are free.
        agree(&Step::Wait { ms: 1_000 }, &mut state, &mut model, &mut slots);
        while !model.working.is_empty() || !model.pending.is_empty() {
            agree(&Step::Finish { nth: 0 }, &mut state, &mut model, &mut slots);
            if model.waiting() > 0 {
                agree(&Step::Take, &mut state, &mut model, &mut slots);
            }
            compare(&mut state, &model);
        }
        prop_assert_eq!(state.is_drained(), !model.is_open);
        prop_assert!(state.holds_nothing());
    }
}
