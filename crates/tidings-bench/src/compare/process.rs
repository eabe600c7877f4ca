//! A child process that reads commands and writes responses, one JSON object per line. It is killed when its handle is
//! dropped.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::usage;

/// The slowest peer syncs a hundred thousand pods in a tenth of this time.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(180);

/// The allocator of both Rust programs returns memory to the system soon, in a background thread.
pub(crate) const ALLOCATOR_SETTINGS: &str = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";

/// A program is idle if it uses no more than this CPU time per poll, for this many polls.
const IDLE_CPU_SECONDS: f64 = 0.011;
const IDLE_POLLS: usize = 5;
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(100);
const IDLE_WAIT_MAX: Duration = Duration::from_secs(60);

pub(crate) struct ChildProgram {
    name: String,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl ChildProgram {
    /// Starts a program with the highest limit of open files.
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

    /// Sends a command.
    pub(crate) fn send(&mut self, command: &impl Serialize) -> anyhow::Result<()> {
        let line = serde_json::to_string(command)? + "\n";
        let written = self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush());
        written.with_context(|| format!("sending {} the command {}", self.name, line.trim_end()))
    }

    /// Waits for the next response.
    pub(crate) fn receive<T: DeserializeOwned>(&mut self) -> anyhow::Result<T> {
        let line = self.lines.recv_timeout(RESPONSE_TIMEOUT).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow::anyhow!("{} has not responded", self.name),
            RecvTimeoutError::Disconnected => anyhow::anyhow!("{} has ended", self.name),
        })?;
        let answer: Value = serde_json::from_str(&line)
            .with_context(|| format!("parsing the response of {}: {line}", self.name))?;
        if let Some(error) = answer.get("error") {
            bail!("{} failed: {error}", self.name);
        }
        serde_json::from_value(answer).with_context(|| format!("{} responded {line}", self.name))
    }

    /// Sends a command and waits for the response.
    pub(crate) fn request<T: DeserializeOwned>(&mut self, command: &impl Serialize) -> anyhow::Result<T> {
        self.send(command)?;
        self.receive()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Suspends it with SIGSTOP.
    pub(crate) fn pause(&self) -> anyhow::Result<()> {
        self.signal("-STOP")
    }

    /// Resumes it with SIGCONT.
    pub(crate) fn resume(&self) -> anyhow::Result<()> {
        self.signal("-CONT")
    }

    fn signal(&self, signal: &str) -> anyhow::Result<()> {
        let sent = Command::new("kill").arg(signal).arg(self.pid().to_string()).status();
        ensure!(sent.context("running kill")?.success(), "{} can't be sent {signal}", self.name);
        Ok(())
    }

    /// Waits until it uses no more CPU.
    #[expect(clippy::disallowed_methods, reason = "it polls another process, which sends no signal")]
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
        // Fails if the program has already ended, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_parsed_and_an_error_response_is_an_error() {
        let mut echo = ChildProgram::start("echo", &Command::new("cat")).expect("cat is there");
        let response: Value = echo.request(&serde_json::json!({ "synced": 3 })).expect("cat answers");
        assert_eq!(response["synced"], 3);
        let error = echo.request::<Value>(&serde_json::json!({ "error": "no server" })).unwrap_err();
        assert!(error.to_string().contains("no server"), "{error}");
    }

    #[test]
    fn a_program_is_killed_with_its_handle() {
        let echo = ChildProgram::start("echo", &Command::new("cat")).expect("cat is there");
        let pid = echo.pid();
        drop(echo);
        assert!(usage::resident_bytes(pid).is_err());
    }
}
