//! What an exploration reports: what was explored, or the broken rule with its timeline and the line that repeats it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::execution::Outcome;
use crate::plan::{Fault, Plan};
use crate::rule::Violation;

/// How many lines of a timeline are printed. The middle of a longer one is left out.
const LINES_PRINTED_MAX: usize = 160;

/// How many differences of the final states are printed.
const DIFFERENCES_PRINTED_MAX: usize = 30;

/// Executions that sleep longer than this in real time are reported. An execution has no reason to sleep; waits for locks
/// of the memory allocator are shorter.
const ASLEEP_MAX: Duration = Duration::from_millis(500);

/// What was explored.
#[derive(Debug, Clone)]
pub struct Report {
    /// The number of executions.
    pub executions: usize,
    /// How long they took.
    pub elapsed: Duration,
    /// How many single faults there are.
    pub singles: usize,
    /// How many of them were explored.
    pub explored_singles: usize,
    /// The number of executions for each group of faults.
    pub groups: BTreeMap<&'static str, usize>,
    /// The number of executions in which the scenario failed because of another client. They prove nothing.
    pub inconclusive: usize,
    /// The number of executions that ended before their fault could happen.
    pub without_fault: usize,
    /// Whether two undisturbed executions gave the same timeline.
    pub repeats: bool,
    /// The number of reconciles of the undisturbed execution.
    pub reconciles: u64,
    /// How long executions after the undisturbed ones slept in real time.
    pub(crate) asleep: Duration,
    pub(crate) writes: usize,
    pub(crate) events: u32,
    pub(crate) steps: usize,
    /// What is not checked or not explored, and why.
    pub(crate) exceptions: Vec<String>,
    pub(crate) timeline: Vec<String>,
    pub(crate) replayed: Option<(String, Vec<String>)>,
}

impl Report {
    pub(crate) fn new(undisturbed: &Outcome, exceptions: &[String], repeats: bool) -> Report {
        Report {
            executions: 0,
            elapsed: Duration::ZERO,
            singles: 0,
            explored_singles: 0,
            groups: BTreeMap::new(),
            inconclusive: 0,
            without_fault: 0,
            repeats,
            reconciles: undisturbed.reconciles,
            asleep: Duration::ZERO,
            writes: undisturbed.writes.values().map(Vec::len).sum(),
            events: undisturbed.events.values().sum(),
            steps: undisturbed.steps.len(),
            exceptions: exceptions.to_vec(),
            timeline: undisturbed.timeline.clone(),
            replayed: None,
        }
    }

    pub(crate) fn count(&mut self, plan: &Plan, outcome: &Outcome) {
        let group = match plan.faults.as_slice() {
            [fault] => fault.group().name(),
            _ => "combinations",
        };
        *self.groups.entry(group).or_default() += 1;
        self.inconclusive += usize::from(outcome.scenario_error.is_some());
        self.without_fault += usize::from(outcome.injected < plan.faults.len());
    }

    /// The number of executions in one minute.
    pub fn executions_per_minute(&self) -> f64 {
        self.executions as f64 * 60.0 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// The timeline of the undisturbed execution, or of the plan in `SIM_REPLAY`.
    pub fn timeline(&self) -> &[String] {
        self.replayed.as_ref().map_or(&self.timeline, |(_, timeline)| timeline)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((plan, timeline)) = &self.replayed {
            writeln!(f, "the execution {plan} breaks no rule:")?;
            return timeline.iter().try_for_each(|line| writeln!(f, "{line}"));
        }
        writeln!(
            f,
            "{} executions in {:.1} s ({:.0} a minute): {} of {} single faults, then combinations",
            self.executions,
            self.elapsed.as_secs_f64(),
            self.executions_per_minute(),
            self.explored_singles,
            self.singles
        )?;
        writeln!(
            f,
            "undisturbed: {} steps, {} writes, {} watch events, {} reconciles",
            self.steps, self.writes, self.events, self.reconciles
        )?;
        let groups: Vec<String> =
            self.groups.iter().map(|(group, count)| format!("{group} {count}")).collect();
        write!(f, "explored: {}", groups.join(", "))?;
        for exception in &self.exceptions {
            write!(f, "\n{exception}")?;
        }
        if self.inconclusive > 0 {
            write!(
                f,
                "\n{} executions prove nothing: another client made the scenario fail",
                self.inconclusive
            )?;
        }
        if self.asleep > ASLEEP_MAX && self.asleep > self.elapsed / 4 {
            write!(
                f,
                "\nexecutions slept for {:.1} s of real time: the controller uses std::thread::sleep or blocking I/O. Use \
                 tokio::time::sleep, which costs nothing here",
                self.asleep.as_secs_f64()
            )?;
        }
        if !self.repeats {
            write!(
                f,
                "\ntwo undisturbed executions differ: the controller uses a clock or random numbers of its own"
            )?;
        }
        Ok(())
    }
}

/// A broken rule, or a simulation that can't run.
#[derive(Debug, Clone)]
pub struct Failure {
    rule: String,
    message: String,
    plan: Option<String>,
    faults: Vec<String>,
    timeline: Vec<String>,
    differences: Vec<String>,
    report: Option<Report>,
}

impl Failure {
    /// The simulation itself can't run.
    pub(crate) fn setup(message: impl Into<String>) -> Box<Failure> {
        Box::new(Failure {
            rule: "simulation".to_owned(),
            message: message.into(),
            plan: None,
            faults: Vec::new(),
            timeline: Vec::new(),
            differences: Vec::new(),
            report: None,
        })
    }

    /// Two executions without any fault end in different states.
    pub(crate) fn different_states(outcome: &Outcome, differences: Vec<String>) -> Box<Failure> {
        let message = "two executions without any fault end in different states, so that no execution can be compared: \
             the controller writes what a clock or random numbers of its own gave it. Derive it from the object (its \
             uid, its creation time), or declare the field with Sim::may_differ";
        Box::new(Failure { differences, ..*Failure::undisturbed(message.to_owned(), outcome) })
    }

    pub(crate) fn undisturbed(message: String, outcome: &Outcome) -> Box<Failure> {
        Box::new(Failure { timeline: outcome.timeline.clone(), ..*Failure::setup(message) })
    }

    pub(crate) fn new(
        plan: &Plan,
        outcome: &Outcome,
        violation: Violation,
        differences: Vec<String>,
        report: Report,
    ) -> Box<Failure> {
        Box::new(Failure {
            rule: violation.rule,
            message: violation.message,
            plan: Some(plan.to_string()),
            faults: plan.faults.iter().map(Fault::explain).collect(),
            timeline: outcome.timeline.clone(),
            differences,
            report: Some(report),
        })
    }

    /// The name of the broken rule; `simulation` if the simulation itself can't run.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// What was seen.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The value of `SIM_REPLAY` that repeats the execution.
    pub fn replay(&self) -> Option<&str> {
        self.plan.as_deref()
    }

    /// The faults of the execution, as sentences. Empty if the rule is broken without any.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// One line for each event of the execution.
    pub fn timeline(&self) -> &[String] {
        &self.timeline
    }

    /// The differences to the undisturbed final state.
    pub fn differences(&self) -> &[String] {
        &self.differences
    }

    /// What was explored until the failure.
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.rule, self.message)?;
        match (self.faults.as_slice(), &self.plan) {
            (_, None) => {}
            ([], _) => writeln!(f, "without any fault")?,
            (faults, _) => faults.iter().try_for_each(|fault| writeln!(f, "fault: {fault}"))?,
        }
        if !self.differences.is_empty() {
            writeln!(f, "\nfinal state:")?;
            let shown = self.differences.iter().take(DIFFERENCES_PRINTED_MAX);
            shown.into_iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        if !self.timeline.is_empty() {
            writeln!(f, "\ntimeline (seconds, who, what):")?;
            print_timeline(f, &self.timeline)?;
        }
        if let Some(report) = &self.report {
            writeln!(f, "\nfound after {} executions", report.executions)?;
        }
        if let Some(plan) = &self.plan {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            write!(f, "replay: SIM_REPLAY='{plan}' cargo test {test}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

fn print_timeline(f: &mut fmt::Formatter<'_>, lines: &[String]) -> fmt::Result {
    let half = LINES_PRINTED_MAX / 2;
    if lines.len() <= LINES_PRINTED_MAX {
        return lines.iter().try_for_each(|line| writeln!(f, "{line}"));
    }
    lines[..half].iter().try_for_each(|line| writeln!(f, "{line}"))?;
    writeln!(f, "           ... {} lines ...", lines.len() - 2 * half)?;
    lines[lines.len() - half..].iter().try_for_each(|line| writeln!(f, "{line}"))
}
