//! One run of the server: a child process that is killed when this is dropped.

use std::fs;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use tokio::time::Instant;

use super::output::Output;
use super::{ClusterError, READY_MAX, ServerInfo, Settings};
use crate::built::Built;

/// The interval of polls for the ready file.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    output: Output,
    /// The server ends when this pipe is closed, also if this process is killed.
    _alive: Option<ChildStdin>,
}

impl Process {
    /// Starts the server in `folder` and waits until it is ready. Port 0 selects a free one.
    pub(crate) async fn start(
        built: &Built,
        folder: &Path,
        port: u16,
        settings: &Settings,
    ) -> Result<(Process, ServerInfo), ClusterError> {
        let ready = folder.join("ready.json");
        match fs::remove_file(&ready) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(ClusterError::Files(error));
            }
            _ => {}
        }
        let mut child = Command::new(&built.program)
            .args(["-until-stdin-ends", "-control", "127.0.0.1:0", "-port", &port.to_string()])
            .arg("-dir")
            .arg(folder.join("state"))
            .arg("-ready-file")
            .arg(&ready)
            .args(&settings.program)
            .arg("--")
            .args(&settings.apiserver)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(ClusterError::Start)?;
        let output = Output::of(child.stderr.take().expect("it was asked for"));
        let alive = child.stdin.take();
        let mut process = Process { child, output, _alive: alive };
        let server_info = process.ready(&ready).await?;
        Ok((process, server_info))
    }

    async fn ready(&mut self, file: &Path) -> Result<ServerInfo, ClusterError> {
        let deadline = Instant::now() + READY_MAX;
        while !file.exists() {
            if self.child.try_wait().map_err(ClusterError::Start)?.is_some() {
                return Err(ClusterError::Ended { output: self.output.last() });
            }
            if Instant::now() > deadline {
                return Err(ClusterError::NotReady { output: self.output.last() });
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let text = fs::read(file).map_err(ClusterError::Files)?;
        serde_json::from_slice(&text).map_err(ClusterError::Description)
    }

    pub(crate) fn output(&self) -> String {
        self.output.last()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails if it has already ended, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
