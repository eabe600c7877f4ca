//! The target of the requests: this server in process or over a socket, or a real server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kube_client::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::{ApiServer, Listen, Listening};
use tidings_apiserver::{Kubelet, Namespaces, ShardSelectors};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::scenario::Area;

#[derive(Clone, Debug)]
pub(crate) enum Target {
    InProcess,
    Http,
    Real(RealServer),
}

#[derive(Clone, Debug)]
pub(crate) struct RealServer {
    from: Address,
    /// The URL of the control server: a POST to `/compact` compacts etcd.
    control: Option<String>,
}

#[derive(Clone, Debug)]
enum Address {
    Url { server: String, token: Option<String>, authority: Option<String> },
    Kubeconfig(String),
}

/// A connection to a server for one scenario.
pub(crate) struct ServerSession {
    pub(crate) client: Client,
    pub(crate) namespace: String,
    ours: Option<ApiServer>,
    control: Option<String>,
    _listening: Option<Listening>,
    _tasks: JoinSet<()>,
}

impl RealServer {
    /// The real server of the environment variables `TIDINGS_CONFORMANCE_*`; `None` without them.
    pub(crate) fn from_environment() -> Option<Self> {
        let variable = |name: &str| std::env::var(format!("TIDINGS_CONFORMANCE_{name}")).ok();
        match (variable("SERVER"), variable("KUBECONFIG")) {
            (Some(server), _) => {
                let authority = variable("CA").map(|path| std::fs::read_to_string(path).unwrap());
                let from = Address::Url { server, token: variable("TOKEN"), authority };
                Some(Self { from, control: variable("CONTROL") })
            }
            (None, Some(path)) => Some(Self::of_kubeconfig(path, variable("CONTROL"))),
            (None, None) => None,
        }
    }

    pub(crate) fn of_kubeconfig(path: String, control: Option<String>) -> Self {
        Self { from: Address::Kubeconfig(path), control }
    }

    async fn config(&self) -> Config {
        let mut config = match &self.from {
            Address::Url { server, token, authority } => {
                let mut config = Config::new(server.parse().unwrap());
                config.root_cert = authority.as_ref().map(|pem| certificates(pem));
                config.auth_info = AuthInfo { token: token.clone().map(Into::into), ..AuthInfo::default() };
                config
            }
            Address::Kubeconfig(path) => {
                let kubeconfig = Kubeconfig::read_from(path).unwrap();
                Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap()
            }
        };
        config.default_retry = false;
        config
    }
}

/// The certificates of a PEM file, in DER.
fn certificates(pem: &str) -> Vec<Vec<u8>> {
    use base64::Engine as _;
    let parts = pem.split("-----BEGIN CERTIFICATE-----").skip(1);
    let texts = parts.filter_map(|part| part.split("-----END").next());
    let decoded = texts.map(|text| {
        let joined: String = text.split_whitespace().collect();
        base64::engine::general_purpose::STANDARD.decode(joined).unwrap()
    });
    decoded.collect()
}

impl Target {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::InProcess => "in process",
            Self::Http => "http",
            Self::Real(_) => "real",
        }
    }

    pub(crate) fn can_compact(&self) -> bool {
        !matches!(self, Self::Real(RealServer { control: None, .. }))
    }

    /// For the in-process target the clock is paused: it advances only while all tasks wait, so the timeouts of watches
    /// take no real time.
    pub(crate) fn runtime(&self) -> Runtime {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().start_paused(matches!(self, Self::InProcess));
        builder.build().unwrap()
    }

    /// Opens a session for a scenario of this area. A real server must have been started with its gates.
    pub(crate) async fn open(&self, area: &Area) -> ServerSession {
        let mut session = match self {
            Self::InProcess => {
                let server = ours(area).await;
                ServerSession::new(server.client(), Some(server))
            }
            Self::Http => {
                let server = ours(area).await;
                let (listening, serving) = server.listen(Listen::plain()).await.unwrap();
                let client = Client::try_from(listening.client_config(ADMIN_TOKEN)).unwrap();
                let mut session = ServerSession::new(client, Some(server));
                session._listening = Some(listening);
                session._tasks.spawn(serving);
                session
            }
            Self::Real(real) => {
                let mut session = ServerSession::new(Client::try_from(real.config().await).unwrap(), None);
                session.control = real.control.clone();
                session
            }
        };
        session.namespace = new_namespace();
        session
    }
}

/// This server with the settings of a real one without controllers.
async fn ours(area: &Area) -> ApiServer {
    let mut server = ApiServer::builder().namespaces(Namespaces::Strict).kubelet(Kubelet::Absent);
    for gate in &area.gates {
        server = match &**gate {
            "ShardedListAndWatch" => server.shard_selectors(ShardSelectors::Applied),
            other => panic!("this server has no setting for the gate {other}"),
        };
    }
    server.start().await
}

/// A new namespace for each scenario, because a real server keeps the namespaces of earlier runs.
fn new_namespace() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = jiff::Timestamp::now().as_millisecond();
    format!("c{now:x}x{count:03}")
}

impl ServerSession {
    fn new(client: Client, ours: Option<ApiServer>) -> Self {
        let (namespace, control) = (String::new(), None);
        Self { client, namespace, ours, control, _listening: None, _tasks: JoinSet::new() }
    }

    /// Drops the history.
    pub(crate) async fn compact(&self) {
        if let Some(ours) = &self.ours {
            ours.expire_history();
            return;
        }
        let control = self
            .control
            .as_deref()
            .expect("scenarios with COMPACT are skipped for a server without control URL");
        let client = Client::try_from(Config::new(control.parse().unwrap())).unwrap();
        let request = http::Request::post("/compact").body(kube_client::client::Body::empty()).unwrap();
        assert!(client.send(request).await.unwrap().status().is_success());
        // The watch caches of a real server follow the compaction after some seconds.
        tokio::time::sleep(Duration::from_secs(20)).await;
    }
}
