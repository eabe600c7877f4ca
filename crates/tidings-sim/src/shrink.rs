//! Makes a failing plan small: the fewest faults, then the shortest scenario, that still break the same rule.

use crate::execution::Outcome;
use crate::plan::Plan;
use crate::report::{Failure, Report};
use crate::rule::Violation;
use crate::runner::{Explorer, SHRINK_MAX};

impl Explorer {
    /// The failure in its smallest form.
    pub(crate) fn shrunk(
        &mut self,
        plan: Plan,
        outcome: Outcome,
        violation: Violation,
        report: Report,
    ) -> Result<Box<Failure>, Box<Failure>> {
        let mut best = (plan, outcome, violation);
        let found_after = self.started.elapsed();
        let mut at = 0;
        while at < best.0.faults.len() && best.0.faults.len() > 1 {
            let mut fewer = best.0.clone();
            fewer.faults.remove(at);
            if !self.try_plan(fewer, &mut best)? {
                at += 1;
            }
        }
        for steps in 1..self.steps() {
            if self.started.elapsed() > found_after + SHRINK_MAX {
                break;
            }
            let shorter = Plan { faults: best.0.faults.clone(), steps: Some(steps) };
            if self.try_plan(shorter, &mut best)? {
                break;
            }
        }
        let (plan, outcome, violation) = best;
        self.failure(plan, outcome, violation, report)
    }

    /// Keeps the plan if it breaks the same rule.
    fn try_plan(&mut self, plan: Plan, best: &mut (Plan, Outcome, Violation)) -> Result<bool, Box<Failure>> {
        let outcome = self.execute(plan.clone())?;
        match self.judge(&plan, &outcome)? {
            Some(violation) if violation.rule == best.2.rule => {
                *best = (plan, outcome, violation);
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
