//! Servers that are not to be trusted, or that do not speak TLS at all: one line that says which, and what to do.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::json;
use tidings_apiserver::Rights;
use tidings_apiserver::{ApiServer, Listen};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::bad_input::check;
use crate::process::{ProcessOutput, ServedApi, run};

/// A server that only performs TLS handshakes.
struct TlsServer {
    url: String,
    authority: String,
    _tasks: JoinSet<()>,
}

impl TlsServer {
    /// With a certificate for this name, changed in some way.
    async fn open(name: &str, change: impl FnOnce(&mut CertificateParams)) -> TlsServer {
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let chain = vec![params.signed_by(&key, &authority).unwrap().der().clone()];
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_no_client_auth().with_single_cert(chain, key).unwrap();

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                drop(acceptor.accept(socket).await);
            }
        });
        TlsServer { url, authority: authority.pem(), _tasks: tasks }
    }

    /// Runs `tidings get` with a kubeconfig that trusts `authority`.
    async fn get_trusting(&self, authority: &str) -> ProcessOutput {
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "contexts": [{ "name": "here", "context": { "cluster": "here", "user": "me" } }],
            "users": [{ "name": "me", "user": { "token": "hunter2" } }],
            "clusters": [{ "name": "here", "cluster": {
                "server": self.url, "certificate-authority-data": STANDARD.encode(authority),
            } }],
        });
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        std::fs::write(&file, kubeconfig.to_string()).unwrap();
        let ended = run(&["get", "pods", "--kubeconfig", file.to_str().unwrap()]).await;
        for secret in ["hunter2", "BEGIN CERTIFICATE", &STANDARD.encode(authority)[..40]] {
            assert!(!ended.stderr.contains(secret), "{}", ended.stderr);
        }
        ended
    }
}

#[tokio::test]
async fn the_error_about_an_expired_certificate_says_to_renew_it() {
    let expired = TlsServer::open("127.0.0.1", |params| {
        params.not_before = date_time_ymd(2019, 1, 1);
        params.not_after = date_time_ymd(2020, 1, 1);
    })
    .await;
    check(&expired.get_trusting(&expired.authority).await, 3, &["has expired", "renew", "clock"]);
}

#[tokio::test]
async fn the_error_about_a_certificate_from_the_future_mentions_the_clock() {
    let early = TlsServer::open("127.0.0.1", |params| params.not_before = date_time_ymd(2300, 1, 1)).await;
    check(&early.get_trusting(&early.authority).await, 3, &["not valid yet", "clock"]);
}

#[tokio::test]
async fn the_error_about_an_untrusted_authority_mentions_the_kubeconfig() {
    let (listening, other) =
        (TlsServer::open("127.0.0.1", |_| {}).await, TlsServer::open("127.0.0.1", |_| {}).await);
    check(
        &listening.get_trusting(&other.authority).await,
        3,
        &["not trusted", "kubeconfig of this cluster", "certificate-authority"],
    );
}

#[tokio::test]
async fn the_error_about_another_name_mentions_tls_server_name() {
    let other = TlsServer::open("elsewhere.example", |_| {}).await;
    check(&other.get_trusting(&other.authority).await, 3, &["other names", "tls-server-name"]);
}

#[tokio::test]
async fn the_error_about_a_server_without_tls_suggests_http() {
    let served = ServedApi::start().await;
    let url = served.url.replace("http://", "https://");
    check(&run(&["get", "pods", "--server", &url]).await, 3, &["does not speak TLS", "http://"]);
}

#[tokio::test]
async fn insecure_skip_tls_verify_accepts_any_certificate() {
    let server = ApiServer::builder().anonymous(Rights::Admin).start().await;
    let (listening, serving) = server.listen(Listen::tls()).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(serving);
    let ended = run(&["get", "ns", "--server", &listening.url(), "--insecure-skip-tls-verify"]).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert!(ended.stdout.contains("kube-system"), "{}", ended.stdout);
}
