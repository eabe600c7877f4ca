//! `tidings serve`: runs the API server on a port until Ctrl-C, optionally with a workload and faults.

mod fault_plan;
mod lifetime;
mod service_address;
mod stand_ins;

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tidings::SharedInformerFactory;
use tidings_apiserver::{ApiServer, ApiServerBuilder, Bootstrap, GarbageCollection, Kubelet, Listen, Rights};

use crate::demo_cluster::DemoCluster;
use crate::failure::CliResult;
use crate::interrupt::interrupted;
use crate::output;
use fault_plan::FaultPlan;
use service_address::ServiceAddress;
use stand_ins::StandInArguments;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The port. Default: a free port.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Serves plain HTTP instead of TLS.
    #[arg(long)]
    plain: bool,
    /// Accepts requests without a token and allows them everything. The server listens on a loopback address only.
    #[arg(long)]
    anonymous: bool,
    /// Writes the kubeconfig to this file as soon as the server accepts requests, instead of printing it.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Writes the URL to this file when the server is ready: it accepts requests, and the state is loaded.
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// Ends when the process that started this one ends.
    #[arg(long)]
    exit_with_parent: bool,
    /// Starts with the objects of this YAML file, which may have several documents.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Creates missing namespaces, has no bootstrap objects, and removes deleted pods at once. Without it the server
    /// behaves as Kubernetes.
    #[arg(long)]
    lenient: bool,
    /// Starts without the objects of a new cluster, such as roles and the Service kubernetes. Namespaces exist.
    #[arg(long)]
    empty: bool,
    /// Starts with the objects of envtest: those of kube-apiserver, without the ServiceAccounts and the ConfigMaps
    /// kube-root-ca.crt, which controllers create.
    #[arg(long, conflicts_with = "empty")]
    envtest: bool,
    /// Removes deleted pods that run on a node at once, as if a kubelet had stopped them.
    #[arg(long)]
    imitate_kubelet: bool,
    /// Leaves the deletion of dependents to a controller, as kube-apiserver does.
    #[arg(long)]
    external_garbage_collection: bool,
    /// The address of a Service that webhooks name: NAMESPACE/NAME=HOST:PORT. May be repeated.
    #[arg(long, value_name = "SERVICE")]
    service: Vec<ServiceAddress>,
    /// Runs a workload: creates, changes and deletes nodes, deployments and pods.
    #[arg(long)]
    seed_workload: bool,
    /// Injects faults: a comma-separated list of names, each with its number of faults per 1000 requests, such as
    /// status=20,cut-stream=50. `help` lists the names.
    #[arg(long, value_name = "PLAN")]
    faults: Option<FaultPlan>,
    #[command(flatten)]
    stand_ins: StandInArguments,
    /// The seed of workload and faults. The same seed repeats them.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) async fn run(arguments: Arguments) -> CliResult {
    let server = arguments.stand_ins.configure(configured(&arguments)).start().await;
    if let Some(file) = &arguments.state {
        let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        server.load_state(&text).await.with_context(|| format!("loading {}", file.display()))?;
    }
    if let Some(plan) = &arguments.faults {
        plan.apply(&server, arguments.seed);
    }
    let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), arguments.port);
    let listen = if arguments.plain { Listen::plain() } else { Listen::tls() };
    let (listening, serving) = server
        .listen(listen.on(address))
        .await
        .with_context(|| format!("is port {} in use? try --port 0", arguments.port))?;
    let interrupted = interrupted();
    match &arguments.kubeconfig {
        Some(file) => {
            listening.write_kubeconfig(file).with_context(|| format!("writing {}", file.display()))?;
            writeln!(
                std::io::stderr(),
                "serving on {}; try: kubectl --kubeconfig {} api-resources",
                listening.url(),
                file.display()
            )?;
        }
        None => {
            output::print(listening.kubeconfig().trim_end())?;
            writeln!(
                std::io::stderr(),
                "serving on {}; save the lines above as a kubeconfig for kubectl",
                listening.url()
            )?;
        }
    }
    if let Some(file) = &arguments.ready_file {
        write_ready(file, &listening.url()).with_context(|| format!("writing {}", file.display()))?;
    }
    tokio::select! {
        () = serving => {}
        result = run_workload(&server, arguments.seed), if arguments.seed_workload => result?,
        result = arguments.stand_ins.run(&server, arguments.seed), if arguments.stand_ins.is_requested() => result?,
        stopped = interrupted => stopped.context("waiting for Ctrl-C")?,
        () = lifetime::parent_ended(), if arguments.exit_with_parent => {}
    }
    Ok(())
}

fn configured(arguments: &Arguments) -> ApiServerBuilder {
    let mut server = ApiServer::builder().seed(arguments.seed);
    if !arguments.lenient {
        server = server.strict();
    }
    if arguments.empty {
        server = server.bootstrap(Bootstrap::Namespaces);
    }
    if arguments.envtest {
        server = server.bootstrap(Bootstrap::ApiServer);
    }
    // The workload deletes pods that run on nodes, and no kubelet stops them.
    if arguments.imitate_kubelet || arguments.seed_workload {
        server = server.kubelet(Kubelet::Imitated);
    }
    if arguments.external_garbage_collection {
        server = server.garbage_collection(GarbageCollection::External);
    }
    if arguments.anonymous {
        server = server.anonymous(Rights::Admin);
    }
    for service in &arguments.service {
        server = server.service_address(service.service.clone(), service.address);
    }
    server
}

/// Writes the URL. The file appears complete: it is renamed into place.
fn write_ready(file: &Path, url: &str) -> std::io::Result<()> {
    let mut unfinished = file.as_os_str().to_owned();
    unfinished.push(".unfinished");
    std::fs::write(&unfinished, format!("{url}\n"))?;
    std::fs::rename(&unfinished, file)
}

/// Runs a workload in the server, and the controller that keeps its pods.
async fn run_workload(server: &ApiServer, seed: u64) -> CliResult {
    let factory = SharedInformerFactory::new(server.client());
    let cluster = DemoCluster::over(server, &factory, seed)?;
    let _running = factory.start();
    cluster.run().await
}
