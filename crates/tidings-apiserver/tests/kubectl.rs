//! Tests with `kubectl`: runs commands and checks their output.
//!
//! Uses the `kubectl` on the path, or the ones in the variable `KUBECTL`, separated by colons. Without one, each test
//! is reported as ignored; with `CI=true` it fails instead. Each test has its own server.

#[path = "kubectl/reading.rs"]
mod reading;
#[path = "support/tls_server.rs"]
mod tls_server;
#[path = "kubectl/tool.rs"]
mod tool;
#[path = "kubectl/writing.rs"]
mod writing;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use tool::{Kubectl, KubectlSession};

/// A test: its name and its commands.
type Script = (&'static str, fn(&KubectlSession));

fn main() -> ExitCode {
    let scripts: Vec<Script> = reading::SCRIPTS.iter().chain(writing::SCRIPTS).copied().collect();
    let kubectls = Kubectl::all();
    let mut trials = Vec::new();
    if kubectls.is_empty() {
        trials.extend(scripts.iter().map(|(name, _)| Trial::ignorable_test(*name, missing)));
    }
    for kubectl in kubectls {
        for (name, script) in &scripts {
            let (kubectl, script) = (kubectl.clone(), *script);
            let name = format!("{}: {name}", kubectl.version());
            trials.push(Trial::test(name, move || {
                script(&KubectlSession::start(kubectl));
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn missing() -> Result<Completion, Failed> {
    let reason = "kubectl is not on the path";
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        Err(reason.into())
    } else {
        Ok(Completion::ignored_with(reason))
    }
}
