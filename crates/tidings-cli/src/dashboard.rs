//! `tidings dashboard`: a live web page with the informers and queues of this process and the objects that they cache.
//! The files of the page are compiled into the binary. The page never requests anything from another host.

mod access;
mod catalog;
mod objects;
mod page;
mod recent;
mod sampler;
mod token;

use std::net::{AddrParseError, IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::str::FromStr;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::diagnostics_source::{InformerSelection, LocalInformers};
use crate::failure::CliResult;
use crate::interrupt::interrupted;
use crate::output;
use access::AccessControl;
use catalog::Catalog;
use sampler::Sampler;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Adds an index over a field, to filter objects by: node=.spec.nodeName. May be repeated. Secrets get no index.
    #[arg(long, value_name = "NAME=PATH")]
    index: Vec<String>,
    /// The address to listen on. Without a port, or with port 0, a free port is used. On an address that other machines
    /// can reach, each request must carry the token.
    #[arg(long, value_name = "ADDRESS[:PORT]", default_value = "127.0.0.1:0")]
    listen: Listen,
    /// A file with the token that clients must send. The environment variable TIDINGS_DASHBOARD_TOKEN can hold the token
    /// instead. If a token is required and none is given, a random one is generated and printed. There is no option for
    /// the token itself, because all users of a machine can read the arguments of its processes.
    #[arg(long, value_name = "PATH")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    selection: InformerSelection,
}

/// An address with or without a port.
#[derive(Debug, Clone, Copy)]
struct Listen(SocketAddr);

impl FromStr for Listen {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let with_port = text.parse();
        with_port
            .or_else(|error| text.parse().map(|ip| SocketAddr::new(ip, 0)).map_err(|_| error))
            .map(Listen)
    }
}

pub(crate) async fn run(arguments: Arguments) -> CliResult {
    let token =
        token::from_file_or_environment(arguments.token_file.as_deref(), std::env::var_os(token::VARIABLE))?;
    let access = AccessControl::new(arguments.listen.0.ip(), token)?;
    if arguments.selection.demo {
        return demo(&arguments, access).await;
    }
    let local = LocalInformers::of(&arguments.selection).await?;
    show(Catalog::of(local, &arguments.index)?, access, arguments.listen.0).await
}

/// Shows a demo cluster that runs in this process.
async fn demo(arguments: &Arguments, access: AccessControl) -> CliResult {
    let (local, living) = LocalInformers::demo(arguments.selection.seed).await?;
    let catalog = Catalog::of(local, &arguments.index)?;
    tokio::select! {
        shown = show(catalog, access, arguments.listen.0) => shown,
        ended = living => ended,
    }
}

/// Serves the page until the process is interrupted.
async fn show(catalog: Catalog, access: AccessControl, listen: SocketAddr) -> CliResult {
    let (catalog, stop) = (Arc::new(catalog), CancellationToken::new());
    let (live, feed) = Sampler::new(Arc::clone(&catalog), stop.clone())?;
    let url_suffix = access.url_suffix().to_owned();
    let router = page::router().merge(feed.router()).merge(objects::router(catalog.clone(), live.recent()));
    let (serving, task) = tidings_endpoints::serve(access.protect(router), listen).await?;
    let interrupted = interrupted();
    announce(serving.address(), &url_suffix)?;
    let running = catalog.local.factory.start();
    let mut answering = pin!(task.run());
    tokio::select! {
        query = interrupted => query?,
        () = live.run() => {}
        () = &mut answering => {}
    }
    // A stream of samples never ends by itself, so the server would wait for it.
    stop.cancel();
    serving.stop();
    answering.await;
    running.shutdown().await;
    Ok(())
}

/// Prints the URL to open in a browser.
fn announce(bound: SocketAddr, url_suffix: &str) -> std::io::Result<()> {
    let host = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    output::print(&format!("http://{}/{url_suffix}", SocketAddr::new(host, bound.port()))).map(drop)
}
