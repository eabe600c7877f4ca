//! Giving way to other tasks, now and then.
//!
//! Tokio gives a task a budget of 128 units for each turn. One that has spent it is set aside until its thread has nothing else
//! to do, or has done 61 other things: among busy tasks that takes milliseconds. A unit for each small step would make a stream
//! fall behind those whose changes it brings, however little it has to do.

use tokio::task::coop::consume_budget;

/// The small steps of one task, of which so many cost one unit of its budget.
#[derive(Debug, Default)]
pub(crate) struct CoopBudget<const STEPS_PER_UNIT: u8> {
    steps: u8,
}

impl<const STEPS_PER_UNIT: u8> CoopBudget<STEPS_PER_UNIT> {
    /// Before or after each step: a task that always has more to do gives way here, and can be stopped.
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
    async fn a_task_gives_way_after_so_many_times_its_budget_and_not_before() {
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
