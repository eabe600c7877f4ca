//! Runs `kubectl` against a server of its own.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;
use tidings_apiserver::ApiServer;

use crate::tls_server::TlsServer;

/// A `kubectl` program and its version.
#[derive(Clone, Debug)]
pub(crate) struct Kubectl {
    program: PathBuf,
    minor: u32,
}

/// One `kubectl` and its own server.
pub(crate) struct KubectlSession {
    kubectl: Kubectl,
    tls: TlsServer,
}

/// The output of a command, and whether it succeeded.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) is_success: bool,
}

/// A running command. Dropping it kills the command.
pub(crate) struct RunningCommand {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Kubectl {
    /// The programs in the variable `KUBECTL`, else the one on the path.
    pub(crate) fn all() -> Vec<Self> {
        match std::env::var("KUBECTL") {
            Ok(named) => std::env::split_paths(&named).filter_map(Self::at).collect(),
            Err(_) => Self::at(PathBuf::from("kubectl")).into_iter().collect(),
        }
    }

    fn at(program: PathBuf) -> Option<Self> {
        let printed = Command::new(&program).args(["version", "--client", "-o", "json"]).output().ok()?;
        let version: Value = serde_json::from_slice(&printed.stdout).ok()?;
        let git_version = version["clientVersion"]["gitVersion"].as_str()?;
        // A build from a Go module has no version. It counts as the newest.
        let minor =
            git_version.trim_start_matches('v').split('.').nth(1).and_then(|minor| minor.parse().ok());
        Some(Self { program, minor: minor.filter(|minor| *minor > 0).unwrap_or(u32::MAX) })
    }

    /// Such as `kubectl 1.32`.
    pub(crate) fn version(&self) -> String {
        match self.minor {
            u32::MAX => "kubectl from its module".to_owned(),
            minor => format!("kubectl 1.{minor}"),
        }
    }
}

impl KubectlSession {
    pub(crate) fn start(kubectl: Kubectl) -> Self {
        Self { kubectl, tls: TlsServer::start() }
    }

    pub(crate) fn server(&self) -> &ApiServer {
        &self.tls.server
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.kubectl.program);
        command
            .args(words(line))
            .env("HOME", self.tls.folder())
            .env("KUBECONFIG", self.tls.kubeconfig())
            .env_remove("NO_PROXY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end with this standard input.
    pub(crate) fn run_with(&self, line: &str, input: &str) -> CommandOutput {
        self.finish(self.command(line), input)
    }

    /// Runs a command to its end with an environment variable.
    pub(crate) fn run_in(&self, name: &str, value: impl AsRef<OsStr>, line: &str) -> CommandOutput {
        let mut command = self.command(line);
        command.env(name, value);
        self.finish(command, "")
    }

    fn finish(&self, mut command: Command, input: &str) -> CommandOutput {
        let mut child = command.spawn().expect("kubectl can be started");
        let mut stdin = child.stdin.take().expect("its input is piped");
        // An error means that the command does not read its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("kubectl ends");
        CommandOutput {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            is_success: output.status.success(),
        }
    }

    /// The output of a command that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, line: &str) -> String {
        self.ok_with(line, "")
    }

    /// The output of a command that must succeed, with this standard input.
    #[track_caller]
    pub(crate) fn ok_with(&self, line: &str, input: &str) -> String {
        let printed = self.run_with(line, input);
        assert!(printed.is_success, "kubectl {line}:\n{}{}", printed.out, printed.err);
        printed.out
    }

    /// The error output of a command that must fail.
    #[track_caller]
    pub(crate) fn fails(&self, line: &str, input: &str) -> String {
        let printed = self.run_with(line, input);
        assert!(!printed.is_success, "kubectl {line} succeeded:\n{}", printed.out);
        printed.err
    }

    /// Starts a command that keeps running.
    pub(crate) fn watch(&self, line: &str) -> RunningCommand {
        let mut child = self.command(line).spawn().expect("kubectl can be started");
        let lines = BufReader::new(child.stdout.take().expect("its output is piped"));
        RunningCommand { child, lines }
    }

    /// An object as the server stores it.
    #[track_caller]
    pub(crate) fn object(&self, resource: &str, key: &str) -> Value {
        self.server().object(resource, key).unwrap_or_else(|| panic!("{resource} {key} is not there"))
    }
}

/// Splits a command line into words. Single quotes work as in a shell.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().expect("there is always a word").push(letter),
        }
    }
    words
}

impl RunningCommand {
    /// The next line, with single spaces between its columns.
    pub(crate) fn next(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("its output can be read");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        // An error means that the command has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a table, with single spaces between their columns.
pub(crate) fn rows(table: &str) -> Vec<String> {
    table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}
