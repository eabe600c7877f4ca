//! A door with a socket for the router: HTTP/1.1, without TLS. All connections live in the task that is returned:
//! when it ends or is dropped, they are cut.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Most connections at a time; further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 256;

/// What a connection may send before it is read: a probe's request is far smaller.
const REQUEST_BYTES_MAX: usize = 64 << 10;

/// How long a connection may take for the head of a request.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(10);

/// How long answers that have begun may take when the door closes.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(2);

/// How long to wait before accepting again when the system is out of something.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Endpoints that are served. Dropping it ends them as [`stop`](Self::stop) does.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

/// Serves endpoints while it runs; when it is dropped, every connection is cut.
#[must_use = "nobody is answered unless this runs"]
#[derive(Debug)]
pub struct ServeTask {
    router: Router,
    listener: TcpListener,
    stop: CancellationToken,
}

/// Why endpoints are not served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another program, or this one, listens there already.
    #[error(
        "{address} is taken: another program listens there; choose another port, or 0 for any that is free"
    )]
    PortInUse {
        /// The address.
        address: SocketAddr,
    },
    /// The address could not be had.
    #[error("listening on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        r#source: io::Error,
    },
}

impl Serving {
    /// Where it listens: with the port that was chosen, if any was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections; answers that have begun are finished, for two seconds at most. Then the task ends.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

impl ServeTask {
    /// Answers until it is told to stop.
    pub async fn run(self) {
        let ServeTask { router, listener, stop } = self;
        let mut connections = JoinSet::new();
        loop {
            let has_room = connections.len() < CONNECTIONS_MAX;
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                accepted = listener.accept(), if has_room => match accepted {
                    Ok((socket, _)) => {
                        connections.spawn(answer(router.clone(), socket, stop.clone()));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "accepting a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        let finished = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(CLOSE_TIME_MAX, finished).await.is_err() {
            connections.shutdown().await;
        }
    }
}

/// Binds to an address, and gives a handle and the task that serves a router there.
pub async fn serve(router: Router, address: SocketAddr) -> Result<(Serving, ServeTask), ServeError> {
    let refused = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::PortInUse { address },
        _ => ServeError::Bind { address, source },
    };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    let bound = listener.local_addr().map_err(refused)?;
    let stop = CancellationToken::new();
    let serving = Serving { address: bound, stop: stop.clone(), _stop_on_drop: stop.clone().drop_guard() };
    Ok((serving, ServeTask { router, listener, stop }))
}

async fn answer(router: Router, socket: TcpStream, stop: CancellationToken) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIME_MAX).max_buf_size(REQUEST_BYTES_MAX);
    let connection = http.serve_connection(TokioIo::new(socket), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection to the endpoints broke");
    }
}
