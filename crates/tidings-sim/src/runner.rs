//! An exploration: the undisturbed execution, all plans, the first failure, and its shrunk form.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::execution::Outcome;
use crate::explore::Exploration;
use crate::plan::{FaultGroup, Plan};
use crate::report::{Failure, Report};
use crate::rule::{Rule, Violation};
use crate::settings::Bounds;
use crate::sim::{FieldOf, Sim};
use crate::worker::{Blocked, Job, Setup, Workers};

/// Runs one exploration.
pub(crate) struct Explorer {
    workers: Workers,
    bounds: Bounds,
    switched_off: BTreeMap<Rule, String>,
    skipped: BTreeMap<FaultGroup, String>,
    exceptions: Vec<String>,
    pub(crate) executions: usize,
    pub(crate) started: Instant,
    /// The undisturbed executions, by the number of steps.
    undisturbed: BTreeMap<Option<u32>, Outcome>,
}

/// Explores. Returns what was explored, or the first failure.
pub(crate) fn explore(setup: Setup) -> Result<Report, Box<Failure>> {
    let mut sim = Sim::new();
    setup(&mut sim);
    let bounds = Bounds::of(&sim).map_err(Failure::setup)?;
    if sim.processes.is_empty() || sim.scenario.is_none() {
        return Err(Failure::setup(
            "the simulation has no controller or no scenario: call both in the closure",
        ));
    }
    let workers = Workers::start(&setup, bounds.threads, bounds.watchdog);
    let off = sim.switched_off.iter().map(|(rule, reason)| format!("not checked: {rule} ({reason})"));
    let skipped = sim.skipped.iter();
    let skipped = skipped.map(|(group, reason)| format!("not explored: {} ({reason})", group.name()));
    let fields = [("may differ", &sim.may_differ), ("never changed by others", &sim.immutable)];
    let fields = fields.into_iter().flat_map(|(what, fields)| fields.iter().map(move |field| (what, field)));
    let fields = fields.map(|(what, FieldOf { resource, pointer, reason })| {
        format!("{what}: {resource} {pointer} ({reason})")
    });
    let exceptions = off.chain(skipped).chain(fields).collect();
    let explorer = Explorer {
        workers,
        bounds,
        switched_off: sim.switched_off,
        skipped: sim.skipped,
        exceptions,
        executions: 0,
        started: Instant::now(),
        undisturbed: BTreeMap::new(),
    };
    explorer.run()
}

impl Explorer {
    fn run(mut self) -> Result<Report, Box<Failure>> {
        let undisturbed = self.undisturbed(None)?;
        let repeats = self.repeats(&undisturbed)?;
        if let Some(plan) = self.bounds.replay.take() {
            return self.replay(plan, repeats);
        }
        let mut exploration = Exploration::of(&undisturbed, &self.skipped, self.bounds.seed);
        let mut report = Report::new(&undisturbed, &self.exceptions, repeats);
        let first = self.sweep(&mut exploration, &mut report)?;
        report.executions = self.executions;
        report.elapsed = self.started.elapsed();
        match first {
            None => Ok(report),
            Some((plan, outcome, violation)) => Err(self.shrunk(plan, outcome, violation, report)?),
        }
    }

    /// Whether a second undisturbed execution has the same timeline. It is an error if it ends in another state: then
    /// no execution can be compared.
    fn repeats(&mut self, undisturbed: &Outcome) -> Result<bool, Box<Failure>> {
        let again = self.execute(Plan::default())?;
        if self.is_on(Rule::SameFinalState) && again.state != undisturbed.state {
            let differences = again.state.differences(&undisturbed.state);
            return Err(Failure::different_states(&again, differences));
        }
        Ok(again.timeline == undisturbed.timeline)
    }

    /// Executes one plan and reports it, whether it fails or not.
    fn replay(mut self, plan: Plan, repeats: bool) -> Result<Report, Box<Failure>> {
        let undisturbed = self.undisturbed(plan.steps)?;
        let outcome = self.execute(plan.clone())?;
        let mut report = Report::new(&undisturbed, &self.exceptions, repeats);
        report.executions = self.executions;
        report.elapsed = self.started.elapsed();
        report.replayed = Some((plan.to_string(), outcome.timeline.clone()));
        match self.judge(&plan, &outcome)? {
            None => Ok(report),
            Some(violation) => Err(self.failure(plan, outcome, violation, report)?),
        }
    }

    /// Executes all plans in parallel, and returns the first that fails, in the order of the plans.
    fn sweep(
        &mut self,
        exploration: &mut Exploration,
        report: &mut Report,
    ) -> Result<Option<(Plan, Outcome, Violation)>, Box<Failure>> {
        let fixed: Vec<Plan> = exploration.singles.iter().chain(&exploration.pairs).cloned().collect();
        report.singles = exploration.singles.len();
        let mut next = 0;
        let mut running = 0;
        let mut failed: Option<(usize, Plan, Outcome, Violation)> = None;
        loop {
            while running < self.bounds.threads && failed.is_none() && self.may_start(next, fixed.len()) {
                let plan = fixed.get(next).cloned().unwrap_or_else(|| exploration.random());
                self.workers.send(Job { at: next, plan, changes_max: self.changes_max() });
                next += 1;
                running += 1;
            }
            if running == 0 {
                break;
            }
            let done = self.workers.receive().map_err(|blocked| self.blocked(&blocked))?;
            running -= 1;
            self.executions += 1;
            report.count(&done.plan, &done.outcome);
            report.asleep += done.asleep;
            if let Some(violation) = self.judge(&done.plan, &done.outcome)?
                && failed.as_ref().is_none_or(|(at, ..)| done.at < *at)
            {
                failed = Some((done.at, done.plan, done.outcome, violation));
            }
        }
        report.explored_singles = next.min(report.singles);
        Ok(failed.map(|(_, plan, outcome, violation)| (plan, outcome, violation)))
    }

    /// Whether the bounds allow another execution.
    fn may_start(&self, next: usize, fixed: usize) -> bool {
        if self.bounds.executions.is_some_and(|most| next >= most) {
            return false;
        }
        match self.bounds.seconds {
            Some(seconds) => self.started.elapsed().as_secs_f64() < seconds,
            None => next < fixed.saturating_add(self.bounds.random_executions),
        }
    }

    /// A disturbed execution may change more than the undisturbed one, but not without end.
    fn changes_max(&self) -> u64 {
        let changes = self.undisturbed.values().map(|outcome| outcome.changes).max();
        changes.map_or(self.bounds.changes_max, |changes| 300 + 10 * changes)
    }

    /// Executes one plan and waits for it.
    pub(crate) fn execute(&mut self, plan: Plan) -> Result<Outcome, Box<Failure>> {
        self.workers.send(Job { at: 0, plan, changes_max: self.changes_max() });
        self.executions += 1;
        let done = self.workers.receive().map_err(|blocked| self.blocked(&blocked))?;
        Ok(done.outcome)
    }

    /// The undisturbed execution of the first steps. Its own failure is an error.
    fn undisturbed(&mut self, steps: Option<u32>) -> Result<Outcome, Box<Failure>> {
        if let Some(known) = self.undisturbed.get(&steps) {
            return Ok(known.clone());
        }
        let plan = Plan { faults: Vec::new(), steps };
        let outcome = self.execute(plan.clone())?;
        if let Some(error) = &outcome.scenario_error {
            let text = format!("the scenario fails without any fault: {error}");
            return Err(Failure::undisturbed(text, &outcome));
        }
        if steps.is_none()
            && let Some(violation) = outcome.violation.clone()
        {
            let mut report = Report::new(&outcome, &self.exceptions, true);
            report.executions = self.executions;
            return Err(Failure::new(&plan, &outcome, violation, Vec::new(), report));
        }
        self.undisturbed.insert(steps, outcome.clone());
        Ok(outcome)
    }

    /// The rule that the execution broke, if any.
    pub(crate) fn judge(
        &mut self,
        plan: &Plan,
        outcome: &Outcome,
    ) -> Result<Option<Violation>, Box<Failure>> {
        let is_weaker = |violation: &Violation| violation.rule == Rule::Idempotent.name();
        if outcome.violation.as_ref().is_some_and(|violation| !is_weaker(violation)) {
            return Ok(outcome.violation.clone());
        }
        if outcome.scenario_error.is_some() {
            return Ok(outcome.violation.clone());
        }
        let undisturbed = self.undisturbed(plan.steps)?;
        if self.is_on(Rule::NoDuplicates) && !plan.has_edits() {
            for (purpose, most) in &outcome.purposes {
                let expected = undisturbed.purposes.get(purpose).copied().unwrap_or(0);
                if *most > expected {
                    let message = format!(
                        "{most} objects existed at the same time as {purpose}; undisturbed there were at most {expected}"
                    );
                    return Ok(Some(Violation::of(Rule::NoDuplicates, message)));
                }
            }
        }
        if self.is_on(Rule::SameFinalState) && outcome.state != undisturbed.state {
            let message = "the final state differs from the undisturbed one";
            return Ok(Some(Violation::of(Rule::SameFinalState, message)));
        }
        Ok(outcome.violation.clone())
    }

    fn is_on(&self, rule: Rule) -> bool {
        !self.switched_off.contains_key(&rule)
    }

    fn blocked(&self, Blocked { plan, after }: &Blocked) -> Box<Failure> {
        Failure::setup(format!(
            "an execution has not moved for {:.1} s of real time. The controller or the scenario blocks its thread \
             (std::thread::sleep, blocking I/O, a lock), or loops without waiting (a requeue without a delay). Use \
             tokio::time::sleep and requeue_after. The plan was {plan}",
            after.as_secs_f64()
        ))
    }

    pub(crate) fn failure(
        &mut self,
        plan: Plan,
        outcome: Outcome,
        violation: Violation,
        report: Report,
    ) -> Result<Box<Failure>, Box<Failure>> {
        let undisturbed = self.undisturbed(plan.steps)?;
        let is_state = violation.rule == Rule::SameFinalState.name();
        let differences = if is_state { outcome.state.differences(&undisturbed.state) } else { Vec::new() };
        Ok(Failure::new(&plan, &outcome, violation, differences, report))
    }

    pub(crate) fn steps(&self) -> u32 {
        let undisturbed = self.undisturbed.get(&None);
        let steps = undisturbed.map_or(0, |run| run.steps.iter().filter(|step| !step.is_teardown).count());
        u32::try_from(steps).unwrap_or(u32::MAX)
    }
}

/// How long shrinking may take.
pub(crate) const SHRINK_MAX: Duration = Duration::from_secs(20);
