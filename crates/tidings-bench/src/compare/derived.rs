//! `compare --scenario derived`: derived collections beside krt, Istio's library for the same purpose. Both build the
//! same collections over the same objects in memory, and process the same changes one after another.
//!
//! CPU time and memory have bars: both hold on a machine that is busy otherwise. Latencies are reported without one.

mod objects;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Value, json};

use super::contestant;
use super::process::ChildProgram;
use super::scenario::log;
use super::usage;
use objects::ObjectFiles;

const POLICIES: usize = 500;
const NODES: usize = 1_000;
const SERVICES: usize = 500;

/// A figure, what tidings may take, and how its value is written.
struct Bar {
    figure: &'static str,
    limit: Limit,
    unit: Unit,
}

/// What tidings may take.
#[derive(Clone, Copy)]
enum Limit {
    /// This part of krt's value: 3 is a third.
    OneOf(f64),
    Zero,
    /// The figure is only reported.
    None,
}

#[derive(Clone, Copy)]
enum Unit {
    Seconds,
    Microseconds,
    Mebibytes,
    Count,
}

const THIRD: Limit = Limit::OneOf(3.0);
const FIFTH: Limit = Limit::OneOf(5.0);
const TENTH: Limit = Limit::OneOf(10.0);

const BARS: &[Bar] = &[
    Bar { figure: "a: build, CPU", limit: THIRD, unit: Unit::Seconds },
    Bar { figure: "a: one pod update, CPU", limit: THIRD, unit: Unit::Microseconds },
    Bar { figure: "b: build, CPU", limit: THIRD, unit: Unit::Seconds },
    Bar { figure: "b: memory", limit: FIFTH, unit: Unit::Mebibytes },
    Bar { figure: "b: one pod update, CPU", limit: THIRD, unit: Unit::Microseconds },
    Bar { figure: "b: one pod update, latency", limit: Limit::None, unit: Unit::Microseconds },
    Bar { figure: "b: one node label, CPU", limit: THIRD, unit: Unit::Microseconds },
    Bar { figure: "b: one node label, latency", limit: Limit::None, unit: Unit::Microseconds },
    Bar { figure: "b: one selector, CPU", limit: THIRD, unit: Unit::Microseconds },
    Bar { figure: "b: one selector, latency", limit: Limit::None, unit: Unit::Microseconds },
    Bar { figure: "c: one node heartbeat, CPU", limit: TENTH, unit: Unit::Microseconds },
    Bar { figure: "c: evaluations for node heartbeats", limit: Limit::Zero, unit: Unit::Count },
    Bar { figure: "c: one pod heartbeat, CPU", limit: TENTH, unit: Unit::Microseconds },
    Bar { figure: "c: evaluations for pod heartbeats", limit: Limit::Zero, unit: Unit::Count },
];

/// The measured figures of one contestant, of all rounds.
type Figures = BTreeMap<&'static str, Vec<f64>>;

#[derive(Deserialize)]
struct Built {
    built: usize,
    evaluations: u64,
}

#[derive(Deserialize)]
struct Changed {
    evaluations: u64,
    /// The median time from a change to the handler that shows it.
    latency_ns: u64,
}

/// The figures of one kind of change. An empty name is not recorded.
struct ChangeFigures {
    cpu: &'static str,
    latency: &'static str,
    evaluations: &'static str,
}

struct Contestant {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    figures: Figures,
}

/// Measures both and prints a table. `pods` is the number of pods of the second case; the first has a tenth.
pub(super) fn run(pods: u64, rounds: usize, out: &Path) -> anyhow::Result<()> {
    let pods = usize::try_from(pods)?;
    let ours = std::env::current_exe().context("finding this program")?;
    let new = |name, program, arguments| Contestant { name, program, arguments, figures: Figures::new() };
    let mut contestants = vec![new("tidings", ours, &["derived-subject"])];
    match contestant::krt() {
        Ok(krt) => contestants.push(new("krt", krt, &[])),
        Err(error) => log(&format!("krt is skipped: {error:#}")),
    }
    let policies = ObjectFiles::policies(&out.join("derived/policies"), pods / 10, POLICIES)?;
    let endpoints = ObjectFiles::endpoints(&out.join("derived/endpoints"), pods, NODES, SERVICES)?;
    for round in 0..rounds.max(1) {
        for contestant in &mut contestants {
            log(&format!("derived: {}, round {} of {rounds}", contestant.name, round + 1));
            contestant.measure(&policies, &endpoints)?;
        }
    }
    println!("{}", table(&contestants, pods));
    Ok(())
}

impl Contestant {
    fn measure(&mut self, policies: &ObjectFiles, endpoints: &ObjectFiles) -> anyhow::Result<()> {
        let update = |cpu, latency| ChangeFigures { cpu, latency, evaluations: "" };
        let heartbeat = |cpu, evaluations| ChangeFigures { cpu, latency: "", evaluations };
        let mut a = self.start(policies)?;
        self.build(&mut a, "policies", ["a: build, CPU", "a: memory"])?;
        self.change(&mut a, "pod-ip", 1_000, &update("a: one pod update, CPU", ""))?;
        drop(a);
        let mut b = self.start(endpoints)?;
        self.build(&mut b, "endpoints", ["b: build, CPU", "b: memory"])?;
        let pod = update("b: one pod update, CPU", "b: one pod update, latency");
        self.change(&mut b, "pod-ip", 1_000, &pod)?;
        let node = update("b: one node label, CPU", "b: one node label, latency");
        self.change(&mut b, "node-zone", 500, &node)?;
        let nodes = heartbeat("c: one node heartbeat, CPU", "c: evaluations for node heartbeats");
        self.change(&mut b, "node-heartbeat", 10_000, &nodes)?;
        let pods = heartbeat("c: one pod heartbeat, CPU", "c: evaluations for pod heartbeats");
        self.change(&mut b, "pod-heartbeat", 10_000, &pods)?;
        // The last one: from then on a service no longer selects the pods of its own number.
        let selector = update("b: one selector, CPU", "b: one selector, latency");
        self.change(&mut b, "selector", 500, &selector)
    }

    fn start(&self, objects: &ObjectFiles) -> anyhow::Result<ChildProgram> {
        let mut command = Command::new(&self.program);
        command.args(self.arguments);
        let mut program = ChildProgram::start(self.name, &command)?;
        program.request::<Value>(&json!({ "do": "load", "folder": objects.folder() }))?;
        program.wait_until_idle()?;
        Ok(program)
    }

    fn build(
        &mut self,
        program: &mut ChildProgram,
        case: &str,
        [cpu_figure, memory_figure]: [&'static str; 2],
    ) -> anyhow::Result<()> {
        let before = usage::exact_cpu_seconds(program.pid())?;
        let built: Built = program.request(&json!({ "do": "build", "case": case }))?;
        program.wait_until_idle()?;
        self.take(cpu_figure, usage::exact_cpu_seconds(program.pid())? - before);
        log(&format!("{}: {} outputs of {} evaluations", self.name, built.built, built.evaluations));
        program.request::<Value>(&json!({ "do": "settle" }))?;
        program.wait_until_idle()?;
        self.take(memory_figure, usage::resident_bytes(program.pid())?);
        Ok(())
    }

    /// The CPU of one change, and the evaluations of all. The last evaluations of heartbeats are those of the change that
    /// ends the measurement.
    fn change(
        &mut self,
        program: &mut ChildProgram,
        change: &str,
        count: usize,
        figures: &ChangeFigures,
    ) -> anyhow::Result<()> {
        program.request::<Value>(&json!({ "do": "prepare", "change": change, "count": count }))?;
        program.wait_until_idle()?;
        let before = usage::exact_cpu_seconds(program.pid())?;
        let changed: Changed = program.request(&json!({ "do": "change" }))?;
        program.wait_until_idle()?;
        let cpu = usage::exact_cpu_seconds(program.pid())? - before;
        self.take(figures.cpu, cpu * 1e6 / count as f64);
        self.take(figures.latency, changed.latency_ns as f64 / 1e3);
        self.take(figures.evaluations, changed.evaluations.saturating_sub(LAST_CHANGE) as f64);
        Ok(())
    }

    fn take(&mut self, figure: &'static str, value: f64) {
        if figure.is_empty() {
            return;
        }
        self.figures.entry(figure).or_default().push(value);
    }

    fn median(&self, figure: &str) -> Option<f64> {
        let mut values = self.figures.get(figure)?.clone();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    }
}

/// A change of one pod evaluates its workload and its service.
const LAST_CHANGE: u64 = 2;

fn table(contestants: &[Contestant], pods: usize) -> String {
    let mut text = format!(
        "a: {POLICIES} policies select among {} pods. b: {pods} pods, {NODES} nodes, {SERVICES} services. c: heartbeats.\n\n\
         | figure | tidings | krt | ratio | bar | |\n|---|---:|---:|---:|---:|---|\n",
        pods / 10
    );
    let value = |at: usize, figure: &str| contestants.get(at).and_then(|one| one.median(figure));
    for Bar { figure, limit, unit } in BARS {
        let (ours, theirs) = (value(0, figure), value(1, figure));
        let ratio = ours.zip(theirs).map(|(ours, theirs)| ours / theirs.max(f64::MIN_POSITIVE));
        let (bar, is_met) = match limit {
            Limit::OneOf(part) => (format!("1/{part}"), ratio.map(|ratio| ratio <= 1.0 / part)),
            Limit::Zero => ("0".to_owned(), ours.map(|ours| ours == 0.0)),
            Limit::None => (String::new(), None),
        };
        let met = is_met.map_or("", |is_met| if is_met { "met" } else { "missed" });
        let written = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| unit.text(value));
        let ratio = ratio.filter(|_| !matches!(limit, Limit::Zero));
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.3}"));
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "| {figure} | {} | {} | {ratio} | {bar} | {met} |",
            written(ours),
            written(theirs)
        );
    }
    text
}

impl Unit {
    fn text(self, value: f64) -> String {
        match self {
            Unit::Seconds => format!("{value:.3} s"),
            Unit::Microseconds => format!("{value:.1} us"),
            Unit::Mebibytes => format!("{:.0} MiB", value / f64::from(1 << 20)),
            Unit::Count => format!("{value:.0}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_compares_medians_with_their_bars() {
        let contestant = |name, build: [f64; 3], evaluations| {
            let figures = [
                ("a: build, CPU", build.to_vec()),
                ("c: evaluations for node heartbeats", vec![evaluations]),
            ];
            Contestant { name, program: PathBuf::new(), arguments: &[], figures: figures.into() }
        };
        let both = [contestant("tidings", [1.0, 9.0, 2.0], 0.0), contestant("krt", [8.0, 7.0, 90.0], 5.0)];
        let text = table(&both, 1_000);
        assert!(text.contains("| a: build, CPU | 2.000 s | 8.000 s | 0.250 | 1/3 | met |"), "{text}");
        assert!(text.contains("| c: evaluations for node heartbeats | 0 | 5 |  | 0 | met |"), "{text}");
        assert!(text.contains("| b: memory | - | - |  | 1/5 |  |"), "{text}");
    }
}
