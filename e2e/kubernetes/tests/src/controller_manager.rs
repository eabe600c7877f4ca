//! kube-controller-manager in its own process. It is killed when its handle is dropped, and ends by itself when the
//! parent process ends.

use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::built::Built;
use crate::cluster::output::Output;

/// A running kube-controller-manager.
#[derive(Debug)]
pub struct ControllerManager {
    child: Child,
    output: Output,
    /// The program ends when this pipe is closed, also if this process is killed.
    _alive: Option<ChildStdin>,
}

impl ControllerManager {
    /// Starts it with these flags, as the user of the kubeconfig. It has no port.
    pub fn start(built: &Built, kubeconfig: &Path, flags: &[&str]) -> std::io::Result<ControllerManager> {
        let mut child = Command::new(&built.program)
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .arg("--secure-port=0")
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let output = Output::of(child.stderr.take().expect("it was asked for"));
        let alive = child.stdin.take();
        Ok(ControllerManager { child, output, _alive: alive })
    }

    /// Its last output.
    pub fn output(&self) -> String {
        self.output.last()
    }
}

impl Drop for ControllerManager {
    fn drop(&mut self) {
        // Fails if it has already ended, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
