//! One connection, in one task: what its streams need to run beside it runs in it too, and ends with it.

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

/// How long a client may take to agree on TLS.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

type StreamTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs HTTP/2's streams in the connection's own task. At most as many wait as the connection may have streams.
#[derive(Clone)]
struct ConnectionExecutor {
    streams: mpsc::UnboundedSender<StreamTask>,
}

impl<F> Executor<F> for ConnectionExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        // The connection's task is gone, and with it what this stream would have answered.
        let _ = self.streams.send(Box::pin(stream));
    }
}

/// Serves one connection until it ends.
pub(super) async fn serve(core: Arc<Core>, socket: TcpStream, acceptor: Option<TlsAcceptor>) {
    // A watch event must not wait for the next one to fill a packet. Without the option it is only slower.
    let _ = socket.set_nodelay(true);
    let Some(acceptor) = acceptor else {
        return serve_http(core, socket).await;
    };
    match tokio::time::timeout(HANDSHAKE_MAX, acceptor.accept(socket)).await {
        Ok(Ok(secured)) => serve_http(core, secured).await,
        Ok(Err(error)) => tracing::debug!(%error, "agreeing on TLS"),
        Err(_) => tracing::debug!("a client did not agree on TLS in time"),
    }
}

async fn serve_http(core: Arc<Core>, io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
    let (streams, mut started) = mpsc::unbounded_channel();
    let service = service_fn(move |request: Request<Incoming>| {
        let core = Arc::clone(&core);
        // An error closes the connection without an answer: that is what "refused" looks like on an open socket.
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
                    tracing::debug!(%error, "serving a connection");
                }
                return;
            }
            Some(stream) = started.recv() => running.push(stream),
            Some(()) = running.next(), if !running.is_empty() => {}
        }
    }
}
