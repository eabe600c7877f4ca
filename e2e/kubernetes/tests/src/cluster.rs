//! A real API server with its etcd, in its own process on free loopback ports.
//!
//! It is killed when its handle is dropped, and ends by itself when the parent process ends. Only tests may start it.

mod access;
mod data;
pub(crate) mod output;
mod process;

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use tempfile::TempDir;

use crate::built::Built;

pub use access::User;
pub use data::DataCopy;
use process::Process;

#[derive(Debug)]
/// A running API server with its etcd.
pub struct Cluster {
    built: Built,
    settings: Settings,
    server_info: ServerInfo,
    process: Option<Process>,
    // Last, so that the process is killed before its folder is deleted.
    folder: TempDir,
}

/// How a server is started.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Flags of kube-apiserver, such as `--watch-cache=false`. They override the defaults.
    pub apiserver: Vec<String>,
    /// Flags of the program around it, such as `-no-etcd-progress`.
    pub program: Vec<String>,
    /// Whether the server is restarted before the test.
    pub initial_history: InitialHistory,
}

/// Whether the server is restarted before the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InitialHistory {
    /// The data is new, and the watch cache contains the whole history.
    #[default]
    None,
    /// The server was restarted on the same data, so its watch cache does not contain earlier changes.
    Restarted,
}

/// What the server reports when it is ready.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ServerInfo {
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
    /// Its files could not be written or read.
    #[error("writing and reading the server's files")]
    Files(#[source] std::io::Error),
    /// It could not be started.
    #[error("starting the server")]
    Start(#[source] std::io::Error),
    /// It ended before it was ready.
    #[error("the server ended before it was ready, and its last output is:\n{output}")]
    Ended {
        /// Its last output.
        output: String,
    },
    /// It was not ready in time.
    #[error("the server was not ready within {READY_MAX:?}, and its last output is:\n{output}")]
    NotReady {
        /// Its last output.
        output: String,
    },
    /// Its report could not be parsed.
    #[error("reading the server's description of itself")]
    Description(#[source] serde_json::Error),
}

/// A start takes three seconds on an idle machine.
const READY_MAX: Duration = Duration::from_secs(120);

impl Settings {
    /// Settings with these flags of kube-apiserver.
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

    /// As [`start`](Self::start), with all settings.
    pub async fn start_with(built: &Built, settings: Settings) -> Result<Cluster, ClusterError> {
        let folder = tempfile::Builder::new().prefix("tidings-").tempdir().map_err(ClusterError::Files)?;
        let (process, server_info) = Process::start(built, folder.path(), 0, &settings).await?;
        let mut cluster =
            Cluster { built: built.clone(), settings, server_info, process: Some(process), folder };
        if cluster.settings.initial_history == InitialHistory::Restarted {
            cluster.restart().await?;
        }
        Ok(cluster)
    }

    /// Kills it with SIGKILL. Its data stays.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Kills it if it runs, and restarts it with the same data and port.
    pub async fn restart(&mut self) -> Result<(), ClusterError> {
        self.kill();
        let port = self.port();
        let (process, server_info) =
            Process::start(&self.built, self.folder.path(), port, &self.settings).await?;
        self.process = Some(process);
        self.server_info = server_info;
        Ok(())
    }

    /// The version that it reports, such as `v1.37.1`.
    pub fn version(&self) -> &str {
        &self.server_info.version
    }

    /// Its URL, such as `https://127.0.0.1:41234`.
    pub fn url(&self) -> &str {
        &self.server_info.server
    }

    /// Its port, which stays the same after a restart.
    pub fn port(&self) -> u16 {
        let port = self.server_info.server.rsplit(':').next().and_then(|port| port.parse().ok());
        port.expect("a server's address ends in its port")
    }

    /// The URL of its control API, such as `http://127.0.0.1:41235`.
    pub fn control_url(&self) -> &str {
        &self.server_info.control
    }

    /// Its kubeconfig. The current context is that of the administrator.
    pub fn kubeconfig(&self) -> &Path {
        Path::new(&self.server_info.kubeconfig)
    }

    /// The token of the administrator.
    pub fn token(&self) -> &str {
        &self.server_info.token
    }

    /// The certificate of its authority, in PEM.
    pub fn authority(&self) -> &Path {
        Path::new(&self.server_info.ca)
    }

    /// Its last output.
    pub fn output(&self) -> String {
        self.process.as_ref().map(Process::output).unwrap_or_default()
    }
}
