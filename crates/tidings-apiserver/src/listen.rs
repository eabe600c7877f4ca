//! The socket transports: plain HTTP and TLS, HTTP/1.1 and HTTP/2, on the loopback address by default.
//!
//! [`ApiServer::listen`] binds and returns a handle and a future; it spawns nothing. All connections run within that
//! future. When it ends or is dropped, they are closed.

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

/// The largest number of open connections. Further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 4096;

/// The pause after a failed accept, for instance when the process has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The address and the protocol to listen with.
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

/// Why a server can't listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// Binding to the address failed.
    #[error("binding to {address}: {cause} (choose another address, or port 0 for a free one)")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why it failed.
        cause: io::Error,
    },
    /// Making the server's certificate failed.
    #[error("making a certificate for {address}: {cause}")]
    Certificate {
        /// The address that the certificate is for.
        address: SocketAddr,
        /// Why it failed.
        cause: rcgen::Error,
    },
    /// TLS refused the certificate.
    #[error("configuring TLS for {address}: {cause}")]
    Tls {
        /// The address that the certificate is for.
        address: SocketAddr,
        /// Why it was refused.
        cause: rustls::Error,
    },
}

/// A handle of a listening socket. Dropping it closes the socket and its connections.
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

    /// HTTP over TLS, with a new self-signed certificate, on a free port of the loopback address.
    pub fn tls() -> Self {
        Self { transport: Transport::Tls, ..Self::plain() }
    }

    /// Listens on another address. Use addresses other than loopback only in trusted networks: the tokens are publicly
    /// known.
    pub fn on(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }
}

impl ApiServer {
    /// Binds a socket. Returns a handle, and a future that serves connections until the handle or the server is
    /// dropped.
    ///
    /// The caller spawns the future.
    pub async fn listen(
        &self,
        listen: Listen,
    ) -> Result<(Listening, impl Future<Output = ()> + Send + use<>), ListenError> {
        let address = listen.address;
        let bind = |cause| ListenError::Bind { address, cause };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let bound = listener.local_addr().map_err(bind)?;
        let certificate = match listen.transport {
            Transport::Plain => None,
            Transport::Tls => Some(Certificate::for_address(bound)?),
        };
        let acceptor = certificate.as_ref().map(|certificate| TlsAcceptor::from(certificate.server_config()));
        let (closed, closing) = watch::channel(false);
        let core = Arc::clone(self.core());
        if let Some(certificate) = &certificate {
            core.publish_root_ca(certificate.authority_pem());
        }
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
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    connections.shutdown().await;
}

async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that the handle was dropped, which also closes the socket.
    let _ = closing.wait_for(|is_closed| *is_closed).await;
}

impl Listening {
    /// The address and port of the socket.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL for clients, such as `https://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        // Clients can't connect to the unspecified address; on this machine, loopback reaches it.
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        format!("{scheme}://{host}:{}", self.address.port())
    }

    /// The certificate of the certificate authority in PEM; `None` without TLS.
    pub fn certificate_authority(&self) -> Option<&str> {
        self.certificate.as_ref().map(Certificate::authority_pem)
    }

    /// A kubeconfig for `kubectl` and other clients. It has one context for each user; the first is the
    /// administrator's.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::text(&self.url(), self.certificate_authority(), &self.users)
    }

    /// Writes the kubeconfig to a file. The file appears complete: it is renamed into place.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        std::fs::write(&unfinished, self.kubeconfig())?;
        std::fs::rename(&unfinished, path)
    }

    /// A configuration for kube's client, with this bearer token and without kube's own retries.
    pub fn client_config(&self, token: &str) -> kube_client::Config {
        let url = self.url().parse().expect("an address with a port is a valid URL");
        let mut config = kube_client::Config::new(url);
        config.default_retry = false;
        config.root_cert = self.certificate.as_ref().map(|certificate| vec![certificate.authority_der()]);
        config.auth_info = AuthInfo { token: Some(token.to_owned().into()), ..AuthInfo::default() };
        config
    }

    /// Closes the socket and its connections.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }
}
