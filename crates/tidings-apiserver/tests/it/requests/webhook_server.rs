//! Helper: a webhook with TLS, whose answers a closure makes.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{CertificateParams, DnType, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A running webhook.
pub(crate) struct WebhookServer {
    pub(crate) address: SocketAddr,
    ca_bundle: String,
    reviews: Arc<Mutex<Vec<Value>>>,
    _tasks: JoinSet<()>,
}

impl WebhookServer {
    /// Starts a webhook for `127.0.0.1` and for the Service `hooks/review`. `answer` gets the `request` of a review and
    /// returns the `response`; null makes the webhook answer with code 500.
    pub(crate) async fn start(
        api_version: &'static str,
        answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let names = ["127.0.0.1".to_owned(), "review.hooks.svc".to_owned()];
        let certified = rcgen::generate_simple_self_signed(names).unwrap();
        Self::with_certificate(&certified.cert, &certified.signing_key, api_version, answer).await
    }

    /// As [`start`](Self::start), with a certificate that another key has signed. The `caBundle` has the certificate,
    /// and not that of its issuer, as in envtest.
    pub(crate) async fn with_issuer(
        name: &str,
        api_version: &'static str,
        answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        Self::with_issuer_and(params, api_version, answer).await
    }

    /// As [`with_issuer`](Self::with_issuer), with a certificate that is not valid any more.
    pub(crate) async fn expired(
        name: &str,
        api_version: &'static str,
        answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
        Self::with_issuer_and(params, api_version, answer).await
    }

    async fn with_issuer_and(
        params: CertificateParams,
        api_version: &'static str,
        answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let issuer = rcgen::Issuer::new(authority(), KeyPair::generate().unwrap());
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        Self::with_certificate(&certificate, &key, api_version, answer).await
    }

    async fn with_certificate(
        certificate: &rcgen::Certificate,
        key: &KeyPair,
        api_version: &'static str,
        answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let reviews = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        let answer = Arc::new(answer);
        let seen = Arc::clone(&reviews);
        let acceptor = TlsAcceptor::from(Arc::new(config));
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                let (acceptor, answer, seen) = (acceptor.clone(), Arc::clone(&answer), Arc::clone(&seen));
                connections.spawn(async move {
                    let Ok(socket) = acceptor.accept(socket).await else { return };
                    let service = service_fn(|request: http::Request<Incoming>| {
                        let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                        async move {
                            let body = request.into_body().collect().await.unwrap().to_bytes();
                            let review: Value = serde_json::from_slice(&body).unwrap();
                            let mut response = answer(&review["request"]);
                            seen.lock().unwrap().push(review["request"].clone());
                            if response.is_null() {
                                let failed = Response::builder().status(500);
                                return Ok::<_, Infallible>(
                                    failed.body(Full::new(Bytes::from("broken"))).unwrap(),
                                );
                            }
                            response["uid"] = review["request"]["uid"].clone();
                            let kind = &review["kind"];
                            let text = json!({"kind": kind, "apiVersion": api_version, "response": response})
                                .to_string();
                            Ok(Response::new(Full::new(Bytes::from(text))))
                        }
                    });
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(socket), service)
                        .await;
                });
            }
        });
        Self { address, ca_bundle: STANDARD.encode(certificate.pem()), reviews, _tasks: tasks }
    }

    /// The `clientConfig` with the URL of the webhook.
    pub(crate) fn by_url(&self) -> Value {
        json!({"url": format!("https://{}/review", self.address), "caBundle": self.ca_bundle})
    }

    /// The `clientConfig` with the Service `hooks/review`.
    pub(crate) fn by_service(&self) -> Value {
        let service = json!({"namespace": "hooks", "name": "review", "path": "/review"});
        json!({"service": service, "caBundle": self.ca_bundle})
    }

    /// The requests of all reviews so far.
    pub(crate) fn reviews(&self) -> Vec<Value> {
        self.reviews.lock().unwrap().clone()
    }
}

fn authority() -> CertificateParams {
    let mut authority = CertificateParams::default();
    authority.distinguished_name.push(DnType::CommonName, "authority");
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    authority
}
