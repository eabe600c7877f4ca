//! `tidings dashboard`: the informers and queues of this program as a web page, live, with the objects that they cache.
//! The page's files are inside the binary, and it never asks anything of another host.

mod board;
mod door;
mod live;
mod objects;
mod page;
mod recent;
mod token;

use std::net::{AddrParseError, IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::str::FromStr;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::diagnosed::{Choice, Here};
use crate::failure::Done;
use crate::interrupt::interrupted;
use crate::output;
use board::Board;
use door::Lock;
use live::Live;

/// What to show, and to whom.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// An index over a field, to filter by: node=.spec.nodeName. May be given several times; Secrets get none.
    #[arg(long, value_name = "NAME=PATH")]
    index: Vec<String>,
    /// Where to listen; without a port, or with port 0, on any that is free. Beyond this machine, whoever asks must
    /// have the token.
    #[arg(long, value_name = "ADDRESS[:PORT]", default_value = "127.0.0.1:0")]
    listen: Listen,
    /// A file with the token that clients must send; the variable TIDINGS_DASHBOARD_TOKEN may hold it as well. If a
    /// token is needed and none is given, one is made and printed. There is no option for the token itself: all users
    /// of a machine can read the arguments of its processes.
    #[arg(long, value_name = "PATH")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    choice: Choice,
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

pub(crate) async fn run(arguments: Arguments) -> Done {
    let token = token::given(arguments.token_file.as_deref(), std::env::var_os(token::VARIABLE))?;
    let lock = Lock::new(arguments.listen.0.ip(), token)?;
    if arguments.choice.demo {
        return demo(&arguments, lock).await;
    }
    let here = Here::of(&arguments.choice).await?;
    show(Board::of(here, &arguments.index)?, lock, arguments.listen.0).await
}

/// A cluster in this process.
async fn demo(arguments: &Arguments, lock: Lock) -> Done {
    let (here, living) = Here::demo(arguments.choice.seed).await?;
    let board = Board::of(here, &arguments.index)?;
    tokio::select! {
        shown = show(board, lock, arguments.listen.0) => shown,
        ended = living => ended,
    }
}

/// Serves the page until somebody asks for an end.
async fn show(board: Board, lock: Lock, listen: SocketAddr) -> Done {
    let (board, stop) = (Arc::new(board), CancellationToken::new());
    let (live, feed) = Live::new(Arc::clone(&board), stop.clone())?;
    let greeting = lock.greeting().to_owned();
    let router = page::router().merge(feed.router()).merge(objects::router(board.clone(), live.recent()));
    let (serving, task) = tidings_endpoints::serve(lock.guard(router), listen).await?;
    let interrupted = interrupted();
    announce(serving.address(), &greeting)?;
    let running = board.here.factory.start();
    let mut answering = pin!(task.run());
    tokio::select! {
        asked = interrupted => asked?,
        () = live.run() => {}
        () = &mut answering => {}
    }
    // Streams of samples have no end of their own: the door would wait for them.
    stop.cancel();
    serving.stop();
    answering.await;
    running.shutdown().await;
    Ok(())
}

/// One line with the address that a browser can open.
fn announce(bound: SocketAddr, greeting: &str) -> std::io::Result<()> {
    let host = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    output::print(&format!("http://{}/{greeting}", SocketAddr::new(host, bound.port()))).map(drop)
}
