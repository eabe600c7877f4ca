//! Credentials that change, fail and expire while a watch is open.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::Uri;
use kube_client::Config;
use kube_client::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
};
use rustls::RootCertStore;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::{NoServerSessionStorage, ServerConfig, WebPkiClientVerifier};
use rustls::time_provider::TimeProvider;
use serde_json::json;
use tidings::client_from_config;
use tidings_apiserver::{ADMIN_TOKEN, Rights};
use tidings_apiserver::{ApiServer, Ending, Listen};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::fixture::{Follower, Forwarder, connect, open};

/// Replaces a file atomically, as a kubelet does with the files of a volume.
fn replace(path: &Path, text: &str) {
    let beside = path.with_extension("new");
    fs::write(&beside, text).expect("the folder can be written to");
    fs::rename(&beside, path).expect("a file of the same folder");
}

/// The server refuses the old token after the rotation, so the informer must use the new one.
pub(crate) async fn token_file_rotates() {
    let server = ApiServer::builder()
        .user("before", "token-1", Rights::Admin)
        .user("after", "token-2", Rights::Admin)
        .start()
        .await;
    let mut tasks = JoinSet::new();
    let listening = open(&server, Listen::plain(), &mut tasks).await;
    let forwarder = Forwarder::start(&[listening.address()]).await;
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let token = folder.path().join("token");
    replace(&token, "token-1");
    let mut config = Config::new(format!("http://{}", forwarder.address).parse().expect("a URL"));
    config.auth_info = AuthInfo { token_file: Some(token.display().to_string()), ..AuthInfo::default() };
    let follower = Follower::start(client_from_config(config).unwrap()).await;
    follower.sees(&server, "before-the-rotation").await;
    replace(&token, "token-2");
    forwarder.refuse("Bearer token-1");
    follower.sees(&server, "during-the-watch").await;
    server.faults().cut_watches(Ending::Broken);
    follower.sees(&server, "after-the-rotation").await;
    follower.end().await;
}

/// A TLS server that is restarted at the same address has another certificate authority. A forwarder keeps the address: a
/// port that was closed may be taken by another program before it is bound again.
pub(crate) async fn authority_changes() {
    let server = ApiServer::start().await;
    let mut tasks = JoinSet::new();
    let listening = open(&server, Listen::tls(), &mut tasks).await;
    let forwarder = Forwarder::start(&[listening.address()]).await;
    let url: Uri = format!("https://{}", forwarder.address).parse().expect("a URL");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("ca.crt");
    replace(&file, listening.certificate_authority().expect("it listens with TLS"));
    let mut fixed = listening.client_config(ADMIN_TOKEN);
    fixed.cluster_url = url.clone();
    let mut reloaded = fixed.clone();
    reloaded.root_cert_file = Some(file.clone());
    let from_config = Follower::start(client_from_config(fixed).unwrap()).await;
    let from_file = Follower::start(client_from_config(reloaded).unwrap()).await;

    listening.close();
    while tasks.join_next().await.is_some() {}
    let listening = open(&server, Listen::tls(), &mut tasks).await;
    forwarder.to(&[listening.address()]);
    for follower in [&from_config, &from_file] {
        follower.reports("invalid peer certificate").await;
    }
    replace(&file, listening.certificate_authority().expect("it listens with TLS"));
    from_file.sees(&server, "after-the-file-was-replaced").await;
    // A client does not read the kubeconfig again, so a new client is needed.
    let mut renewed = listening.client_config(ADMIN_TOKEN);
    renewed.cluster_url = url;
    let rebuilt = Follower::start(client_from_config(renewed).unwrap()).await;
    rebuilt.sees(&server, "by-a-new-client").await;
    for follower in [from_config, from_file, rebuilt] {
        follower.end().await;
    }
}

pub(crate) async fn exec_plugin_fails() {
    let server = ApiServer::start().await;
    let mut tasks = JoinSet::new();
    let listening = open(&server, Listen::tls(), &mut tasks).await;
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (plugin, broken) = (folder.path().join("plugin.sh"), folder.path().join("broken"));
    // An expired credential is requested again for every request.
    let credential = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": { "token": ADMIN_TOKEN, "expirationTimestamp": "2020-01-01T00:00:00Z" },
    });
    let script = format!(
        "if [ -e '{}' ]; then echo hunter2; echo hunter2 >&2; exit 3; fi\necho '{credential}'\n",
        broken.display(),
    );
    fs::write(&plugin, script).expect("the folder can be written to");
    let mut kubeconfig = Kubeconfig::from_yaml(&listening.kubeconfig()).expect("a kubeconfig");
    for user in &mut kubeconfig.auth_infos {
        let exec = json!({
            "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
            "command": "sh", "args": [plugin.display().to_string()],
        });
        user.auth_info = Some(serde_json::from_value(json!({ "exec": exec })).expect("a user"));
    }
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();

    fs::write(&broken, "").expect("the folder can be written to");
    let error = client_from_config(config.clone()).map(drop).unwrap_err().to_string();
    assert!(error.ends_with("the credential plugin ended with exit status: 3"), "{error}");
    fs::remove_file(&broken).expect("it is there");
    let follower = Follower::start(client_from_config(config).unwrap()).await;
    follower.sees(&server, "with-credentials").await;

    fs::write(&broken, "").expect("the folder can be written to");
    server.faults().cut_watches(Ending::Broken);
    let faults = follower.reports("the credential plugin ended with exit status: 3").await;
    assert!(!faults.iter().any(|fault| fault.contains("hunter2")), "{faults:?}");
    fs::remove_file(&broken).expect("it is there");
    follower.sees(&server, "when-the-plugin-works-again").await;
    follower.end().await;
}

/// A clock that can be advanced.
#[derive(Debug)]
struct Clock {
    ahead_seconds: AtomicU64,
}

impl TimeProvider for Clock {
    fn current_time(&self) -> Option<UnixTime> {
        let ahead = Duration::from_secs(self.ahead_seconds.load(Ordering::Relaxed));
        Some(UnixTime::since_unix_epoch(Duration::from_secs(UnixTime::now().as_secs()) + ahead))
    }
}

/// The certificate authority of a test.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "networks-ca");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn sign(
        &self,
        mut params: CertificateParams,
        usage: ExtendedKeyUsagePurpose,
    ) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        params.extended_key_usages = vec![usage];
        (params.signed_by(&key, &self.0).unwrap(), key)
    }

    /// A client configuration whose certificate expires at the start of this year.
    fn client_config(&self, url: &str, until_year: i32, folder: &Path) -> Config {
        let mut params = CertificateParams::default();
        params.not_after = rcgen::date_time_ymd(until_year, 1, 1);
        let (certificate, key) = self.sign(params, ExtendedKeyUsagePurpose::ClientAuth);
        let (certificate_path, key_path) =
            (folder.join(format!("{until_year}.crt")), folder.join(format!("{until_year}.key")));
        fs::write(&certificate_path, certificate.pem()).expect("the folder can be written to");
        fs::write(&key_path, key.serialize_pem()).expect("the folder can be written to");
        let mut config = Config::new(url.parse().expect("a URL"));
        config.root_cert = Some(vec![self.0.der().to_vec()]);
        config.auth_info = AuthInfo {
            client_certificate: Some(certificate_path.display().to_string()),
            client_key: Some(key_path.display().to_string()),
            ..AuthInfo::default()
        };
        config
    }

    /// Terminates TLS with this clock. Accepts only client certificates of this authority.
    fn acceptor(&self, clock: &Arc<Clock>) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let names = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        let (certificate, key) = self.sign(names, ExtendedKeyUsagePurpose::ServerAuth);
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let clock: Arc<dyn TimeProvider> = Arc::clone(clock) as _;
        let mut config = ServerConfig::builder_with_details(provider, clock)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(clients)
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        // A resumed session presents no certificate. Go, and so kube-apiserver, does not resume sessions with an expired one.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        TlsAcceptor::from(Arc::new(config))
    }
}

async fn terminate(listener: TcpListener, acceptor: TlsAcceptor, target: String) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.expect("a connection can be accepted");
        let (acceptor, target) = (acceptor.clone(), target.clone());
        connections.spawn(async move {
            if let Ok(client) = acceptor.accept(client).await {
                connect(client, &target).await;
            }
        });
    }
}

/// Advances the clock of the server by a hundred years instead of waiting until a certificate expires.
pub(crate) async fn client_certificate_expires() {
    const CENTURY_SECONDS: u64 = 100 * 365 * 24 * 3600;
    let server = ApiServer::builder().anonymous(Rights::Admin).start().await;
    let mut tasks = JoinSet::new();
    let listening = open(&server, Listen::plain(), &mut tasks).await;
    let (authority, clock) = (Authority::new(), Arc::new(Clock { ahead_seconds: AtomicU64::new(0) }));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port can be had");
    let url = format!("https://{}", listener.local_addr().expect("it is bound"));
    tasks.spawn(terminate(listener, authority.acceptor(&clock), listening.address().to_string()));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let expiring = authority.client_config(&url, 2100, folder.path());
    let follower = Follower::start(client_from_config(expiring).unwrap()).await;
    follower.sees(&server, "while-it-is-valid").await;

    clock.ahead_seconds.store(CENTURY_SECONDS, Ordering::Relaxed);
    follower.sees(&server, "on-a-watch-that-was-open").await;
    server.faults().cut_watches(Ending::Broken);
    follower.reports("CertificateExpired").await;
    // A client reads its certificate only when it is created, so a new client is needed.
    let renewed = authority.client_config(&url, 2500, folder.path());
    let rebuilt = Follower::start(client_from_config(renewed).unwrap()).await;
    rebuilt.sees(&server, "with-a-new-certificate").await;
    follower.end().await;
    rebuilt.end().await;
}
