//! One replica with its own connection to the server, which a test can cut.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube_client::Client;
use kube_client::client::Body;
use tidings_apiserver::ApiServer;
use tidings_controller::{LeaseError, Permit, Shard, Sharding};
use tidings_factory::{Running, SharedInformerFactory};
use tidings_object::Key;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

pub(crate) struct Replica {
    pub(crate) shard: Shard,
    pub(crate) stop: CancellationToken,
    pub(crate) tasks: JoinSet<Result<(), LeaseError>>,
    /// Whether requests get lost. An open watch still receives events.
    pub(crate) is_cut: Arc<AtomicBool>,
    _running: Running,
}

impl Replica {
    /// A replica of the group `foo`.
    pub(crate) fn start(server: &ApiServer, identity: &str) -> Replica {
        Self::start_with(server, sharding(identity))
    }

    pub(crate) fn start_with(server: &ApiServer, sharding: Sharding) -> Replica {
        let is_cut = Arc::new(AtomicBool::new(false));
        let factory = SharedInformerFactory::builder(client(server, Arc::clone(&is_cut))).seed(1).build();
        let (shard, task) = sharding.build(&factory).unwrap();
        let running = factory.start();
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run(stop.clone()));
        Replica { shard, stop, tasks, is_cut, _running: running }
    }

    /// The keys that it owns now.
    pub(crate) fn owned(&self, keys: &[Key]) -> Vec<Key> {
        keys.iter().filter(|key| self.shard.permit(key).is_some()).cloned().collect()
    }

    /// Waits for a permit for a key.
    pub(crate) async fn permit(&self, key: &Key) -> Permit {
        let mut shard = self.shard.clone();
        loop {
            if let Some(permit) = shard.permit(key) {
                return permit;
            }
            shard.changed().await;
        }
    }

    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }

    /// Waits until it has ended by itself.
    pub(crate) async fn ended(mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}

pub(crate) fn sharding(identity: &str) -> Sharding {
    let seed = identity.bytes().map(u64::from).sum();
    Sharding::new("foo").identity(identity).seed(seed)
}

pub(crate) fn keys() -> Vec<Key> {
    (0..60).map(|i| Key::parse(&format!("default/foo-{i}")).unwrap()).collect()
}

/// Waits in paused time until the condition holds. Fails after two minutes.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(120), "never: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    begun.elapsed()
}

fn client(server: &ApiServer, is_cut: Arc<AtomicBool>) -> Client {
    let service = server.service();
    let forward = move |request: http::Request<Body>| {
        let (service, is_cut) = (service.clone(), Arc::clone(&is_cut));
        async move {
            if is_cut.load(Ordering::SeqCst) {
                std::future::pending::<Infallible>().await;
            }
            service.oneshot(request).await
        }
    };
    Client::new(tower::service_fn(forward), "default")
}
