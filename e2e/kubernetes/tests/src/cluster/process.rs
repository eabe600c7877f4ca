//! One run of the server: a child process that is killed when this is dropped.

use std::fs;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use tokio::time::Instant;

use super::output::Output;
use super::{About, ClusterError, READY_MAX, Settings};
use crate::built::Built;

/// Between two looks for the ready file.
const PAUSE: Duration = Duration::from_millis(20);

/// One run of the server.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    output: Output,
    /// It ends when nobody holds this any more, should we be killed before we can kill it.
    _alive: Option<ChildStdin>,
}

impl Process {
    /// Starts the server in `folder`, and waits until it is ready. Port 0 is a free one.
    pub(crate) async fn start(
        built: &Built,
        folder: &Path,
        port: u16,
        settings: &Settings,
    ) -> Result<(Process, About), ClusterError> {
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
        let about = process.ready(&ready).await?;
        Ok((process, about))
    }

    async fn ready(&mut self, file: &Path) -> Result<About, ClusterError> {
        let deadline = Instant::now() + READY_MAX;
        while !file.exists() {
            if self.child.try_wait().map_err(ClusterError::Start)?.is_some() {
                return Err(ClusterError::Ended { output: self.output.last() });
            }
            if Instant::now() > deadline {
                return Err(ClusterError::NotReady { output: self.output.last() });
            }
            tokio::time::sleep(PAUSE).await;
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
        // It may have ended already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
