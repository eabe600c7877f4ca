//! Compares the responses of the real server with the recordings that the in-process API server must match.
//!
//! The table is that of `crates/tidings-apiserver/tests/conformance`. `TIDINGS_CONFORMANCE_RECORD=1` records it again.
#![allow(dead_code, reason = "the other targets of the scenarios are tested in the crate of that server")]

#[path = "../../../../../crates/tidings-apiserver/tests/conformance/answer.rs"]
mod answer;
#[path = "../../../../../crates/tidings-apiserver/tests/conformance/compare.rs"]
mod compare;
#[path = "../../../../../crates/tidings-apiserver/tests/conformance/differences.rs"]
mod differences;
#[path = "../../../../../crates/tidings-apiserver/tests/conformance/expected.rs"]
mod expected;
#[path = "../../../../../crates/tidings-apiserver/tests/conformance/normalize.rs"]
mod normalize;
#[path = "../../../../../crates/tidings-apiserver/tests/conformance/run.rs"]
mod run;
#[path = "../../../../../crates/tidings-apiserver/tests/conformance/scenario.rs"]
mod scenario;
#[path = "../../../../../crates/tidings-apiserver/tests/conformance/table.rs"]
mod table;
#[path = "../../../../../crates/tidings-apiserver/tests/conformance/target.rs"]
mod target;

mod releases;

use std::process::ExitCode;

use kubernetes_tests::Cluster;
use kubernetes_tests::built::release_tested;
use kubernetes_tests::cluster::{InitialHistory, Settings};
use kubernetes_tests::trials::{Group, Suite};

use scenario::Area;
use target::{RealServer, Target};

/// The folder with the scenarios.
const FOLDER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../crates/tidings-apiserver/tests/conformance");

fn main() -> ExitCode {
    // Scenarios run one after another, because each changes the lists of all namespaces.
    let mut suite = Suite::new("conformance").one_at_a_time();
    let (gated, others): (Vec<_>, Vec<_>) = Area::all().into_iter().partition(|area| !area.gates.is_empty());
    compare(suite.group_with("recorded", settings(&[])), others);
    for area in gated {
        if releases::has_gates(&release_tested(), &area.gates) {
            compare(suite.group_with("recorded with gates", settings(&area.gates)), vec![area]);
        }
    }
    suite.run()
}

/// A server that was restarted, with these feature gates on.
fn settings(gates: &[String]) -> Settings {
    let gates: Vec<String> = gates.iter().map(|gate| format!("{gate}=true")).collect();
    let flag = format!("--feature-gates={}", gates.join(","));
    let apiserver = if gates.is_empty() { Vec::new() } else { vec![flag] };
    Settings { apiserver, initial_history: InitialHistory::Restarted, ..Settings::default() }
}

/// Compares the responses for these areas, or records them.
fn compare(mut group: Group<'_>, areas: Vec<Area>) {
    if std::env::var("TIDINGS_CONFORMANCE_RECORD").is_ok_and(|record| record == "1") {
        let names: Vec<&str> = areas.iter().map(|area| &*area.name).collect();
        group.test(
            format!("the responses are recorded of {}", names.join(", ")),
            async |cluster: &Cluster| {
                let target = target_of(cluster);
                alone(move || expected::record(&areas, &target, None)).await;
            },
        );
        return;
    }
    for area in areas {
        for scenario in area.scenarios.clone() {
            let area = area.clone();
            let name = format!("{}: {}", area.name, scenario.name);
            let known = releases::known_difference(&release_tested(), &name);
            group.test(name, async move |cluster: &Cluster| {
                let target = target_of(cluster);
                let answered = alone(move || table::check(&area, &scenario, &target)).await;
                match (answered, known) {
                    (Ok(()), None) | (Err(_), Some(_)) => {}
                    (Err(differences), None) => panic!("{differences}"),
                    (Ok(()), Some(reason)) => {
                        panic!("this release answers as recorded; no longer true: {reason}")
                    }
                }
            });
        }
    }
}

fn target_of(cluster: &Cluster) -> Target {
    let kubeconfig = cluster.kubeconfig().to_string_lossy().into_owned();
    Target::Real(RealServer::of_kubeconfig(kubeconfig, Some(cluster.control_url().to_owned())))
}

/// Runs in a thread without a runtime, because the table creates its own.
async fn alone<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) => std::panic::resume_unwind(failed.into_panic()),
    }
}
