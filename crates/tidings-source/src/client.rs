//! Clients for informers, on kube's configuration, credentials and TLS. They differ from kube's own in two ways
//! that a reflector needs: nothing is retried behind its back, and TCP notices a peer that is gone, whether we wait for
//! it (keep-alive) or write to it (`TCP_USER_TIMEOUT`). Through a proxy, this is true of the connection to the proxy.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Uri};
use hyper::rt::{Read, Write};
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioExecutor;
use kube_client::client::{Body, ConfigExt as _};
use kube_client::config::KubeconfigError;
use kube_client::{Client, Config, Error};
use tower::{BoxError, Service, ServiceBuilder};

use crate::network;

/// Why there is no client. The reasons are told in our own words where kube's would quote credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// There is neither a usable kubeconfig nor an environment inside a cluster.
    #[error(
        "no way to a cluster: {reason}, and this is no pod; \
         set KUBECONFIG, write ~/.kube/config, or run inside a cluster"
    )]
    NoConfig {
        /// What is wrong with the kubeconfig.
        reason: String,
    },
    /// The configuration can't be used.
    #[error("making a client of the configuration: {reason}")]
    Build {
        /// What is wrong with it.
        reason: String,
    },
}

/// How long a connection may be silent before TCP asks whether the peer is there, and how often it asks then.
const TCP_KEEP_ALIVE: Duration = Duration::from_secs(15);
const TCP_KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);

/// How long what was sent may stay without an acknowledgement. Without it a write on a pooled connection whose peer is
/// gone is sent again for a quarter of an hour. It limits the keep-alive as well: three questions fit into it, so that
/// one packet that is lost costs no connection.
#[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(30);

/// When an HTTP/2 connection is pinged, and how long the answer may take.
#[cfg(feature = "http2")]
const HTTP2_PING: Duration = Duration::from_secs(30);
#[cfg(feature = "http2")]
const HTTP2_PING_TIMEOUT: Duration = Duration::from_secs(10);

/// A client by the kubeconfig (`$KUBECONFIG`, `~/.kube/config`), or by the pod's service account inside a
/// cluster.
pub async fn try_default() -> Result<Client, ClientError> {
    let config =
        Config::infer().await.map_err(|error| ClientError::NoConfig { reason: config_reason(&error) })?;
    client_from_config(config)
}

/// A client by this configuration, over HTTP/1.1: one connection a watch.
///
/// Timeouts are the configuration's, as in kube: `connect_timeout` is for the whole of TCP, proxy and TLS,
/// `write_timeout` for one write that makes no progress, and `read_timeout` for silence while an answer is read. The
/// last of them ends watches that are silent for longer, too; kube's default is none, and an informer needs none,
/// since it notices silence by itself.
///
/// A proxy may be an `http` or `https` one, with a user and a password if it wants them, or a `socks5` one without.
pub fn client_from_config(config: Config) -> Result<Client, ClientError> {
    let Some(proxy) = &config.proxy_url else { return http1_client(&config, tcp(&config)) };
    match proxy.scheme_str() {
        Some("http") => http1_client(&config, tunnel(&config, proxy, tcp(&config))),
        Some("https") => {
            // The name that is expected of the API server is not the proxy's.
            let mut to_proxy = config.clone();
            to_proxy.tls_server_name = None;
            let tls = to_proxy.rustls_https_connector_with_connector(tcp(&config)).map_err(unusable)?;
            http1_client(&config, tunnel(&config, proxy, tls))
        }
        Some("socks5") => http1_client(&config, SocksV5::new(proxy.clone(), tcp(&config))),
        // Its address is not quoted: it may hold a password.
        _ => Err(ClientError::Build { reason: "the proxy's protocol is not supported".to_owned() }),
    }
}

/// A client by this configuration that speaks HTTP/2 where the server does: all watches share one connection,
/// and pings notice a peer that is gone. It can't upgrade to websockets, and knows no proxies.
#[cfg(feature = "http2")]
pub fn http2_client(config: Config) -> Result<Client, ClientError> {
    use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
    use hyper_util::rt::TokioTimer;

    if config.proxy_url.is_some() {
        return Err(ClientError::Build { reason: "HTTP/2 knows no proxies".to_owned() });
    }
    let tls = config.rustls_client_config().map_err(unusable)?;
    let mut builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    if let Some(name) = &config.tls_server_name {
        let name = name.clone().try_into();
        let name =
            name.map_err(|_| ClientError::Build { reason: "tls-server-name is no name".to_owned() })?;
        builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    let connector = builder.enable_all_versions().wrap_connector(tcp(&config));
    let client = legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .http2_keep_alive_interval(HTTP2_PING)
        .http2_keep_alive_timeout(HTTP2_PING_TIMEOUT)
        .build(timed(&config, connector));
    stack(client, &config)
}

/// A client over `network`, which brings bytes to the API server and back.
fn http1_client<C>(config: &Config, network: C) -> Result<Client, ClientError>
where
    C: Service<Uri, Future: Send, Error: Into<BoxError>> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
{
    let connector = config.rustls_https_connector_with_connector(network).map_err(unusable)?;
    stack(legacy::Client::builder(TokioExecutor::new()).build(timed(config, connector)), config)
}

fn timed<C>(config: &Config, connector: C) -> TimeoutConnector<C>
where
    C: Service<Uri, Future: Send + 'static, Error: Into<BoxError>> + Send,
    C::Response: Read + Write + Send + Unpin,
{
    let mut timed = TimeoutConnector::new(connector);
    timed.set_connect_timeout(config.connect_timeout);
    timed.set_read_timeout(config.read_timeout);
    timed.set_write_timeout(config.write_timeout);
    timed.set_reset_reader_on_write(config.reset_reader_on_write);
    timed
}

fn tcp(config: &Config) -> HttpConnector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    // Shared among the addresses of a name: one that does not answer leaves time for the next.
    tcp.set_connect_timeout(config.connect_timeout);
    tcp.set_keepalive(Some(TCP_KEEP_ALIVE));
    tcp.set_keepalive_interval(Some(TCP_KEEP_ALIVE_INTERVAL));
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    tcp.set_tcp_user_timeout(Some(TCP_USER_TIMEOUT));
    tcp
}

/// A tunnel through this proxy, with the user and password in its address.
fn tunnel<C>(config: &Config, proxy: &Uri, connector: C) -> Tunnel<C> {
    let tunnel = Tunnel::new(proxy.clone(), connector);
    let route = Matcher::builder().all(proxy.to_string()).build().intercept(&config.cluster_url);
    match route.as_ref().and_then(|route| route.basic_auth()) {
        Some(credentials) => tunnel.with_auth(credentials.clone()),
        None => tunnel,
    }
}

/// kube's layers over a client of ours.
fn stack<S, B>(client: S, config: &Config) -> Result<Client, ClientError>
where
    S: Service<Request<Body>, Response = Response<B>, Error = legacy::Error, Future: Send>,
    S: Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer().map_err(unusable)?)
        .layer(config.extra_headers_layer().map_err(unusable)?)
        .map_err(BoxError::from)
        .service(client);
    Ok(Client::new(service, config.default_namespace.clone()))
}

fn unusable(error: Error) -> ClientError {
    ClientError::Build { reason: network::message(&error) }
}

/// What is wrong with the kubeconfig. A parser quotes the lines that it can't read, tokens included.
fn config_reason(error: &(dyn std::error::Error + 'static)) -> String {
    match network::causes(error).find_map(|cause| cause.downcast_ref::<KubeconfigError>()) {
        Some(KubeconfigError::Parse(_)) => "the kubeconfig is not well-formed".to_owned(),
        Some(error) => network::message(error),
        None => network::message(error),
    }
}

#[cfg(test)]
mod tests {
    use kube_client::config::Kubeconfig;

    use super::*;

    #[test]
    fn without_a_configuration_the_error_says_what_to_do_and_quotes_no_token() {
        let error = Kubeconfig::from_yaml("users: [{name: a, user: {token: hunter2, }]").unwrap_err();
        let error = ClientError::NoConfig { reason: config_reason(&error) };
        assert_eq!(
            error.to_string(),
            "no way to a cluster: the kubeconfig is not well-formed, and this is no pod; \
             set KUBECONFIG, write ~/.kube/config, or run inside a cluster"
        );
        let reason = config_reason(&KubeconfigError::CurrentContextNotSet);
        assert_eq!(reason, "failed to determine current context");
    }

    // holds: X41
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_socket_gives_up_on_a_peer_that_acknowledges_nothing_for_30_s_after_three_questions() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri: Uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let connected = tcp(&Config::new(uri.clone())).call(uri).await.unwrap();
        let socket = socket2::SockRef::from(connected.inner());
        assert_eq!(socket.tcp_user_timeout().unwrap(), Some(Duration::from_secs(30)));
        assert!(socket.keepalive().unwrap());
        let asked_by = socket.tcp_keepalive_time().unwrap() + 3 * socket.tcp_keepalive_interval().unwrap();
        assert_eq!(asked_by, Duration::from_secs(30));
    }

    #[tokio::test]
    async fn a_proxys_password_never_stands_in_an_error() {
        let mut config = Config::new("http://127.0.0.1:1".parse().unwrap());
        config.proxy_url = Some("ftp://user:hunter2@proxy".parse().unwrap());
        let error = client_from_config(config).map(drop).unwrap_err();
        assert_eq!(
            error.to_string(),
            "making a client of the configuration: the proxy's protocol is not supported"
        );
    }
}
