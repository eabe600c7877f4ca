//! Sends a review to a webhook and reads its answer: one HTTPS request over a connection of its own.
//!
//! A webhook has a URL, or a Service that the settings map to an address (there is no cluster network). The `caBundle`
//! must have its certificate or have signed it; system roots are not used. It never follows redirects.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::future::join;
use http::{Request, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::server::Core;
use bundle_verifier::BundleVerifier;

mod bundle_verifier;
mod validity;

/// The largest answer of a webhook, in bytes.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// Where a webhook is.
#[derive(Debug)]
struct Endpoint {
    /// Host and port to connect to.
    address: String,
    /// The name that the certificate must have.
    server_name: String,
    /// The URL as messages show it.
    url: String,
    path: String,
}

/// Sends `body` as JSON and returns the JSON of the answer. The error says what failed, as Kubernetes' messages do.
pub(crate) async fn post(
    core: &Core,
    client_config: &Value,
    body: &Value,
    timeout: Duration,
) -> Result<Value, String> {
    let endpoint = endpoint(core, client_config, timeout)?;
    let failed = |why: String| format!("Post {:?}: {why}", endpoint.url);
    let exchange = exchange(&endpoint, client_config, body.to_string());
    match tokio::time::timeout(timeout, exchange).await {
        Ok(answer) => answer.map_err(failed),
        Err(_) => Err(failed("context deadline exceeded".to_owned())),
    }
}

fn endpoint(core: &Core, client_config: &Value, timeout: Duration) -> Result<Endpoint, String> {
    let query = format!("timeout={}s", timeout.as_secs());
    let service = &client_config["service"];
    if service.is_object() {
        let text = |name: &str| service[name].as_str().unwrap_or_default();
        let key = format!("{}/{}", text("namespace"), text("name"));
        let port = service["port"].as_u64().unwrap_or(443);
        let address: SocketAddr = core.settings.service_address(&key, port).ok_or_else(|| {
            format!(
                "service {key:?} port {port} has no address; give it one with ApiServerBuilder::service_address \
                 or tidings serve --service {key}=HOST:PORT"
            )
        })?;
        let host = format!("{}.{}.svc", text("name"), text("namespace"));
        let path = format!("{}?{query}", cleaned(text("path")));
        let url = format!("https://{host}:{port}{path}");
        return Ok(Endpoint { address: address.to_string(), server_name: host, url, path });
    }
    let url = client_config["url"].as_str().unwrap_or_default();
    let uri: Uri = url.parse().map_err(|error| format!("parsing the URL {url:?}: {error}"))?;
    let host = uri.host().unwrap_or_default();
    if uri.scheme_str() != Some("https") || host.is_empty() {
        return Err(format!("the URL {url:?} must begin with https:// and have a host"));
    }
    let path = format!("{}?{query}", cleaned(uri.path()));
    Ok(Endpoint {
        address: format!("{host}:{}", uri.port_u16().unwrap_or(443)),
        server_name: host.trim_matches(['[', ']']).to_owned(),
        url: format!("https://{}{path}", uri.authority().map_or(host, |authority| authority.as_str())),
        path,
    })
}

/// The path as Kubernetes requests it: without empty steps and `.`, and with each `..` resolved. envtest registers URLs
/// such as `https://127.0.0.1:9443//review`.
fn cleaned(path: &str) -> String {
    let mut steps = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    format!("/{}", steps.join("/"))
}

async fn exchange(endpoint: &Endpoint, client_config: &Value, body: String) -> Result<Value, String> {
    let tls = TlsConnector::from(Arc::new(tls_config(client_config)?));
    let name = ServerName::try_from(endpoint.server_name.clone())
        .map_err(|error| format!("{:?} is no server name: {error}", endpoint.server_name))?;
    let socket = TcpStream::connect(&endpoint.address).await;
    let socket = socket.map_err(|error| format!("dial tcp {}: connect: {error}", endpoint.address))?;
    let socket = tls.connect(name, socket).await.map_err(|error| format!("tls: {error}"))?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(socket)).await.map_err(|error| error.to_string())?;
    let request = Request::post(&endpoint.path)
        .header(header::HOST, &endpoint.server_name)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json")
        .body(Full::new(Bytes::from(body)))
        .map_err(|error| error.to_string())?;
    let exchange = async move {
        let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let code = response.status();
        let read = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
        let read = read.map_err(|error| format!("reading the answer: {error}"))?.to_bytes();
        if !code.is_success() {
            let text = String::from_utf8_lossy(&read).trim().chars().take(200).collect::<String>();
            return Err(format!("the server answered with code {code}: {text}"));
        }
        serde_json::from_slice(&read).map_err(|error| format!("reading the answer: {error}"))
    };
    // The connection ends when the sender is dropped, at the end of the exchange.
    let (answer, _) = join(exchange, connection).await;
    answer
}

fn tls_config(client_config: &Value) -> Result<ClientConfig, String> {
    let bundle = client_config["caBundle"].as_str().unwrap_or_default();
    let pem = STANDARD.decode(bundle).map_err(|error| format!("decoding caBundle: {error}"))?;
    let bundle: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let bundle = bundle.map_err(|error| format!("reading caBundle: {error}"))?;
    if bundle.is_empty() {
        return Err("a webhook needs a caBundle with at least one certificate".to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = BundleVerifier::new(bundle, Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_webhooks_are_cleaned_as_gos_path_join_does() {
        for (path, expected) in [
            ("", "/"),
            ("/", "/"),
            ("//failing", "/failing"),
            ("/a//b/", "/a/b"),
            ("a/./b/../c", "/a/c"),
            ("/../a", "/a"),
        ] {
            assert_eq!(cleaned(path), expected, "{path}");
        }
    }
}
