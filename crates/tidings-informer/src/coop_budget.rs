//! Cooperative scheduling: a task pays for its steps from tokio's coop budget, several steps for one unit.
//!
//! Tokio gives a task a budget of 128 units each time it is polled. A task that has spent it is not polled again until
//! its thread has nothing else to do, or has polled 61 other tasks. Among busy tasks this takes milliseconds. With one
//! unit per event, a stream would fall behind the tasks whose changes it delivers, although one event is little work.

use tokio::task::coop::consume_budget;

/// Counts the steps of one task. Every `STEPS_PER_UNIT` steps cost one unit of its budget.
#[derive(Debug, Default)]
pub(crate) struct CoopBudget<const STEPS_PER_UNIT: u8> {
    steps: u8,
}

impl<const STEPS_PER_UNIT: u8> CoopBudget<STEPS_PER_UNIT> {
    /// Call it once per step. A task that always has more to do yields here, so that others run and it can be
    /// cancelled.
    pub(crate) async fn step(&mut self) {
        self.steps = (self.steps + 1) % STEPS_PER_UNIT;
        if self.steps == 0 {
            consume_budget().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_task_yields_after_its_budget_times_the_steps_per_unit() {
        let steps = Cell::new(0);
        let endless = async {
            let mut coop_budget = CoopBudget::<8>::default();
            loop {
                coop_budget.step().await;
                steps.set(steps.get() + 1);
            }
        };
        assert_eq!(endless.now_or_never(), None::<()>);
        assert!((1_000..8 * 129).contains(&steps.get()), "{}", steps.get());
    }
}
