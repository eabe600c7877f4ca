//! A process whose standard error is a pipe that is never read. When the pipe is full, each log call blocks for ever.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Set in the child process that must be aborted.
const TO_BE_ABORTED: &str = "TIDINGS_TEST_TO_BE_ABORTED_WITH_A_BLOCKED_LOG";

/// The time limit for the abort of the process.
const PATIENCE: Duration = Duration::from_secs(60);

/// A subscriber that writes all events to standard error.
struct StandardError;

/// Runs `body` in a child process, as the test with this name. Fails unless the process is aborted.
pub(crate) fn aborts_with_a_blocked_log(test: &str, body: impl FnOnce()) {
    if std::env::var_os(TO_BE_ABORTED).is_some() {
        return body();
    }
    // It stays open and is never read.
    let (_reader, writer) = std::io::pipe().expect("a pipe can be made");
    let this = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new(this)
        .args([test, "--exact"])
        .env(TO_BE_ABORTED, "1")
        .stdout(Stdio::null())
        .stderr(writer)
        .spawn()
        .expect("the process can be started");
    let (exited, exit) = mpsc::channel();
    let id = child.id();
    thread::spawn(move || exited.send(child.wait().expect("it is our child")));
    let Ok(status) = exit.recv_timeout(PATIENCE) else {
        let _killed = Command::new("kill").args(["-KILL", &id.to_string()]).status();
        panic!("the process still runs");
    };
    assert!(!status.success());
    #[cfg(unix)]
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(6), "{status:?}");
}

/// Logs to standard error from now on.
pub(crate) fn log_to_standard_error() {
    tracing::subscriber::set_global_default(StandardError).expect("nothing else logs in this process");
}

/// Blocks when the pipe is full, and holds the lock of standard error then.
pub(crate) fn write_to_standard_error_for_ever() {
    let mut out = std::io::stderr().lock();
    while out.write_all(&[b'.'; 4096]).is_ok() {}
}

impl tracing::Subscriber for StandardError {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let _ = writeln!(std::io::stderr(), "{event:?}");
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}
