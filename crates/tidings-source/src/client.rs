//! Clients for informers, made from kube's configuration, credentials and TLS.
//!
//! They differ from kube's own client in two ways that a reflector needs. They retry nothing by themselves. And TCP
//! detects a peer that is gone, both while the client waits for data (keep-alive) and while it sends
//! (`TCP_USER_TIMEOUT`). With a proxy, this applies to the connection to the proxy.

mod error;

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

pub use self::error::ClientError;
use crate::error::transport;

/// After this time without data TCP probes the peer, and repeats the probe at this interval.
const TCP_KEEP_ALIVE: Duration = Duration::from_secs(15);
const TCP_KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);

/// How long sent data may stay unacknowledged. Without this limit, Linux resends data on a connection whose peer is gone
/// for a quarter of an hour. The limit applies to keep-alive probes as well. It leaves time for three of them, so that
/// one lost packet does not cost the connection.
#[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(30);

/// The interval of HTTP/2 pings, and how long the reply may take.
#[cfg(feature = "http2")]
const HTTP2_PING: Duration = Duration::from_secs(30);
#[cfg(feature = "http2")]
const HTTP2_PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Makes a client from the kubeconfig (`$KUBECONFIG`, `~/.kube/config`), or from the service account of the pod inside
/// a cluster.
pub async fn try_default() -> Result<Client, ClientError> {
    let config =
        Config::infer().await.map_err(|error| ClientError::NoConfig { reason: config_reason(&error) })?;
    client_from_config(config)
}

/// Makes a client from this configuration, over HTTP/1.1, with one connection per watch.
///
/// The timeouts of the configuration mean what they mean in kube. `connect_timeout` covers TCP, proxy and TLS together.
/// `write_timeout` limits one write that makes no progress. `read_timeout` limits silence while a response is read; it
/// also ends watches that are silent for longer. By default there is none, and an informer needs none, because it
/// detects silence itself.
///
/// A proxy can be an `http` or `https` proxy, with or without user and password, or a `socks5` proxy without them.
pub fn client_from_config(config: Config) -> Result<Client, ClientError> {
    let Some(proxy) = &config.proxy_url else { return http1_client(&config, tcp(&config)) };
    match proxy.scheme_str() {
        Some("http") => http1_client(&config, tunnel(&config, proxy, tcp(&config))),
        Some("https") => {
            // `tls_server_name` is the expected name of the API server, not of the proxy.
            let mut to_proxy = config.clone();
            to_proxy.tls_server_name = None;
            let tls = to_proxy.rustls_https_connector_with_connector(tcp(&config)).map_err(invalid_config)?;
            http1_client(&config, tunnel(&config, proxy, tls))
        }
        Some("socks5") => http1_client(&config, SocksV5::new(proxy.clone(), tcp(&config))),
        // The address is not quoted, because it may contain a password.
        _ => Err(ClientError::InvalidConfig {
            reason: "the protocol of the proxy is not supported; use http, https or socks5".to_owned(),
        }),
    }
}

/// Makes a client from this configuration that uses HTTP/2 if the server does. All watches share one connection, and
/// pings detect a peer that is gone. It does not support websockets and proxies.
#[cfg(feature = "http2")]
pub fn http2_client(config: Config) -> Result<Client, ClientError> {
    use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
    use hyper_util::rt::TokioTimer;

    if config.proxy_url.is_some() {
        return Err(ClientError::InvalidConfig { reason: "HTTP/2 does not support proxies".to_owned() });
    }
    let tls = config.rustls_client_config().map_err(invalid_config)?;
    let mut builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    if let Some(name) = &config.tls_server_name {
        let name = name.clone().try_into();
        let name = name.map_err(|_| ClientError::InvalidConfig {
            reason: "tls-server-name is not a valid name".to_owned(),
        })?;
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

/// Makes a client over `connector`, which connects to the API server.
fn http1_client<C>(config: &Config, connector: C) -> Result<Client, ClientError>
where
    C: Service<Uri, Future: Send, Error: Into<BoxError>> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
{
    let connector = config.rustls_https_connector_with_connector(connector).map_err(invalid_config)?;
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
    // The timeout is divided among the addresses of a name, so that there is time to try the next one.
    tcp.set_connect_timeout(config.connect_timeout);
    tcp.set_keepalive(Some(TCP_KEEP_ALIVE));
    tcp.set_keepalive_interval(Some(TCP_KEEP_ALIVE_INTERVAL));
    #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
    tcp.set_tcp_user_timeout(Some(TCP_USER_TIMEOUT));
    tcp
}

/// A tunnel through the proxy, with the user and the password of its address.
fn tunnel<C>(config: &Config, proxy: &Uri, connector: C) -> Tunnel<C> {
    let tunnel = Tunnel::new(proxy.clone(), connector);
    let route = Matcher::builder().all(proxy.to_string()).build().intercept(&config.cluster_url);
    match route.as_ref().and_then(|route| route.basic_auth()) {
        Some(credentials) => tunnel.with_auth(credentials.clone()),
        None => tunnel,
    }
}

/// Puts kube's layers (base URI, authentication, headers) over an HTTP client.
fn stack<S, B>(client: S, config: &Config) -> Result<Client, ClientError>
where
    S: Service<Request<Body>, Response = Response<B>, Error = legacy::Error, Future: Send>,
    S: Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer().map_err(invalid_config)?)
        .layer(config.extra_headers_layer().map_err(invalid_config)?)
        .map_err(BoxError::from)
        .service(client);
    Ok(Client::new(service, config.default_namespace.clone()))
}

fn invalid_config(error: Error) -> ClientError {
    ClientError::InvalidConfig { reason: transport::message(&error) }
}

/// What is wrong with the kubeconfig. The error of the YAML parser is not used, because it quotes lines, tokens included.
fn config_reason(error: &(dyn std::error::Error + 'static)) -> String {
    match transport::causes(error).find_map(|cause| cause.downcast_ref::<KubeconfigError>()) {
        Some(KubeconfigError::Parse(_)) => "the kubeconfig is not well-formed".to_owned(),
        Some(error) => transport::message(error),
        None => transport::message(error),
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
            "no configuration of a cluster found: the kubeconfig is not well-formed, and this process does not run \
             in a pod; set KUBECONFIG, write ~/.kube/config, or run inside a cluster"
        );
        let reason = config_reason(&KubeconfigError::CurrentContextNotSet);
        assert_eq!(reason, "failed to determine current context");
    }

    // holds: X41
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_socket_closes_when_nothing_is_acknowledged_for_30_s_after_three_probes() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri: Uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let connected = tcp(&Config::new(uri.clone())).call(uri).await.unwrap();
        let socket = socket2::SockRef::from(connected.inner());
        assert_eq!(socket.tcp_user_timeout().unwrap(), Some(Duration::from_secs(30)));
        assert!(socket.keepalive().unwrap());
        let probed_for = socket.tcp_keepalive_time().unwrap() + 3 * socket.tcp_keepalive_interval().unwrap();
        assert_eq!(probed_for, Duration::from_secs(30));
    }

    #[tokio::test]
    async fn an_error_never_contains_the_password_of_a_proxy() {
        let mut config = Config::new("http://127.0.0.1:1".parse().unwrap());
        config.proxy_url = Some("ftp://user:hunter2@proxy".parse().unwrap());
        let error = client_from_config(config).map(drop).unwrap_err();
        assert_eq!(
            error.to_string(),
            "making a client from the configuration: the protocol of the proxy is not supported; \
             use http, https or socks5"
        );
    }
}
