//! A door with a socket for the router: HTTP/1.1, without TLS. All connections live in the task that is returned:
//! when it ends or is dropped, they are cut. Connections that say nothing keep nobody out: see `connections`.

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

use connections::{Activity, Connections};

/// What a connection may send before it is read: a probe's request is far smaller.
const REQUEST_BYTES_MAX: usize = 64 << 10;

/// How long a connection may take for the head of a request, from when it is opened or was answered.
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
        let mut connections = Connections::default();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = connections.one_ended() => {}
                accepted = listener.accept() => match accepted {
                    Ok((socket, peer)) => {
                        let (router, stop) = (router.clone(), stop.clone());
                        connections.admit(peer.ip(), |activity| answer(router, socket, activity, stop));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "accepting a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        if tokio::time::timeout(CLOSE_TIME_MAX, connections.ended()).await.is_err() {
            connections.close().await;
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

async fn answer(
    router: Router,
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    activity: Arc<Activity>,
    stop: CancellationToken,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIME_MAX).max_buf_size(REQUEST_BYTES_MAX);
    let router = TowerToHyperService::new(router);
    let noted = service_fn(move |request: Request<Incoming>| {
        let answering = activity.asked();
        let answer = router.call(request);
        async move {
            let answer = answer.await;
            drop(answering);
            answer
        }
    });
    let connection = http.serve_connection(TokioIo::new(socket), noted);
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
    async fn a_connection_that_says_nothing_or_half_a_request_is_closed_in_time() {
        for said in ["", "GET /readyz HTTP/1.1\r\nHost: x\r\n", "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"] {
            let (mut client, server) = tokio::io::duplex(1 << 16);
            client.write_all(said.as_bytes()).await.unwrap();
            let mut connections = Connections::default();
            let began = Instant::now();
            connections.admit([127, 0, 0, 1].into(), |activity| {
                answer(Router::new(), server, activity, CancellationToken::new())
            });
            timeout(3 * REQUEST_TIME_MAX, connections.one_ended())
                .await
                .expect("it is not waited for longer");
            assert_eq!(began.elapsed().as_secs(), REQUEST_TIME_MAX.as_secs(), "{said:?}");
            let mut answered = Vec::new();
            client.read_to_end(&mut answered).await.unwrap();
        }
    }
}
