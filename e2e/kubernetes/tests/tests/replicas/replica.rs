//! One replica of the controller, which runs in a child process.

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use tidings::SharedInformerFactory;
use tidings::client_from_config;
use tidings::controller::{Action, Context, Controller, Election, Error, Manager, Request};
use tokio_util::sync::CancellationToken;

use crate::reconcile_log::ReconcileLog;
use crate::{LEASE, NAMESPACE};

/// The environment variables with the name of the replica and its kubeconfig.
const NAME: &str = "TIDINGS_REPLICA_NAME";
const KUBECONFIG: &str = "TIDINGS_REPLICA_KUBECONFIG";

/// A running replica. It is killed when this is dropped.
pub(crate) struct Replica {
    name: &'static str,
    child: Child,
}

impl Replica {
    /// Starts this program as a replica.
    pub(crate) fn start(kubeconfig: &Path, name: &'static str) -> Replica {
        let program = std::env::current_exe().expect("a program knows where it is");
        let child = Command::new(program)
            .env(NAME, name)
            .env(KUBECONFIG, kubeconfig)
            // The replica ends when this pipe is closed.
            .stdin(Stdio::piped())
            .spawn()
            .expect("this program can be run once more");
        Replica { name, child }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        // SIGKILL, so that it can't release the lease.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The configuration from the environment, if this process is a replica.
pub(crate) struct ReplicaConfig {
    name: String,
    kubeconfig: String,
}

pub(crate) fn config_from_environment() -> Option<ReplicaConfig> {
    Some(ReplicaConfig { name: std::env::var(NAME).ok()?, kubeconfig: std::env::var(KUBECONFIG).ok()? })
}

impl ReplicaConfig {
    /// Runs the controller until the parent process ends.
    pub(crate) fn run(self) -> ExitCode {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        match runtime.expect("a runtime can be made").block_on(self.control()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        }
    }

    async fn control(self) -> Result<(), Box<dyn std::error::Error>> {
        let kubeconfig = Kubeconfig::read_from(&self.kubeconfig)?;
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        let client = client_from_config(config)?;
        let log = Arc::new(ReconcileLog::new(&client, NAMESPACE));
        let name: Arc<str> = self.name.as_str().into();
        let reconcile = move |request: Request, context: Context| {
            record_version(request, context, Arc::clone(&log), Arc::clone(&name))
        };
        let election = Election::new(LEASE)
            .namespace(NAMESPACE)
            .identity(self.name)
            .lease_duration(Duration::from_secs(5))
            .renew_deadline(Duration::from_secs(3))
            .retry_period(Duration::from_millis(500));
        let factory = SharedInformerFactory::builder(client).namespaces([NAMESPACE])?.build();
        Manager::new(factory)
            .controller(Controller::for_kind::<ConfigMap>("tasks").reconcile(reconcile))
            .election(election)
            .run_until(orphaned().cancelled_owned())
            .await?;
        Ok(())
    }
}

/// Cancelled when the parent process ends.
fn orphaned() -> CancellationToken {
    let orphaned = CancellationToken::new();
    let notification = orphaned.clone();
    std::thread::spawn(move || {
        // Nothing is written to the pipe. Its end is the signal.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        notification.cancel();
    });
    orphaned
}

/// Adds the cached version to the log.
async fn record_version(
    request: Request,
    context: Context,
    log: Arc<ReconcileLog>,
    name: Arc<str>,
) -> Result<Action, Error> {
    if let Some(task) = context.lister::<ConfigMap>()?.get(&request.to_string()) {
        log.append(&name, task.name(), &task.version().to_string()).await?;
    }
    Ok(Action::await_change())
}
