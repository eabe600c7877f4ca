//! The way of one replica to the API servers: a balancer that chooses one of them, a link that can be cut, and the place
//! where the replica crashes.
//!
//! Everything that a replica shares with the rest of the world passes here. So a crash at a chosen passing is a crash at a
//! chosen await, as far as the world can tell: before a request is sent, after it took effect and before the answer, between
//! two chunks of a watch. Nothing of a dead replica passes.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use kube_client::client::Body as KubeBody;
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings_apiserver::InProcess;
use tokio::sync::Notify;
use tower::Service;

use crate::clock::ClockRate;
use crate::replica::Birth;
use crate::trace::Trace;

/// How the requests of a replica fare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// All is well.
    Whole,
    /// Nothing arrives, in either direction, and nobody says so.
    Cut,
    /// New connections are refused; watches go on.
    Refused,
    /// Requests take effect, answers are lost.
    Mute,
    /// The replica is dead.
    Dead,
}

/// The link of one life of a replica.
pub(crate) struct Link {
    state: Mutex<State>,
    /// The condition has changed. Those who wait are woken in the order in which they began to.
    changed: Notify,
    clock: ClockRate,
    counts: Arc<Counts>,
    trace: Trace,
    replica: String,
}

struct State {
    condition: Condition,
    chance: SmallRng,
    /// The replica crashes when this many more things have passed.
    crash_after: Option<u64>,
    /// How many of a thousand things that pass break their connection.
    resets_per_mille: u32,
}

/// How often each kind of fault happened outside of the servers.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<BTreeMap<&'static str, u64>>);

impl Counts {
    pub(crate) fn add(&self, fault: &'static str) {
        *self.0.lock().entry(fault).or_insert(0) += 1;
    }

    pub(crate) fn all(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().clone()
    }
}

/// How something passes a link.
enum Passing {
    AtOnce,
    Later(Duration),
    /// The connection breaks.
    Reset,
    Crash,
}

impl Link {
    pub(crate) fn new(name: &str, seed: u64, birth: &Birth<'_>) -> Arc<Self> {
        let state = State {
            condition: Condition::Whole,
            chance: SmallRng::seed_from_u64(seed),
            crash_after: None,
            resets_per_mille: birth.plan.resets_per_mille,
        };
        Arc::new(Link {
            state: Mutex::new(state),
            changed: Notify::new(),
            clock: birth.plan.clocks[birth.number],
            counts: Arc::clone(birth.counts),
            trace: birth.trace.clone(),
            replica: name.to_owned(),
        })
    }

    pub(crate) fn set(&self, condition: Condition) {
        let mut state = self.state.lock();
        if state.condition != Condition::Dead {
            state.condition = condition;
        }
        drop(state);
        self.changed.notify_waiters();
    }

    fn condition(&self) -> Condition {
        self.state.lock().condition
    }

    async fn wait_for(&self, is_wanted: impl Fn(Condition) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if is_wanted(self.condition()) {
                return;
            }
            changed.await;
        }
    }

    /// Lets the replica crash when so many more things have passed.
    pub(crate) fn crash_after(&self, passings: u64) {
        self.state.lock().crash_after = Some(passings);
    }

    /// Nothing is to go wrong from now on.
    pub(crate) fn calm(&self) {
        {
            let mut state = self.state.lock();
            state.crash_after = None;
            state.resets_per_mille = 0;
        }
        self.set(Condition::Whole);
    }

    /// Waits until the replica has crashed.
    pub(crate) async fn crashed(&self) {
        self.wait_for(|condition| condition == Condition::Dead).await;
    }

    /// Something passes, unless its connection breaks or the replica crashes at it. Sometimes it takes a while.
    async fn pass(&self, what: &'static str) -> io::Result<()> {
        match self.passing() {
            Passing::AtOnce => {}
            Passing::Later(Duration::ZERO) => tokio::task::yield_now().await,
            Passing::Later(delay) => tokio::time::sleep(delay).await,
            Passing::Reset => {
                self.counts.add(what);
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            Passing::Crash => {
                self.set(Condition::Dead);
                std::future::pending().await
            }
        }
        Ok(())
    }

    fn passing(&self) -> Passing {
        let mut state = self.state.lock();
        match &mut state.crash_after {
            Some(0) => return Passing::Crash,
            Some(left) => *left -= 1,
            None => {}
        }
        if state.chance.random_range(0..1000) < state.resets_per_mille {
            return Passing::Reset;
        }
        match state.chance.random_range(0..8) {
            0 => Passing::Later(Duration::from_micros(state.chance.random_range(1..20_000))),
            1 => Passing::Later(Duration::ZERO),
            _ => Passing::AtOnce,
        }
    }

    /// Waits while nothing passes.
    async fn open(&self) {
        self.wait_for(|condition| !matches!(condition, Condition::Cut | Condition::Dead)).await;
    }

    fn choose(&self, among: usize) -> usize {
        if among < 2 { 0 } else { self.state.lock().chance.random_range(0..among) }
    }

    async fn carry(
        self: Arc<Self>,
        mut server: InProcess,
        request: Request<KubeBody>,
    ) -> io::Result<Response<WireBody>> {
        self.pass("reset-before-request").await?;
        match self.condition() {
            Condition::Cut | Condition::Dead => return std::future::pending().await,
            Condition::Refused => return Err(io::ErrorKind::ConnectionRefused.into()),
            Condition::Whole | Condition::Mute => {}
        }
        let asked = format!("{} {}", request.method(), request.uri());
        let is_lease = request.uri().path().contains("/leases");
        let (parts, body) = request.into_parts();
        let mut sent = body.collect().await.map_err(io::Error::other)?.to_bytes();
        if is_lease {
            sent = self.clock.outgoing(sent);
        }
        let answer = server.call(Request::from_parts(parts, Full::new(sent))).await;
        self.trace.note(|| {
            let answer = answer.as_ref().map(|answer| answer.status().as_u16()).map_err(io::Error::kind);
            format!("{} {asked} -> {answer:?}", self.replica)
        });
        self.pass("reset-before-answer").await?;
        if !matches!(self.condition(), Condition::Whole | Condition::Refused) {
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

/// The body of an answer that passes a link.
pub(crate) type WireBody = UnsyncBoxBody<Bytes, io::Error>;

/// The API servers as one replica reaches them: one address, behind which each request goes to one of them.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) servers: Arc<[InProcess]>,
    pub(crate) link: Arc<Link>,
}

impl Service<Request<KubeBody>> for Wire {
    type Response = Response<WireBody>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Response<WireBody>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<KubeBody>) -> Self::Future {
        let server = self.servers[self.link.choose(self.servers.len())].clone();
        Box::pin(Arc::clone(&self.link).carry(server, request))
    }
}
