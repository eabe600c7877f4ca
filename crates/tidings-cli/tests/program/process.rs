//! Runs the built program against an API server in the test process, over a real socket.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tidings_apiserver::Rights;
use tidings_apiserver::{ApiServer, Listen, Listening};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::task::JoinSet;

/// Long enough for a busy machine. Only a hang takes longer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An API server with anonymous access on a loopback port.
pub(crate) struct ServedApi {
    pub(crate) server: ApiServer,
    pub(crate) url: String,
    _listening: Listening,
    _serving: JoinSet<()>,
}

impl ServedApi {
    pub(crate) async fn start() -> ServedApi {
        ServedApi::over(ApiServer::builder().anonymous(Rights::Admin).start().await).await
    }

    pub(crate) async fn over(server: ApiServer) -> ServedApi {
        let (listening, serving) = server.listen(Listen::plain()).await.expect("a port is free");
        let mut tasks = JoinSet::new();
        tasks.spawn(serving);
        ServedApi { server, url: listening.url(), _listening: listening, _serving: tasks }
    }

    pub(crate) fn put_pod(&self, name: &str, node: &str, phase: &str) {
        self.server.put("pods", pod(name, node, phase));
    }
}

/// A pod with a fixed creation time. Without one, each `put` would set a new time, and so change one more field.
pub(crate) fn pod(name: &str, node: &str, phase: &str) -> Value {
    json!({
        "metadata": {
            "namespace": "default", "name": name, "labels": { "app": "web" },
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": { "nodeName": node, "containers": [{ "name": "web", "image": "nginx" }] },
        "status": { "phase": phase },
    })
}

/// The result of a finished program.
#[derive(Debug)]
pub(crate) struct ProcessOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A command that does not inherit the kubeconfig and log settings of the environment.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
    command.args(arguments).kill_on_drop(true).stdin(Stdio::null());
    command.env("KUBECONFIG", "/nonexistent/kubeconfig").env("HOME", "/nonexistent").env_remove("RUST_LOG");
    command
}

/// Runs the program to its end.
pub(crate) async fn run(arguments: &[&str]) -> ProcessOutput {
    ended(command(arguments)).await
}

/// Runs the program to its end with `RUST_LOG=trace`.
pub(crate) async fn run_logging(arguments: &[&str]) -> ProcessOutput {
    let mut command = command(arguments);
    command.env("RUST_LOG", "trace");
    ended(command).await
}

async fn ended(mut command: Command) -> ProcessOutput {
    let output = tokio::time::timeout(TIMEOUT, command.output());
    let output = output.await.expect("the program ends").expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program prints text");
    ProcessOutput {
        code: output.status.code().expect("no signal ended it"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A running program whose output is read line by line.
pub(crate) struct RunningProgram {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl RunningProgram {
    pub(crate) fn start(arguments: &[&str]) -> RunningProgram {
        RunningProgram::start_with(arguments, &[])
    }

    /// Starts it with environment variables.
    pub(crate) fn start_with(arguments: &[&str], variables: &[(&str, &str)]) -> RunningProgram {
        let mut command = command(arguments);
        command.envs(variables.iter().copied());
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let stdout = child.stdout.take().expect("it is piped");
        RunningProgram { child, lines: BufReader::new(stdout).lines() }
    }

    /// The next line; `None` at the end.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let line = tokio::time::timeout(TIMEOUT, self.lines.next_line());
        line.await.expect("a line comes in time").expect("the program prints text")
    }

    /// Its command line, which all users of the machine can read.
    pub(crate) fn command_line(&self) -> String {
        let pid = self.child.id().expect("it runs");
        let seen = std::fs::read(format!("/proc/{pid}/cmdline")).expect("/proc can be read");
        String::from_utf8_lossy(&seen).replace('\0', " ")
    }

    pub(crate) async fn json(&mut self) -> Value {
        let line = self.line().await.expect("there is another line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends SIGTERM, as a supervisor does.
    pub(crate) async fn terminate(&mut self) {
        let pid = self.child.id().expect("it runs").to_string();
        let done = Command::new("kill").args(["-TERM", &pid]).status().await.expect("kill is installed");
        assert!(done.success());
    }

    /// Closes the pipe and waits for the end of the program.
    pub(crate) async fn close(self) -> i32 {
        let RunningProgram { mut child, lines } = self;
        drop(lines);
        let status = tokio::time::timeout(TIMEOUT, child.wait()).await.expect("the program ends");
        status.expect("it can be waited for").code().expect("no signal ended it")
    }

    pub(crate) async fn ended(mut self) -> i32 {
        let status = tokio::time::timeout(TIMEOUT, self.child.wait()).await.expect("the program ends");
        status.expect("it can be waited for").code().expect("no signal ended it")
    }
}
