//! A replica of an election, with a connection that a test can cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use k8s_openapi::api::coordination::v1::LeaseSpec;
use kube_client::Client;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{Election, Leadership};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::Service;

/// The state of the connection to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    Whole,
    /// Requests get lost silently.
    Cut,
    Refused,
    /// Requests take effect, responses get lost.
    Mute,
}

#[derive(Clone)]
pub(crate) struct Connection<S> {
    inner: S,
    link: Arc<AtomicU8>,
}

pub(crate) struct Replica {
    pub(crate) leadership: Leadership,
    pub(crate) stop: CancellationToken,
    pub(crate) task: tokio::task::AbortHandle,
    link: Arc<AtomicU8>,
}

pub(crate) fn election(identity: &str) -> Election {
    Election::new("lock").identity(identity).seed(11)
}

/// Starts a replica.
pub(crate) fn join(server: &ApiServer, tasks: &mut JoinSet<()>, election: Election) -> Replica {
    let link = Arc::new(AtomicU8::new(Link::Whole as u8));
    let connection = Connection { inner: server.service(), link: Arc::clone(&link) };
    let (leadership, task) =
        election.build(Client::new(connection, "default")).expect("the options are valid");
    let stop = CancellationToken::new();
    let task = tasks.spawn(task.run(stop.clone()));
    Replica { leadership, stop, task, link }
}

/// The lease on the server.
pub(crate) fn lease(server: &ApiServer) -> LeaseSpec {
    let lease = server.object("leases", "default/lock").expect("there is a lease");
    serde_json::from_value(lease["spec"].clone()).expect("it is valid")
}

/// Writes a holder into the lease, as a person would.
pub(crate) fn edit(server: &ApiServer, holder: &str) {
    let mut lease = server.object("leases", "default/lock").expect("there is a lease");
    lease["spec"]["holderIdentity"] = json!(holder);
    server.put("leases", lease);
}

pub(crate) async fn advance(seconds: f64) {
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
}

impl Replica {
    pub(crate) fn set(&self, link: Link) {
        self.link.store(link as u8, Ordering::SeqCst);
    }

    pub(crate) fn leads(&self) -> bool {
        self.leadership.is_leader()
    }
}

impl<S, R> Service<R> for Connection<S>
where
    S: Service<R, Error = std::io::Error>,
    S::Future: Send + 'static,
    S::Response: Send + 'static,
{
    type Response = S::Response;
    type Error = std::io::Error;
    type Future = BoxFuture<'static, Result<S::Response, std::io::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let link = self.link.load(Ordering::SeqCst);
        if link == Link::Cut as u8 {
            return Box::pin(std::future::pending());
        }
        if link == Link::Refused as u8 {
            return Box::pin(async { Err(std::io::ErrorKind::ConnectionRefused.into()) });
        }
        let answer = self.inner.call(request);
        if link == Link::Mute as u8 {
            return Box::pin(async {
                let _lost = answer.await;
                std::future::pending().await
            });
        }
        Box::pin(answer)
    }
}
