//! The fixture: an API server behind a socket, an informer that follows it, and a forwarder between them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use parking_lot::Mutex;
use serde_json::json;
use tidings::BackoffConfig;
use tidings::{
    InformerOptions, Key, ReflectorConfig, Running, SharedInformer, SharedInformerFactory, Version,
};
use tidings_apiserver::{ApiServer, Listen, Listening};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The time limit for conditions. kube reads a token file again after 50 s, and a file of authorities after 60 s.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(180);

pub(crate) fn put(server: &ApiServer, name: &str) -> Version {
    let pod = json!({ "metadata": { "namespace": "default", "name": name }, "spec": { "containers": [] } });
    Version::from(server.put("pods", pod))
}

/// Listens on an address. A task of `tasks` serves it.
pub(crate) async fn open(server: &ApiServer, listen: Listen, tasks: &mut JoinSet<()>) -> Listening {
    let (listening, serving) = server.listen(listen).await.expect("the address can be bound");
    tasks.spawn(serving);
    listening
}

/// A synced informer of pods, and the faults that it has reported.
pub(crate) struct Follower {
    pods: SharedInformer<Pod>,
    running: Running,
    faults: watch::Receiver<Vec<String>>,
}

impl Follower {
    pub(crate) async fn start(client: Client) -> Follower {
        let (fault_log, faults) = watch::channel(Vec::new());
        // A backoff of at most a second, so that a test does not wait for it.
        let step_max = Duration::from_secs(1);
        let backoff = BackoffConfig { initial: step_max / 10, step_max, ..BackoffConfig::default() };
        let reflector = ReflectorConfig::default().backoff(backoff);
        let factory = SharedInformerFactory::builder(client)
            .defaults(InformerOptions::new().reflector(reflector))
            .on_error(move |fault| {
                fault_log.send_modify(|fault_log: &mut Vec<String>| fault_log.push(fault.to_string()))
            })
            .build();
        let pods = factory.informer::<Pod>();
        let running = factory.start();
        running.synced_within(TIMEOUT).await.unwrap();
        Follower { pods, running, faults }
    }

    /// Makes a change and waits until the cache contains it.
    pub(crate) async fn sees(&self, server: &ApiServer, name: &str) {
        let version = put(server, name);
        self.has(name, &version).await;
        let cached = self.pods.lister().list().len();
        assert_eq!(cached, server.list_versions("pods").len(), "nothing is lost on the way");
    }

    /// Waits until the cache contains this version of an object.
    pub(crate) async fn has(&self, name: &str, version: &Version) {
        let key = Key::new(Some("default"), name).expect("a name");
        self.pods.wait_for_object(&key, version, TIMEOUT).await.unwrap();
    }

    /// Waits until a fault contains this text, and returns all faults.
    pub(crate) async fn reports(&self, says: &str) -> Vec<String> {
        let mut faults = self.faults.clone();
        let reported = faults.wait_for(|faults| faults.iter().any(|fault| fault.contains(says)));
        let reported = tokio::time::timeout(TIMEOUT, reported).await;
        match reported {
            Ok(Ok(faults)) => faults.clone(),
            _ => panic!("no fault says {says:?}: {:#?}", self.faults.borrow()),
        }
    }

    pub(crate) async fn end(self) {
        self.running.shutdown().await;
    }
}

/// Forwards connections to the first of several addresses that accepts, round-robin.
pub(crate) struct Forwarder {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct State {
    targets: Mutex<Vec<SocketAddr>>,
    next: AtomicUsize,
    /// A connection on which a client sends this text is cut.
    refused: Mutex<Option<String>>,
}

impl Forwarder {
    pub(crate) async fn start(targets: &[SocketAddr]) -> Forwarder {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port can be had");
        let address = listener.local_addr().expect("it is bound");
        let state = Arc::new(State { targets: Mutex::new(targets.to_vec()), ..State::default() });
        let mut tasks = JoinSet::new();
        tasks.spawn(forward(listener, Arc::clone(&state)));
        Forwarder { address, state, _tasks: tasks }
    }

    pub(crate) fn refuse(&self, what: &str) {
        *self.state.refused.lock() = Some(what.to_owned());
    }

    pub(crate) fn to(&self, targets: &[SocketAddr]) {
        *self.state.targets.lock() = targets.to_vec();
    }
}

async fn forward(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.expect("a connection can be accepted");
        connections.spawn(forward_one(client, Arc::clone(&state)));
        while connections.try_join_next().is_some() {}
    }
}

async fn forward_one(mut client: TcpStream, state: Arc<State>) {
    let targets = state.targets.lock().clone();
    let first = state.next.fetch_add(1, Ordering::Relaxed);
    for turn in 0..targets.len() {
        let target = targets[(first + turn) % targets.len()];
        if let Ok(mut server) = TcpStream::connect(target).await {
            pass(&mut client, &mut server, &state).await;
            return;
        }
    }
}

/// Forwards bytes in both directions, until one side ends or the client sends the refused text.
async fn pass(client: &mut TcpStream, server: &mut TcpStream, state: &State) {
    let (mut from_client, mut from_server) = (vec![0; 16 << 10], vec![0; 16 << 10]);
    loop {
        tokio::select! {
            read = client.read(&mut from_client) => {
                let Ok(length @ 1..) = read else { return };
                let sent = &from_client[..length];
                let refused = state.refused.lock().clone();
                let is_refused =
                    refused.is_some_and(|refused| String::from_utf8_lossy(sent).contains(&refused));
                if is_refused || server.write_all(sent).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut from_server) => {
                let Ok(length @ 1..) = read else { return };
                if client.write_all(&from_server[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Reads the head of an HTTP request, byte by byte.
pub(crate) async fn request_head(peer: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < 16 << 10 {
        head.push(peer.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// Connects a peer to an address until one side ends.
pub(crate) async fn connect(mut peer: impl AsyncRead + AsyncWrite + Unpin, target: &str) {
    if let Ok(mut server) = TcpStream::connect(target).await {
        // Both sides notice the end by themselves.
        let _ = copy_bidirectional(&mut peer, &mut server).await;
    }
}
