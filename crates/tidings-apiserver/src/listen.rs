//! The doors with sockets: plain HTTP and TLS, HTTP/1.1 and HTTP/2, on loopback unless told otherwise.
//!
//! [`ApiServer::listen`] binds and returns a handle and a task; nothing is spawned. All connections live in that task:
//! when it ends or is dropped, they are cut.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kube_client::config::AuthInfo;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use self::certificate::Certificate;
use crate::server::{ApiServer, Core};

mod certificate;
mod connection;
mod kubeconfig;

/// Most connections at a time; further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 4096;

/// How long to wait before accepting again when the system is out of something.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Where and how to listen.
///
/// ```
/// use tidings_apiserver::{ApiServer, Listen};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::start().await;
/// let (listening, serving) = server.listen(Listen::tls()).await?;
/// println!("{}\n{}", listening.url(), listening.kubeconfig());
/// listening.close();
/// serving.await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen {
    address: SocketAddr,
    transport: Transport,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Plain,
    Tls,
}

/// Why a server does not listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address could not be had.
    #[error("binding to {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The certificate could not be made.
    #[error("making a certificate")]
    Certificate(#[source] certificate::CertificateError),
}

/// A door with a socket. Dropping it closes the door.
#[derive(Debug)]
pub struct Listening {
    address: SocketAddr,
    certificate: Option<Certificate>,
    users: Vec<(String, String)>,
    closed: watch::Sender<bool>,
}

impl Listen {
    /// HTTP without TLS, on a free port of the loopback address.
    pub fn plain() -> Self {
        Self { address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0), transport: Transport::Plain }
    }

    /// HTTP over TLS, with a certificate made for this door, on a free port of the loopback address.
    pub fn tls() -> Self {
        Self { transport: Transport::Tls, ..Self::plain() }
    }

    /// On another address. What is not loopback is for networks that are trusted: tokens protect nothing here.
    pub fn on(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }
}

impl ApiServer {
    /// Opens a door with a socket: a handle, and the task that serves it until the handle or the server is dropped.
    pub async fn listen(
        &self,
        listen: Listen,
    ) -> Result<(Listening, impl Future<Output = ()> + Send + use<>), ListenError> {
        let address = listen.address;
        let bind = |source| ListenError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let bound = listener.local_addr().map_err(bind)?;
        let certificate = match listen.transport {
            Transport::Plain => None,
            Transport::Tls => Some(Certificate::for_address(bound.ip()).map_err(ListenError::Certificate)?),
        };
        let acceptor = certificate.as_ref().map(|certificate| TlsAcceptor::from(certificate.server_config()));
        let (closed, closing) = watch::channel(false);
        let core = Arc::clone(self.core());
        let users = core.users.tokens().map(|(name, token)| (name.to_owned(), token.to_owned())).collect();
        let listening = Listening { address: bound, certificate, users, closed };
        Ok((listening, accept(core, listener, acceptor, closing)))
    }
}

async fn accept(
    core: Arc<Core>,
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    mut closing: watch::Receiver<bool>,
) {
    let mut server_closing = core.closing();
    let mut connections = JoinSet::new();
    loop {
        let has_room = connections.len() < CONNECTIONS_MAX;
        tokio::select! {
            () = closed(&mut closing) => break,
            () = closed(&mut server_closing) => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept(), if has_room => match accepted {
                Ok((socket, _)) => {
                    connections.spawn(connection::serve(Arc::clone(&core), socket, acceptor.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    connections.shutdown().await;
}

async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that the handle is gone, which closes the door too.
    let _ = closing.wait_for(|is_closed| *is_closed).await;
}

impl Listening {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for clients, such as `https://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        // Nobody can connect to "any address"; on this machine, loopback is meant.
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        format!("{scheme}://{host}:{}", self.address.port())
    }

    /// The certificate authority's certificate in PEM; none without TLS.
    pub fn certificate_authority(&self) -> Option<&str> {
        self.certificate.as_ref().map(Certificate::authority_pem)
    }

    /// A configuration for `kubectl` and other clients: one context for each user, the first is the administrator's.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::text(&self.url(), self.certificate_authority(), &self.users)
    }

    /// Writes that configuration to a file.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<()> {
        std::fs::write(path, self.kubeconfig())
    }

    /// A configuration for kube's client, with this token and without its silent retries.
    pub fn client_config(&self, token: &str) -> kube_client::Config {
        let url = self.url().parse().expect("a socket's address is a URL");
        let mut config = kube_client::Config::new(url);
        config.default_retry = false;
        config.root_cert = self.certificate.as_ref().map(|certificate| vec![certificate.authority_der()]);
        config.auth_info = AuthInfo { token: Some(token.to_owned().into()), ..AuthInfo::default() };
        config
    }

    /// Closes the door and cuts its connections.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }
}
