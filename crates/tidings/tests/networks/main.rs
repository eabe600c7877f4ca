//! Credentials and networks, over real sockets and in real time: whatever changes or fails while an informer watches, it
//! reports the problem clearly and loses nothing.
//!
//! The tests wait for conditions, never for time. Those about files that kube reads once a minute take up to a minute.

mod credentials;
mod dropped;
mod fixture;
mod paths;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use tidings_test_types as _;
use tokio::runtime::{Builder, Runtime};

/// Runs a test on its own runtime.
macro_rules! trial {
    ($name:literal, $test:path) => {
        Trial::test($name, || {
            runtime()?.block_on($test());
            Ok(())
        })
    };
}

fn main() -> ExitCode {
    if dropped::run_role() {
        return ExitCode::SUCCESS;
    }
    let trials = vec![
        trial!("a token file that rotates during a watch is read again", credentials::token_file_rotates),
        trial!(
            "a certificate authority that changes is reported, and trusted again by a new file or a new client",
            credentials::authority_changes
        ),
        trial!(
            "an exec plugin that fails is reported without its output, and run again",
            credentials::exec_plugin_fails
        ),
        trial!(
            "a client certificate that expires during a watch ends no watch, and is reported by the next",
            credentials::client_certificate_expires
        ),
        trial!(
            "an informer follows through a proxy that wants a password, and survives it",
            paths::through_a_proxy
        ),
        trial!(
            "of several API servers behind one name any may go away",
            paths::several_servers_behind_one_name
        ),
        Trial::ignorable_test(
            "packets that are dropped without a reset are noticed within a minute, by a watch and by a write",
            dropped::test,
        ),
    ];
    let mut arguments = Arguments::from_args();
    // The tests wait for files and timeouts and hardly compute, so all run at the same time.
    arguments.test_threads.get_or_insert(trials.len());
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn runtime() -> Result<Runtime, Failed> {
    Ok(Builder::new_multi_thread().worker_threads(1).enable_all().build()?)
}
