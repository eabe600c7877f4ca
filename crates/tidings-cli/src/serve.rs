//! `tidings serve`: runs the API server on a port until Ctrl-C, optionally with a workload and faults.

mod fault_plan;

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::Context;
use tidings::SharedInformerFactory;
use tidings_apiserver::Rights;
use tidings_apiserver::{ApiServer, Listen};

use crate::demo_cluster::DemoCluster;
use crate::failure::CliResult;
use crate::interrupt::interrupted;
use crate::output;
use fault_plan::FaultPlan;

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
    /// Runs a workload: creates, changes and deletes nodes, deployments and pods.
    #[arg(long)]
    seed_workload: bool,
    /// Injects faults: a comma-separated list of names, each with its number of faults per 1000 requests, such as
    /// status=20,cut-stream=50. `help` lists the names.
    #[arg(long, value_name = "PLAN")]
    faults: Option<FaultPlan>,
    /// The seed of workload and faults. The same seed repeats them.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) async fn run(arguments: Arguments) -> CliResult {
    let mut server = ApiServer::builder();
    if arguments.anonymous {
        server = server.anonymous(Rights::Admin);
    }
    let server = server.seed(arguments.seed).start().await;
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
    tokio::select! {
        () = serving => {}
        result = run_workload(&server, arguments.seed), if arguments.seed_workload => result?,
        stopped = interrupted => stopped.context("waiting for Ctrl-C")?,
    }
    Ok(())
}

/// Runs a workload in the server, and the controller that keeps its pods.
async fn run_workload(server: &ApiServer, seed: u64) -> CliResult {
    let factory = SharedInformerFactory::new(server.client());
    let cluster = DemoCluster::over(server, &factory, seed)?;
    let _running = factory.start();
    cluster.run().await
}
