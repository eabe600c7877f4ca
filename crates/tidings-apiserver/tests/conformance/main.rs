//! The same requests to this server and to a real one, and the answers compared field by field.
//!
//! `scenarios/` holds the requests, `expected/` what kube-apiserver answered, `differences.yaml` where this server is
//! different on purpose. Without anything set, this server is asked over each of its doors; `README.md` says how a real
//! one is asked, and how its answers are recorded again.

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

/// Where the table stands.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance");

fn main() -> ExitCode {
    let areas = Area::all();
    let real = RealServer::from_environment();
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
            // What one scenario does to all namespaces' lists, another one would see.
            arguments.test_threads = Some(1);
            trials.extend(table::trials(&areas, &Target::Real(real)));
        }
        None => {
            // They mostly wait for watches to end.
            arguments.test_threads.get_or_insert(16);
            trials.extend(table::trials(&areas, &Target::InProcess));
            trials.extend(table::trials(&areas, &Target::Http));
            trials.push(Trial::test("every difference that is listed occurs", move || all_occur(&areas)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn all_occur(areas: &[Area]) -> Result<(), Failed> {
    let mut idle: Vec<KnownDifference> = differences::all();
    for area in areas {
        for scenario in &area.scenarios {
            let found = table::differences(area, scenario, &Target::InProcess);
            idle.retain(|known| !found.iter().any(|difference| known.is(area, scenario, difference)));
        }
    }
    if idle.is_empty() {
        return Ok(());
    }
    Err(format!("listed in differences.yaml, but no longer different: {idle:#?}").into())
}
