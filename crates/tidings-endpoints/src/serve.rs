//! Serves a router on a socket: HTTP/1.1, without TLS. All connections belong to the returned task and are closed when it
//! ends or is dropped. Idle connections can't block new ones: see `connections`.

mod connections;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

use connections::{ConnectionActivity, Connections};

/// The read buffer of a connection. The request of a probe is far smaller.
const REQUEST_BYTES_MAX: usize = 64 << 10;

/// How long a connection may take for the head of a request, since it was opened or the last response ended.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// How long started responses may take after a stop.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The pause after `accept` failed, for instance because there are no file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A handle of served endpoints. Dropping it stops them, like [`stop`](Self::stop).
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

/// Serves endpoints while it runs. Dropping it closes every connection.
#[must_use = "nothing is served unless this runs"]
#[derive(Debug)]
pub struct ServeTask {
    router: Router,
    listener: TcpListener,
    stop: CancellationToken,
}

impl Serving {
    /// The address. If port 0 was requested, it has the port that was chosen.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no more connections. Started responses are completed within two seconds. Then the task ends.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

impl ServeTask {
    /// Serves until the stop.
    pub async fn run(self) {
        let ServeTask { router, listener, stop } = self;
        let mut connections = Connections::default();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = connections.one_ended() => {}
                accepted = listener.accept() => match accepted {
                    Ok((socket, peer)) => {
                        let (router, stop) = (router.clone(), stop.clone());
                        connections.admit(peer.ip(), |activity| serve_connection(router, socket, activity, stop));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "accepting a connection failed");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        if tokio::time::timeout(CLOSE_TIMEOUT, connections.ended()).await.is_err() {
            connections.close().await;
        }
    }
}

/// Binds to an address, and returns a handle and the task that serves a router there. An error has the kind of the
/// system's error, such as [`AddrInUse`](io::ErrorKind::AddrInUse), and names the address.
pub async fn serve(router: Router, address: SocketAddr) -> io::Result<(Serving, ServeTask)> {
    let refused = |error: io::Error| {
        let reason = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "the port is in use; choose another port, or 0 for any free port".to_owned()
            }
            _ => error.to_string(),
        };
        io::Error::new(error.kind(), format!("listening on {address}: {reason}"))
    };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    let bound = listener.local_addr().map_err(refused)?;
    let stop = CancellationToken::new();
    let serving = Serving { address: bound, stop: stop.clone(), _stop_on_drop: stop.clone().drop_guard() };
    Ok((serving, ServeTask { router, listener, stop }))
}

async fn serve_connection(
    router: Router,
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    activity: Arc<ConnectionActivity>,
    stop: CancellationToken,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT).max_buf_size(REQUEST_BYTES_MAX);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: Request<Incoming>| {
        let responding = activity.request_received();
        let response = router.call(request);
        async move {
            let response = response.await;
            drop(responding);
            response
        }
    });
    let connection = http.serve_connection(TokioIo::new(socket), service);
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::{Instant, timeout};

    use super::*;

    // holds: X33
    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_whole_request_is_closed_in_time() {
        for sent in ["", "GET /readyz HTTP/1.1\r\nHost: x\r\n", "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"] {
            let (mut client, server) = tokio::io::duplex(1 << 16);
            client.write_all(sent.as_bytes()).await.unwrap();
            let mut connections = Connections::default();
            let began = Instant::now();
            connections.admit([127, 0, 0, 1].into(), |activity| {
                serve_connection(Router::new(), server, activity, CancellationToken::new())
            });
            timeout(3 * REQUEST_TIMEOUT, connections.one_ended()).await.expect("the timeout applies");
            assert_eq!(began.elapsed().as_secs(), REQUEST_TIMEOUT.as_secs(), "{sent:?}");
            let mut answered = Vec::new();
            client.read_to_end(&mut answered).await.unwrap();
        }
    }
}
