//! A server with its own runtime that listens with TLS, for tests that start other programs.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tidings_apiserver::{ApiServer, Listen, Listening};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// A server that listens with TLS, and a temporary folder with its kubeconfig.
pub(crate) struct TlsServer {
    pub(crate) server: ApiServer,
    folder: TempDir,
    _listening: Listening,
    _tasks: JoinSet<()>,
    // Dropped last, because the others run on it.
    _runtime: Runtime,
}

impl TlsServer {
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime can be built");
        let server = runtime.block_on(ApiServer::start());
        let (listening, serving) =
            runtime.block_on(server.listen(Listen::tls())).expect("a port of the loopback address is free");
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        listening.write_kubeconfig(folder.path().join("kubeconfig")).expect("the kubeconfig can be written");
        let mut tasks = JoinSet::new();
        tasks.spawn_on(serving, runtime.handle());
        Self { server, folder, _listening: listening, _tasks: tasks, _runtime: runtime }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder().join("kubeconfig")
    }
}
