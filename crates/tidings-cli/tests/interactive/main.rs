//! The built program with the tools that users have: a real terminal and a real browser.
//!
//! Without such a tool its tests are reported as ignored; with `CI=true` they fail.

#![allow(missing_docs, reason = "tests")]

mod browser;
#[path = "../program/http_client.rs"]
#[expect(dead_code, reason = "the page reads the samples")]
mod http_client;
#[path = "../program/process.rs"]
#[expect(dead_code, reason = "these tests use only a part of it")]
mod process;
mod terminal;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed};
use tidings_test_types as _;

fn main() -> ExitCode {
    let trials = terminal::trials().chain(browser::trials()).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The result of a test whose tool is not installed.
fn missing(tool: &str) -> Result<Completion, Failed> {
    let reason = format!("{tool} is not on the path");
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        Err(reason.into())
    } else {
        Ok(Completion::ignored_with(reason))
    }
}
