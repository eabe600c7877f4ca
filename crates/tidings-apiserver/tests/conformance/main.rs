//! Sends the same requests to this server and to a real one, and compares the responses field by field.
//!
//! `scenarios/` has the requests, `expected/` the recorded responses of kube-apiserver, `differences.yaml` the intended
//! differences. By default the requests go to this server over each transport. `README.md` explains how to use a real
//! server and how to record its responses again.

mod answer;
mod compare;
mod differences;
mod expected;
mod normalize;
mod run;
mod scenario;
mod table;
mod target;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use differences::KnownDifference;
use scenario::Area;
use target::{RealServer, Target};

/// The folder with the scenarios.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance");

fn main() -> ExitCode {
    let mut areas = Area::all();
    let real = RealServer::from_environment();
    if real.is_some() {
        let gates = std::env::var("TIDINGS_CONFORMANCE_GATES").unwrap_or_default();
        areas.retain(|area| area.gates.join(",") == gates);
    }
    if let Some(real) = &real
        && std::env::var("TIDINGS_CONFORMANCE_RECORD").is_ok_and(|record| record == "1")
    {
        expected::record(&areas, &Target::Real(real.clone()), std::env::args().nth(1).as_deref());
        return ExitCode::SUCCESS;
    }
    let mut trials = Vec::new();
    let mut arguments = Arguments::from_args();
    match real {
        Some(real) => {
            // One at a time: scenarios that list all namespaces would see the objects of others.
            arguments.test_threads = Some(1);
            trials.extend(table::trials(&areas, &Target::Real(real)));
        }
        None => {
            // More threads than cores, because the tests wait for watches to end.
            arguments.test_threads.get_or_insert(16);
            trials.extend(table::trials(&areas, &Target::InProcess));
            trials.extend(table::trials(&areas, &Target::Http));
            trials.push(Trial::test("every difference that is listed occurs", move || all_occur(&areas)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn all_occur(areas: &[Area]) -> Result<(), Failed> {
    let mut unused: Vec<KnownDifference> = differences::all();
    for area in areas {
        for scenario in &area.scenarios {
            let found = table::differences(area, scenario, &Target::InProcess);
            unused.retain(|known| !found.iter().any(|difference| known.is(area, scenario, difference)));
        }
    }
    if unused.is_empty() {
        return Ok(());
    }
    Err(format!("listed in differences.yaml, but no longer different: {unused:#?}").into())
}
