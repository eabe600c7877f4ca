//! Signals to a real process: this test program starts itself as a program with a manager.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use tidings_apiserver::ApiServer;
use tidings_controller::{Action, Context, Manager};

use crate::election::blocked_log::{log_to_standard_error, write_to_standard_error_for_ever};
use crate::manager::harness::{factory, maps, put};

const ROLE: &str = "TIDINGS_MANAGER_TEST_ROLE";

/// The program, if this process was started as one. It is not a test.
#[test]
#[expect(clippy::print_stdout, reason = "the program reports to its test")]
fn program() {
    let Ok(role) = std::env::var(ROLE) else { return };
    if role == "logs" {
        log_to_standard_error();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let server = ApiServer::start().await;
        put(&server, "configmaps", "a");
        let controller = maps(move |_, context: Context| {
            let role = role.clone();
            async move {
                println!("\nreconcile begins");
                match role.as_str() {
                    "blocks" => block(),
                    "logs" => write_to_standard_error_for_ever(),
                    _ => {}
                }
                context.cancelled().await;
                println!("\nreconcile ends");
                Ok(Action::await_change())
            }
        });
        Manager::new(factory(&server)).controller(controller).run().await.unwrap();
        println!("\nmanager has ended");
    });
}

/// Blocks its thread for ever. `park` may return spuriously.
fn block() -> ! {
    loop {
        std::thread::park();
    }
}

struct Program {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// The standard error of the program, which is never read.
    _log: std::io::PipeReader,
}

/// The limit on the number of sent signals. Each one starts a process, so that this takes long enough.
const SIGNALS_MAX: u32 = 20_000;

impl Program {
    fn start(role: &str) -> Program {
        let (log, unread) = std::io::pipe().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "manager::signals::program", "--nocapture"])
            .env(ROLE, role)
            .stdout(Stdio::piped())
            .stderr(unread)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Program { child, lines, _log: log }
    }

    fn says(&mut self, line: &str) {
        let said = self.lines.by_ref().map(|said| said.unwrap()).any(|said| said == line);
        assert!(said, "the program never says {line:?}");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Sends a signal until the program has ended. The system may merge several signals into one.
    fn ended_by(&mut self, signal: &str) -> ExitStatus {
        for _ in 0..SIGNALS_MAX {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            self.signal(signal);
        }
        panic!("the program still runs");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_first_signal_lets_the_program_finish() {
    for signal in ["-TERM", "-INT"] {
        let mut program = Program::start("finishes");
        program.says("reconcile begins");
        program.signal(signal);
        program.says("reconcile ends");
        program.says("manager has ended");
        assert!(program.child.wait().unwrap().success(), "{signal}");
    }
}

#[test]
fn the_second_signal_ends_a_program_whose_threads_are_all_blocked() {
    for (signal, exit_code) in [("-TERM", 143), ("-INT", 130)] {
        let mut program = Program::start("blocks");
        program.says("reconcile begins");
        assert_eq!(program.ended_by(signal).code(), Some(exit_code));
    }
}

// holds: X43
#[test]
fn the_second_signal_ends_a_program_whose_log_is_blocked() {
    let mut program = Program::start("logs");
    program.says("reconcile begins");
    assert_eq!(program.ended_by("-TERM").code(), Some(143));
}
