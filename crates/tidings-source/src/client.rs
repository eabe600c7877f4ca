//! Clients for informers, on kube's configuration, credentials and TLS. They differ from kube's own in two ways
//! that a reflector needs: nothing is retried behind its back, and TCP keep-alive notices a peer that is gone.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube_client::client::{Body, ClientBuilder, ConfigExt as _};
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

/// How long a connection may be silent before TCP asks whether the peer is there, and how often it asks.
const TCP_KEEP_ALIVE: Duration = Duration::from_secs(30);
const TCP_KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// A client by the kubeconfig (`$KUBECONFIG`, `~/.kube/config`), or by the pod's service account inside a
/// cluster.
pub async fn try_default() -> Result<Client, ClientError> {
    let config =
        Config::infer().await.map_err(|error| ClientError::NoConfig { reason: config_reason(&error) })?;
    client_from_config(config)
}

/// A client by this configuration, over HTTP/1.1: one connection a watch.
///
/// A configuration with a proxy gets kube's own client, without keep-alive, if kube has that proxy's feature.
pub fn client_from_config(mut config: Config) -> Result<Client, ClientError> {
    config.default_retry = false;
    if config.proxy_url.is_some() {
        return Ok(ClientBuilder::try_from(config).map_err(unusable)?.build());
    }
    let connector = config.rustls_https_connector_with_connector(tcp(&config)).map_err(unusable)?;
    stack(legacy::Client::builder(TokioExecutor::new()).build(connector), &config)
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
        .http2_keep_alive_interval(TCP_KEEP_ALIVE)
        .http2_keep_alive_timeout(TCP_KEEP_ALIVE_INTERVAL)
        .build(connector);
    stack(client, &config)
}

fn tcp(config: &Config) -> HttpConnector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(config.connect_timeout);
    tcp.set_keepalive(Some(TCP_KEEP_ALIVE));
    tcp.set_keepalive_interval(Some(TCP_KEEP_ALIVE_INTERVAL));
    tcp
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
    let reason = match &error {
        // The address of a proxy may hold its password.
        Error::ProxyProtocolUnsupported { .. } => "the proxy's protocol is not supported".to_owned(),
        Error::ProxyProtocolDisabled { protocol_feature, .. } => {
            format!("the proxy needs the feature {protocol_feature}")
        }
        error => network::message(error),
    };
    ClientError::Build { reason }
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
