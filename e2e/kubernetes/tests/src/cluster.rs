//! A real API server with its etcd, in a process of its own on free loopback ports.
//!
//! It is killed with its handle, and ends by itself when the process that started it does: nobody leaves a server
//! behind. It must never be started by anything but a test.

mod access;
mod data;
mod output;
mod process;

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;

use crate::built::Built;

pub use access::User;
pub use data::DataCopy;
use process::Process;

/// A real API server with its etcd.
#[derive(Debug)]
pub struct Cluster {
    built: Built,
    settings: Settings,
    about: About,
    process: Option<Process>,
    // Last: what runs in it goes first.
    folder: TempDir,
}

/// How a server is started.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Flags of kube-apiserver, such as `--watch-cache=false`, in the place of the ones it has anyway.
    pub apiserver: Vec<String>,
    /// Flags of the program around it, such as `-no-etcd-progress`.
    pub program: Vec<String>,
    /// Whether it has a past.
    pub past: Past,
}

/// Whether a server has a past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Past {
    /// Its data is new, and its watch cache knows everything that ever happened.
    #[default]
    None,
    /// It was started before on the same data: what happened until then, its watch cache does not know.
    Restarted,
}

/// What the server says of itself once it is ready.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct About {
    server: String,
    control: String,
    kubeconfig: String,
    token: String,
    ca: String,
    version: String,
}

/// Why a server does not run.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// Its files.
    #[error("writing and reading the server's files")]
    Files(#[source] std::io::Error),
    /// It was not started.
    #[error("starting the server")]
    Start(#[source] std::io::Error),
    /// It ended before it was ready.
    #[error("the server ended before it was ready, and said last:\n{output}")]
    Ended {
        /// What it said last.
        output: String,
    },
    /// It takes too long.
    #[error("the server was not ready within {READY_MAX:?}, and said last:\n{output}")]
    NotReady {
        /// What it said last.
        output: String,
    },
    /// Its description can't be read.
    #[error("reading the server's description of itself")]
    Description(#[source] serde_json::Error),
}

/// A start takes three seconds on an idle machine.
const READY_MAX: Duration = Duration::from_secs(120);

impl Settings {
    /// These flags of kube-apiserver.
    pub fn with_flags(flags: &[&str]) -> Settings {
        let apiserver = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Settings { apiserver, ..Settings::default() }
    }
}

impl Cluster {
    /// Starts a server with these flags of kube-apiserver, and waits until it is ready.
    pub async fn start(built: &Built, flags: &[&str]) -> Result<Cluster, ClusterError> {
        Self::start_with(built, Settings::with_flags(flags)).await
    }

    /// As [`start`](Self::start), with everything that can be set.
    pub async fn start_with(built: &Built, settings: Settings) -> Result<Cluster, ClusterError> {
        let folder = tempfile::Builder::new().prefix("tidings-").tempdir().map_err(ClusterError::Files)?;
        let (process, about) = Process::start(built, folder.path(), 0, &settings).await?;
        let mut cluster = Cluster { built: built.clone(), settings, about, process: Some(process), folder };
        if cluster.settings.past == Past::Restarted {
            cluster.restart().await?;
        }
        Ok(cluster)
    }

    /// Kills it, as by SIGKILL; its data stays.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Kills it if it runs, and starts it again on the same data and the same port.
    pub async fn restart(&mut self) -> Result<(), ClusterError> {
        self.kill();
        let port = self.port();
        let (process, about) = Process::start(&self.built, self.folder.path(), port, &self.settings).await?;
        self.process = Some(process);
        self.about = about;
        Ok(())
    }

    /// The version that it says it is, such as `v1.36.3`.
    pub fn version(&self) -> &str {
        &self.about.version
    }

    /// Its address, such as `https://127.0.0.1:41234`.
    pub fn url(&self) -> &str {
        &self.about.server
    }

    /// Its port, which stays the same over restarts.
    pub fn port(&self) -> u16 {
        let port = self.about.server.rsplit(':').next().and_then(|port| port.parse().ok());
        port.expect("a server's address ends in its port")
    }

    /// Where its control API listens, such as `http://127.0.0.1:41235`.
    pub fn control_url(&self) -> &str {
        &self.about.control
    }

    /// Its kubeconfig; the current context is the administrator's.
    pub fn kubeconfig(&self) -> &Path {
        Path::new(&self.about.kubeconfig)
    }

    /// The administrator's token.
    pub fn token(&self) -> &str {
        &self.about.token
    }

    /// The certificate of its authority, in PEM.
    pub fn authority(&self) -> &Path {
        Path::new(&self.about.ca)
    }

    /// What it said last.
    pub fn output(&self) -> String {
        self.process.as_ref().map(Process::output).unwrap_or_default()
    }
}
