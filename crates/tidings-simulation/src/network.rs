//! The network between one replica and the API servers: a load balancer, a link that can be cut, and the point at which
//! the replica crashes.
//!
//! Everything that a replica shares with the rest of the cluster passes through its link. So a crash at the n-th
//! transit is a crash at a chosen await point: before a request is sent, after it took effect and before its response
//! arrives, or between two chunks of a watch. After a crash nothing passes any more.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use kube_client::Client;
use kube_client::client::Body as KubeBody;
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings_apiserver::InProcess;
use tokio::sync::Notify;
use tower::{Service as _, service_fn};

use crate::clock::ClockRate;
use crate::replica::IncarnationConfig;
use crate::trace::Trace;

/// The state of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkState {
    Up,
    /// Nothing arrives in either direction, without an error.
    Cut,
    /// New connections are refused. Open watches continue.
    Refused,
    /// Requests take effect, but their responses are lost.
    ResponsesLost,
    /// The replica has crashed.
    Dead,
}

/// The link of one incarnation of a replica.
pub(crate) struct Link {
    state: Mutex<State>,
    /// Signals a change of the state. It wakes waiters in the order in which they started to wait.
    changed: Notify,
    clock: ClockRate,
    counts: Arc<FaultCounts>,
    trace: Trace,
    replica: String,
}

struct State {
    link_state: LinkState,
    rng: SmallRng,
    /// The number of transits until the replica crashes.
    crash_after: Option<u64>,
    /// How many of 1000 transits reset their connection.
    resets_per_mille: u32,
}

/// How often each kind of fault happened outside the API servers.
#[derive(Debug, Default)]
pub(crate) struct FaultCounts(Mutex<BTreeMap<&'static str, u64>>);

impl FaultCounts {
    pub(crate) fn add(&self, fault: &'static str) {
        *self.0.lock().entry(fault).or_insert(0) += 1;
    }

    pub(crate) fn all(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().clone()
    }
}

/// What happens to one transit: a request, a response or a chunk.
enum Transit {
    AtOnce,
    Later(Duration),
    /// The connection is reset.
    Reset,
    Crash,
}

impl Link {
    pub(crate) fn new(name: &str, seed: u64, config: &IncarnationConfig<'_>) -> Arc<Self> {
        let state = State {
            link_state: LinkState::Up,
            rng: SmallRng::seed_from_u64(seed),
            crash_after: None,
            resets_per_mille: config.plan.resets_per_mille,
        };
        Arc::new(Link {
            state: Mutex::new(state),
            changed: Notify::new(),
            clock: config.plan.clocks[config.number],
            counts: Arc::clone(config.counts),
            trace: config.trace.clone(),
            replica: name.to_owned(),
        })
    }

    pub(crate) fn set(&self, link_state: LinkState) {
        let mut state = self.state.lock();
        if state.link_state != LinkState::Dead {
            state.link_state = link_state;
        }
        drop(state);
        self.changed.notify_waiters();
    }

    fn link_state(&self) -> LinkState {
        self.state.lock().link_state
    }

    async fn wait_for(&self, is_wanted: impl Fn(LinkState) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if is_wanted(self.link_state()) {
                return;
            }
            changed.await;
        }
    }

    /// Makes the replica crash after this many further transits.
    pub(crate) fn crash_after(&self, transits: u64) {
        self.state.lock().crash_after = Some(transits);
    }

    /// Ends all faults of this link.
    pub(crate) fn clear_faults(&self) {
        {
            let mut state = self.state.lock();
            state.crash_after = None;
            state.resets_per_mille = 0;
        }
        self.set(LinkState::Up);
    }

    /// Waits until the replica has crashed.
    pub(crate) async fn crashed(&self) {
        self.wait_for(|link_state| link_state == LinkState::Dead).await;
    }

    /// One transit: it may be delayed, reset its connection, or crash the replica.
    async fn pass(&self, what: &'static str) -> io::Result<()> {
        match self.next_transit() {
            Transit::AtOnce => {}
            Transit::Later(Duration::ZERO) => tokio::task::yield_now().await,
            Transit::Later(delay) => tokio::time::sleep(delay).await,
            Transit::Reset => {
                self.counts.add(what);
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            Transit::Crash => {
                self.set(LinkState::Dead);
                std::future::pending().await
            }
        }
        Ok(())
    }

    fn next_transit(&self) -> Transit {
        let mut state = self.state.lock();
        match &mut state.crash_after {
            Some(0) => return Transit::Crash,
            Some(left) => *left -= 1,
            None => {}
        }
        if state.rng.random_range(0..1000) < state.resets_per_mille {
            return Transit::Reset;
        }
        match state.rng.random_range(0..8) {
            0 => Transit::Later(Duration::from_micros(state.rng.random_range(1..20_000))),
            1 => Transit::Later(Duration::ZERO),
            _ => Transit::AtOnce,
        }
    }

    /// Waits until the link lets data pass.
    async fn open(&self) {
        self.wait_for(|link_state| !matches!(link_state, LinkState::Cut | LinkState::Dead)).await;
    }

    fn choose(&self, among: usize) -> usize {
        if among < 2 { 0 } else { self.state.lock().rng.random_range(0..among) }
    }

    async fn forward(
        self: Arc<Self>,
        mut server: InProcess,
        request: Request<KubeBody>,
    ) -> io::Result<Response<LinkBody>> {
        self.pass("reset-before-request").await?;
        match self.link_state() {
            LinkState::Cut | LinkState::Dead => return std::future::pending().await,
            LinkState::Refused => return Err(io::ErrorKind::ConnectionRefused.into()),
            LinkState::Up | LinkState::ResponsesLost => {}
        }
        let sent_line = format!("{} {}", request.method(), request.uri());
        let is_lease = request.uri().path().contains("/leases");
        let (parts, body) = request.into_parts();
        let mut sent = body.collect().await.map_err(io::Error::other)?.to_bytes();
        if is_lease {
            sent = self.clock.outgoing(sent);
        }
        let answer = server.call(Request::from_parts(parts, Full::new(sent))).await;
        self.trace.record(|| {
            let answer = answer.as_ref().map(|answer| answer.status().as_u16()).map_err(io::Error::kind);
            format!("{} {sent_line} -> {answer:?}", self.replica)
        });
        self.pass("reset-before-answer").await?;
        if !matches!(self.link_state(), LinkState::Up | LinkState::Refused) {
            return std::future::pending().await;
        }
        let (parts, body) = answer?.into_parts();
        let chunks = stream::unfold(body.into_data_stream(), move |mut chunks| {
            let link = Arc::clone(&self);
            async move {
                let chunk = chunks.next().await?;
                let passed = link.pass("reset-in-answer").await;
                link.open().await;
                let chunk = passed.and(chunk.map_err(io::Error::other));
                let chunk = chunk.map(|chunk| if is_lease { link.clock.incoming(chunk) } else { chunk });
                Some((chunk.map(Frame::data), chunks))
            }
        });
        Ok(Response::from_parts(parts, StreamBody::new(chunks).boxed_unsync()))
    }
}

/// The body of a response that crosses a link.
pub(crate) type LinkBody = UnsyncBoxBody<Bytes, io::Error>;

/// The API servers as a replica sees them: one address, with a random server for each request.
pub(crate) fn load_balanced(servers: Arc<[InProcess]>, link: Arc<Link>) -> Client {
    let service = service_fn(move |request| {
        let server = servers[link.choose(servers.len())].clone();
        Arc::clone(&link).forward(server, request)
    });
    Client::new(service, "default")
}
