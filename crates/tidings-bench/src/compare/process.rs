//! A program that is told what to do line by line and answers so. It does not outlive its handle.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::usage;

/// How long an answer may take: the slowest peer syncs a hundred thousand pods in a tenth of it.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(180);

/// How both Rust programs' allocator gives memory back: soon, and in a thread of its own.
pub(crate) const ALLOCATOR_SETTINGS: &str = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";

/// Idle is who has used no more than this much CPU for so many looks.
const IDLE_CPU_SECONDS: f64 = 0.011;
const IDLE_POLLS: usize = 5;
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(100);
const IDLE_WAIT_MAX: Duration = Duration::from_secs(60);

/// A running program.
pub(crate) struct ChildProgram {
    name: String,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl ChildProgram {
    /// Starts a program with as many open files as it may have.
    pub(crate) fn start(name: &str, command: &Command) -> anyhow::Result<Self> {
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -n \"$(ulimit -Hn)\"; exec \"$0\" \"$@\""])
            .arg(command.get_program())
            .args(command.get_args())
            .env("_RJEM_MALLOC_CONF", ALLOCATOR_SETTINGS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {name}"))?;
        let input = child.stdin.take().context("its input is a pipe")?;
        let output = child.stdout.take().context("its output is a pipe")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(ChildProgram { name: name.to_owned(), child, input, lines })
    }

    /// Says what to do.
    pub(crate) fn send(&mut self, command: &impl Serialize) -> anyhow::Result<()> {
        let line = serde_json::to_string(command)? + "\n";
        let written = self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush());
        written.with_context(|| format!("telling {} to {}", self.name, line.trim_end()))
    }

    /// Waits for the next answer.
    pub(crate) fn receive<T: DeserializeOwned>(&mut self) -> anyhow::Result<T> {
        let line = self.lines.recv_timeout(RESPONSE_TIMEOUT).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow::anyhow!("{} has not answered", self.name),
            RecvTimeoutError::Disconnected => anyhow::anyhow!("{} has ended", self.name),
        })?;
        let answer: Value = serde_json::from_str(&line)
            .with_context(|| format!("reading what {} answered: {line}", self.name))?;
        if let Some(error) = answer.get("error") {
            bail!("{} says: {error}", self.name);
        }
        serde_json::from_value(answer).with_context(|| format!("{} answered {line}", self.name))
    }

    /// Says what to do and waits for the answer.
    pub(crate) fn request<T: DeserializeOwned>(&mut self, command: &impl Serialize) -> anyhow::Result<T> {
        self.send(command)?;
        self.receive()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets it stand still.
    pub(crate) fn pause(&self) -> anyhow::Result<()> {
        self.signal("-STOP")
    }

    /// Lets it go on.
    pub(crate) fn resume(&self) -> anyhow::Result<()> {
        self.signal("-CONT")
    }

    fn signal(&self, signal: &str) -> anyhow::Result<()> {
        let sent = Command::new("kill").arg(signal).arg(self.pid().to_string()).status();
        ensure!(sent.context("running kill")?.success(), "{} can't be sent {signal}", self.name);
        Ok(())
    }

    /// Waits until it has nothing more to do.
    #[expect(clippy::disallowed_methods, reason = "it looks at another process, which tells nobody")]
    pub(crate) fn wait_until_idle(&self) -> anyhow::Result<()> {
        let mut before = usage::cpu_seconds(self.pid())?;
        let (mut idle_looks, mut waited) = (0, Duration::ZERO);
        while idle_looks < IDLE_POLLS && waited < IDLE_WAIT_MAX {
            std::thread::sleep(IDLE_POLL_INTERVAL);
            waited += IDLE_POLL_INTERVAL;
            let now = usage::cpu_seconds(self.pid())?;
            idle_looks = if now - before <= IDLE_CPU_SECONDS { idle_looks + 1 } else { 0 };
            before = now;
        }
        Ok(())
    }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_was_said_and_an_error_is_an_error() {
        let mut echo = ChildProgram::start("echo", &Command::new("cat")).expect("cat is there");
        let said: Value = echo.request(&serde_json::json!({ "synced": 3 })).expect("cat answers");
        assert_eq!(said["synced"], 3);
        let error = echo.request::<Value>(&serde_json::json!({ "error": "no server" })).unwrap_err();
        assert!(error.to_string().contains("no server"), "{error}");
    }

    #[test]
    fn a_program_ends_with_its_handle() {
        let echo = ChildProgram::start("echo", &Command::new("cat")).expect("cat is there");
        let pid = echo.pid();
        drop(echo);
        assert!(usage::resident_bytes(pid).is_err());
    }
}
