//! What is measured, scenario by scenario; each starts its own server and subjects, so that one can't warm another's
//! memory. Nothing is measured while two subjects run.

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

/// One comparison, while it is made.
pub(crate) struct ComparisonRun {
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) scale: Scale,
    pub(crate) figures: Figures,
    /// What the reader has to know: who was left out, and why.
    pub(crate) notes: Vec<String>,
    /// What each contestant says that it is.
    pub(crate) infos: BTreeMap<String, SubjectInfo>,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) pods: u64,
    pub(crate) is_quick: bool,
    /// Updates of a burst.
    pub(crate) updates: u64,
}

/// A name and how to measure it.
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

/// The scenarios that CI has time for.
const QUICK: &[&str] = &["sync"];

const PODS: u64 = 100_000;
const QUICK_PODS: u64 = 25_000;
const UPDATES_MAX: u64 = 20_000;

/// What a decoded pod takes in the largest of them, with room to spare.
const DECODED_POD_BYTES: f64 = 50_000.0;

/// Says what is going on, beside the report.
pub(crate) fn log(text: &str) {
    // Whoever does not listen can't be told so.
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

    /// Measures the scenarios with these names; without names all, or those that are quick.
    pub(crate) fn scenarios(&mut self, names: &[String]) -> anyhow::Result<()> {
        let known = |name: &String| SCENARIOS.iter().any(|(known, _)| known == name);
        let unknown: Vec<_> = names.iter().filter(|name| !known(name)).cloned().collect();
        ensure!(unknown.is_empty(), "no scenario is called {}", unknown.join(", "));
        for (name, measure) in SCENARIOS {
            let is_asked_for = match names.is_empty() {
                true => !self.scale.is_quick || QUICK.contains(name),
                false => names.iter().any(|asked| asked == name),
            };
            if is_asked_for {
                measure(self).with_context(|| format!("measuring {name}"))?;
            }
        }
        Ok(())
    }

    /// A server with these objects, which has encoded them for everyone who is measured.
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

    /// Whether there is memory for what it keeps; only ours keeps objects as they came.
    fn fits(&mut self, contestant: &Contestant) -> anyhow::Result<bool> {
        Ok(contestant.library == Library::Tidings || self.fits_decoded(contestant)?)
    }

    /// Whether there is memory for all pods, decoded.
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

    /// Whether it got the wire that it is named for; who did not is left out from here on.
    fn on_wire(&mut self, contestant: &Contestant, subject: &mut MeasuredSubject) -> anyhow::Result<bool> {
        let info = subject.info()?;
        let got_it = info.wire.as_deref().is_none_or(|wire| wire == contestant.wire);
        if !got_it {
            let wire = info.wire.as_deref().unwrap_or("nothing");
            self.note(format!("{} is left out: the server answered {wire}", contestant.name));
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
    fn a_scenario_that_nobody_knows_is_an_error() {
        let mut run = ComparisonRun::new(Contestants::default(), Scale::new(true, None));
        let error = run.scenarios(&["sink".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("sink"), "{error}");
    }
}
