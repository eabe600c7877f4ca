//! `tidings serve`: the API server on a port, until Ctrl-C; if query, with a cluster that lives in it and faults.

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

/// How to serve.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The port; a free one if not given.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Plain HTTP instead of TLS.
    #[arg(long)]
    plain: bool,
    /// Answers requests without a token too, with every right; only ever on this machine.
    #[arg(long)]
    anonymous: bool,
    /// Writes the kubeconfig to this file once the server answers, instead of printing it.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Lets nodes, deployments and pods come, change and go.
    #[arg(long)]
    seed_workload: bool,
    /// Lets requests go wrong: a comma-separated list of names, each with how many in a thousand requests:
    /// status=20,cut-stream=50. `help` lists the names.
    #[arg(long, value_name = "PLAN")]
    faults: Option<FaultPlan>,
    /// Repeats workload and faults.
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
        lived = live(&server, arguments.seed), if arguments.seed_workload => lived?,
        stopped = interrupted => stopped.context("waiting for Ctrl-C")?,
    }
    Ok(())
}

/// A cluster in the server: a workload, and the controller that keeps its pods.
async fn live(server: &ApiServer, seed: u64) -> CliResult {
    let factory = SharedInformerFactory::new(server.client());
    let cluster = DemoCluster::over(server, &factory, seed)?;
    let _running = factory.start();
    cluster.run().await
}
