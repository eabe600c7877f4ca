//! One connection in one task. The futures of its HTTP/2 streams run in the same task and end with it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use http::Request;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use crate::server::{Authentication, Core, handle};

/// The longest time for the TLS handshake.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

type StreamTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs the futures of HTTP/2 streams in the connection's task. The queue holds at most one future per stream of the
/// connection, and HTTP/2 bounds those.
#[derive(Clone)]
struct ConnectionExecutor {
    streams: mpsc::UnboundedSender<StreamTask>,
}

impl<F> Executor<F> for ConnectionExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        // Fails only if the connection's task has ended, and then there is no client to answer.
        let _ = self.streams.send(Box::pin(stream));
    }
}

/// Serves one connection until it ends.
pub(super) async fn serve(core: Arc<Core>, socket: TcpStream, acceptor: Option<TlsAcceptor>) {
    // Without Nagle's algorithm: a watch event must not wait for more data to fill a packet. A failure here only costs
    // latency.
    let _ = socket.set_nodelay(true);
    let Some(acceptor) = acceptor else {
        return serve_http(core, socket).await;
    };
    match tokio::time::timeout(HANDSHAKE_MAX, acceptor.accept(socket)).await {
        Ok(Ok(secured)) => serve_http(core, secured).await,
        Ok(Err(error)) => tracing::debug!(%error, "the TLS handshake failed"),
        Err(_) => tracing::debug!("the TLS handshake timed out"),
    }
}

async fn serve_http(core: Arc<Core>, io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
    let (streams, mut started) = mpsc::unbounded_channel();
    let service = service_fn(move |request: Request<Incoming>| {
        let core = Arc::clone(&core);
        // An error closes the connection without a response. On an open socket, this is how a client sees a refused
        // connection.
        async move { handle(&core, request, Authentication::BearerToken).await.map_err(io::Error::other) }
    });
    let mut builder = auto::Builder::new(ConnectionExecutor { streams });
    builder.http1().timer(TokioTimer::new());
    builder.http2().timer(TokioTimer::new());
    let connection = builder.serve_connection(TokioIo::new(io), service);
    tokio::pin!(connection);
    let mut running: FuturesUnordered<StreamTask> = FuturesUnordered::new();
    loop {
        tokio::select! {
            ended = &mut connection => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "the connection failed");
                }
                return;
            }
            Some(stream) = started.recv() => running.push(stream),
            Some(()) = running.next(), if !running.is_empty() => {}
        }
    }
}
