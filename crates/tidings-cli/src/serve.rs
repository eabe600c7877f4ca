//! `tidings serve`: the API server on a port, until Ctrl-C.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::Context;
use tidings_apiserver::auth::Rights;
use tidings_apiserver::{ApiServer, Listen};

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
}

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let mut server = ApiServer::builder();
    if arguments.anonymous {
        server = server.anonymous(Rights::Admin);
    }
    let server = server.start().await;
    let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), arguments.port);
    let listen = if arguments.plain { Listen::plain() } else { Listen::tls() };
    let (listening, serving) = server
        .listen(listen.on(address))
        .await
        .with_context(|| format!("is port {} in use? try --port 0", arguments.port))?;
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
            write!(std::io::stdout(), "{}", listening.kubeconfig())?;
            writeln!(
                std::io::stderr(),
                "serving on {}; save the lines above as a kubeconfig for kubectl",
                listening.url()
            )?;
        }
    }
    tokio::select! {
        () = serving => {}
        stopped = tokio::signal::ctrl_c() => stopped.context("waiting for Ctrl-C")?,
    }
    Ok(())
}
