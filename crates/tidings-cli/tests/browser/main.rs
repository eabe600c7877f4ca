//! The dashboard in a real browser: it loads, follows, filters, shows an object, and outlives both servers.
//!
//! Debian's `chromium` and `chromedriver` are used, from the path. Without them, each test is shown as ignored with the
//! reason; under `CI=true` it fails instead. Each test has a browser, a dashboard and a server of its own.

#[path = "../program/http_client.rs"]
#[expect(dead_code, reason = "samples are read by the page here")]
mod http_client;
#[path = "../program/process.rs"]
#[expect(dead_code, reason = "a browser needs less than a terminal")]
mod process;

mod driver;
mod fixture;
mod scripts;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use scripts::SCRIPTS;

fn main() -> ExitCode {
    let is_there = ["chromium", "chromedriver"].iter().all(|program| driver::is_on_the_path(program));
    let trials = SCRIPTS.iter().map(|(name, script)| {
        if !is_there {
            return Trial::ignorable_test(*name, missing);
        }
        Trial::test(*name, || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
            runtime.block_on(script());
            Ok(())
        })
    });
    let mut arguments = Arguments::from_args();
    // A browser is many processes: several at once only make each other late.
    arguments.test_threads.get_or_insert(1);
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn missing() -> Result<Completion, Failed> {
    let reason = "chromium and chromedriver are not on the path";
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        Err(reason.into())
    } else {
        Ok(Completion::ignored_with(reason))
    }
}
