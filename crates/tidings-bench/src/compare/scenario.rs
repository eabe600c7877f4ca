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

use anyhow::{Context, ensure};

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
}

/// The size of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) pods: u64,
    pub(crate) is_quick: bool,
    /// The number of updates of a burst.
    pub(crate) updates: u64,
}

/// A scenario: its name and its function.
type Scenario = (&'static str, fn(&mut ComparisonRun) -> anyhow::Result<()>);

const SCENARIOS: &[Scenario] = &[
    ("sync", lifecycle::measure),
    ("updates", updates::measure),
    ("latency", latency::measure),
    ("reads", reads::measure),
    ("many", many::measure),
    ("kinds", kinds::measure),
    ("growth", growth::measure),
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
        ComparisonRun { contestants, scale, figures: Figures::default(), notes, infos: BTreeMap::new() }
    }

    /// Runs these scenarios. Without names it runs all, or the fast ones.
    pub(crate) fn scenarios(&mut self, names: &[String]) -> anyhow::Result<()> {
        let known = |name: &String| SCENARIOS.iter().any(|(known, _)| known == name);
        let unknown: Vec<_> = names.iter().filter(|name| !known(name)).cloned().collect();
        ensure!(unknown.is_empty(), "no scenario is called {}", unknown.join(", "));
        for (name, measure) in SCENARIOS {
            let is_asked_for = match names.is_empty() {
                true => !self.scale.is_quick || QUICK.contains(name),
                false => names.iter().any(|requested| requested == name),
            };
            if is_asked_for {
                measure(self).with_context(|| format!("measuring {name}"))?;
            }
        }
        Ok(())
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
            self.note(format!("{}is skipped: the server responded with {wire}", contestant.name));
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
    fn an_unknown_scenario_is_an_error() {
        let mut run = ComparisonRun::new(Contestants::default(), Scale::new(true, None));
        let error = run.scenarios(&["sink".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("sink"), "{error}");
    }
}
