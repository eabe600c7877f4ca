//! The dashboard in a real browser.
//!
//! The tests use `chromium` and `chromedriver` from the path. Without them each test is reported as ignored; with `CI=true`
//! it fails. Each test has its own browser, dashboard and server.

#[path = "../program/http_client.rs"]
#[expect(dead_code, reason = "the page reads the samples")]
mod http_client;
#[path = "../program/process.rs"]
#[expect(dead_code, reason = "these tests use only a part of it")]
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
    // A browser starts many processes. Several browsers at once would slow each other down.
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
