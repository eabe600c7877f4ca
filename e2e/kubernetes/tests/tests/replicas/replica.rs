//! One replica of the controller: a child process, from both of its ends.

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

use crate::marks::Marks;
use crate::{LEASE, NAMESPACE};

/// Says who a child process is, and where its server is.
const NAME: &str = "TIDINGS_REPLICA_NAME";
const KUBECONFIG: &str = "TIDINGS_REPLICA_KUBECONFIG";

/// A replica that runs; killed when this is dropped.
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
            // It ends when this pipe does: nobody leaves a replica behind.
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
        // SIGKILL: it has no chance to release the lease.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The replica that this process was asked to be.
pub(crate) struct Asked {
    name: String,
    kubeconfig: String,
}

pub(crate) fn asked_to_be() -> Option<Asked> {
    Some(Asked { name: std::env::var(NAME).ok()?, kubeconfig: std::env::var(KUBECONFIG).ok()? })
}

impl Asked {
    /// Runs the controller until the process that started this one has gone.
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
        let marks = Arc::new(Marks::new(&client, NAMESPACE));
        let name: Arc<str> = self.name.as_str().into();
        let reconcile = move |request: Request, context: Context| {
            look(request, context, Arc::clone(&marks), Arc::clone(&name))
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

/// Cancelled when whoever started this process has gone.
fn orphaned() -> CancellationToken {
    let orphaned = CancellationToken::new();
    let told = orphaned.clone();
    std::thread::spawn(move || {
        // Nothing is ever written to it; that it ends is the news.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        told.cancel();
    });
    orphaned
}

/// Leaves a mark for the version that the cache has.
async fn look(
    request: Request,
    context: Context,
    marks: Arc<Marks>,
    name: Arc<str>,
) -> Result<Action, Error> {
    if let Some(task) = context.lister::<ConfigMap>().get(&request.to_string()) {
        marks.leave(&name, task.name(), &task.version().to_string()).await?;
    }
    Ok(Action::await_change())
}
