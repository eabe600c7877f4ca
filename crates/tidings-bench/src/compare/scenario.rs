//! The scenarios. Each starts its own server and subjects, so that one does not warm the caches of another. Only one
//! subject runs during a measurement.

mod growth;
mod kinds;
mod latency;
mod lifecycle;
mod many;
mod measured_subject;
mod reads;
mod updates;

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::time::Instant;

use super::contestant::{Contestant, Contestants, Library};
use super::figures::Figures;
use super::usage;
pub(crate) use measured_subject::SubjectInfo;
use measured_subject::{MeasuredSubject, Server};

/// A comparison in progress.
pub(crate) struct ComparisonRun {
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) scale: Scale,
    pub(crate) figures: Figures,
    /// Notes for the reader: which contestants are missing, and why.
    pub(crate) notes: Vec<String>,
    /// How each contestant describes itself.
    pub(crate) infos: BTreeMap<String, SubjectInfo>,
    /// The number of the current round.
    round: usize,
}

/// The size of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) pods: u64,
    pub(crate) is_quick: bool,
    /// The number of updates of a burst.
    pub(crate) updates: u64,
}

struct Scenario {
    name: &'static str,
    /// Measures all contestants once.
    measure: fn(&mut ComparisonRun) -> anyhow::Result<()>,
    repeats: Repeats,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeats {
    EachRound,
    /// It alternates between contestants itself, or measures memory, which hardly differs between runs.
    Never,
}

const SCENARIOS: &[Scenario] = &[
    Scenario { name: "sync", measure: lifecycle::measure, repeats: Repeats::EachRound },
    Scenario { name: "updates", measure: updates::measure, repeats: Repeats::EachRound },
    Scenario { name: "reads", measure: reads::measure, repeats: Repeats::Never },
    Scenario { name: "latency", measure: latency::measure, repeats: Repeats::Never },
    Scenario { name: "many", measure: many::measure, repeats: Repeats::Never },
    Scenario { name: "kinds", measure: kinds::measure, repeats: Repeats::Never },
    Scenario { name: "growth", measure: growth::measure, repeats: Repeats::Never },
];

/// The scenarios that are fast enough for CI.
const QUICK: &[&str] = &["sync"];

const PODS: u64 = 100_000;
const QUICK_PODS: u64 = 25_000;
const UPDATES_MAX: u64 = 20_000;

/// An upper bound for the memory of one decoded pod, in the largest contestant.
const DECODED_POD_BYTES: f64 = 50_000.0;

/// Prints progress to standard error.
pub(crate) fn log(text: &str) {
    // Ignores an error, because standard error may be closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}

impl Scale {
    pub(crate) fn new(is_quick: bool, pods: Option<u64>) -> Self {
        let pods = pods.unwrap_or(if is_quick { QUICK_PODS } else { PODS });
        Scale { pods, is_quick, updates: pods.min(UPDATES_MAX) }
    }
}

impl ComparisonRun {
    pub(crate) fn new(field: Contestants, scale: Scale) -> Self {
        let Contestants { contestants, notes } = field;
        ComparisonRun {
            contestants,
            scale,
            figures: Figures::default(),
            notes,
            infos: BTreeMap::new(),
            round: 0,
        }
    }

    /// Runs these scenarios. Without names it runs all, or the fast ones. Nothing begins after `limit`, and no later
    /// round that would end after it.
    pub(crate) fn scenarios(
        &mut self,
        names: &[String],
        rounds: usize,
        limit: Option<Duration>,
    ) -> anyhow::Result<()> {
        let known = |name: &String| SCENARIOS.iter().any(|scenario| scenario.name == name);
        let unknown: Vec<_> = names.iter().filter(|name| !known(name)).cloned().collect();
        ensure!(unknown.is_empty(), "no scenario is called {}", unknown.join(", "));
        let is_quick = self.scale.is_quick;
        let is_requested = |scenario: &&Scenario| match names.is_empty() {
            true => !is_quick || QUICK.contains(&scenario.name),
            false => names.iter().any(|requested| requested == scenario.name),
        };
        let requested: Vec<_> = SCENARIOS.iter().filter(is_requested).collect();
        let begun = Instant::now();
        let mut durations: BTreeMap<&str, Duration> = BTreeMap::new();
        for round in 0..rounds.max(1) {
            self.round = round;
            for scenario in &requested {
                if round > 0 && scenario.repeats == Repeats::Never {
                    continue;
                }
                // In the first round nothing is known about the duration.
                let expected = durations.get(scenario.name).copied().unwrap_or_default();
                if limit.is_some_and(|limit| begun.elapsed() + expected > limit) {
                    self.note(format!("there was no time for round {} of {}", round + 1, scenario.name));
                    continue;
                }
                log(&format!("{}: round {} of {rounds}", scenario.name, round + 1));
                let scenario_begun = Instant::now();
                (scenario.measure)(self).with_context(|| format!("measuring {}", scenario.name))?;
                durations.insert(scenario.name, scenario_begun.elapsed());
            }
        }
        Ok(())
    }

    /// The contestants, beginning with another one in each round: none is always the first after the server started.
    fn in_turn(&self) -> Vec<Contestant> {
        let mut contestants = self.contestants.clone();
        let first = self.round % contestants.len().max(1);
        contestants.rotate_left(first);
        contestants
    }

    /// Starts a server with these objects, encoded for all wires that are measured.
    fn server(&self, objects: &[&str]) -> anyhow::Result<Server> {
        let is_protobuf = self.contestants.iter().any(|contestant| contestant.wire == "protobuf");
        let ahead: &[&str] = if is_protobuf { &["--protobuf"] } else { &[] };
        Server::start(&[objects, ahead].concat())
    }

    fn take(&mut self, contestant: &Contestant, figure: &str, value: f64) {
        self.figures.take(contestant.name, figure, value);
    }

    fn note(&mut self, text: String) {
        log(&text);
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Whether the machine has enough memory for this contestant. Contestants other than tidings store decoded objects.
    fn fits(&mut self, contestant: &Contestant) -> anyhow::Result<bool> {
        Ok(contestant.library == Library::Tidings || self.fits_decoded(contestant)?)
    }

    /// Whether the machine has enough memory for all pods in decoded form.
    fn fits_decoded(&mut self, contestant: &Contestant) -> anyhow::Result<bool> {
        let needed = self.scale.pods as f64 * DECODED_POD_BYTES;
        let fits = usage::available_bytes()? > needed;
        if !fits {
            self.note(format!(
                "{} is left out where this machine has too little memory for it",
                contestant.name
            ));
        }
        Ok(fits)
    }

    /// Whether the server used the wire of this contestant. If not, the contestant is skipped from now on.
    fn on_wire(&mut self, contestant: &Contestant, subject: &mut MeasuredSubject) -> anyhow::Result<bool> {
        let info = subject.info()?;
        let got_it = info.wire.as_deref().is_none_or(|wire| wire == contestant.wire);
        if !got_it {
            let wire = info.wire.as_deref().unwrap_or("nothing");
            self.note(format!("{} is skipped: the server responded with {wire}", contestant.name));
            self.contestants.retain(|other| other.name != contestant.name);
        }
        self.infos.insert(contestant.name.to_owned(), info);
        Ok(got_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_never_changes_a_pod_twice() {
        for (quick, pods) in [(false, None), (true, None), (true, Some(500)), (false, Some(1_000_000))] {
            let scale = Scale::new(quick, pods);
            assert!(scale.updates <= scale.pods, "{scale:?}");
        }
    }

    #[test]
    fn each_round_begins_with_another_contestant() {
        let field =
            Contestants::build_all(&["tidings-json".to_owned(), "tidings-protobuf".to_owned()], false);
        let mut run = ComparisonRun::new(field.expect("we are always here"), Scale::new(true, None));
        let first = |run: &ComparisonRun| run.in_turn()[0].name;
        assert_eq!(first(&run), "tidings-json");
        run.round = 1;
        assert_eq!(first(&run), "tidings-protobuf");
    }

    #[test]
    fn nothing_begins_after_the_limit() {
        let mut run = ComparisonRun::new(Contestants::default(), Scale::new(true, None));
        run.scenarios(&["sync".to_owned()], 1, Some(Duration::ZERO)).expect("nothing is measured");
        assert_eq!(run.notes, ["there was no time for round 1 of sync"]);
    }

    #[test]
    fn an_unknown_scenario_is_an_error() {
        let mut run = ComparisonRun::new(Contestants::default(), Scale::new(true, None));
        let error = run.scenarios(&["sink".to_owned()], 1, None).unwrap_err();
        assert!(error.to_string().contains("sink"), "{error}");
    }
}
