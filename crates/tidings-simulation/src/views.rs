//! Handlers that check their notifications (rule 1a).
//!
//! A view contains the objects that exist according to the notifications. Each notification is checked against it at
//! once. At the end it must equal the cache.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Waker};

use futures_util::FutureExt as _;
use k8s_openapi::api::core::v1::Pod;
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings::{Handler, Notification};
use tidings_informer::testing::{NotificationRecorder, ObjectState};

/// The objects that exist according to one handler.
#[derive(Clone)]
pub(crate) struct View(Arc<Mutex<ViewState>>);

struct ViewState {
    name: String,
    recorder: NotificationRecorder,
    is_restored: bool,
    behaviour: HandlerBehaviour,
    is_calm: bool,
    rng: SmallRng,
}

/// How a handler behaves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HandlerBehaviour {
    /// How many of 1000 calls panic.
    pub(crate) panics_per_mille: u32,
    /// Whether each call uses up the budget of its task, so that all other tasks run first.
    pub(crate) is_slow: bool,
}

impl View {
    pub(crate) fn new(
        name: impl Into<String>,
        seed: u64,
        is_restored: bool,
        behaviour: HandlerBehaviour,
    ) -> Self {
        View(Arc::new(Mutex::new(ViewState {
            name: name.into(),
            recorder: NotificationRecorder::default(),
            is_restored,
            behaviour,
            is_calm: false,
            rng: SmallRng::seed_from_u64(seed),
        })))
    }

    pub(crate) fn name(&self) -> String {
        self.0.lock().name.clone()
    }

    /// The objects that exist according to the handler.
    pub(crate) fn objects(&self) -> BTreeMap<String, ObjectState> {
        self.0.lock().recorder.objects()
    }

    /// The first notification that contradicts earlier ones. Versions may decrease only if the server is restored.
    pub(crate) fn violation(&self) -> Option<String> {
        let view = self.0.lock();
        let decreased = view.recorder.versions_decreased();
        let decreased =
            (decreased > 0 && !view.is_restored).then(|| format!("{decreased} versions decreased"));
        let violation = view.recorder.violations().into_iter().next().or(decreased);
        violation.map(|violation| format!("{}: {violation}", view.name))
    }

    /// From now on no call panics and no consumer pauses.
    pub(crate) fn stop_faults(&self) {
        let mut inner = self.0.lock();
        inner.behaviour.panics_per_mille = 0;
        inner.is_calm = true;
    }

    /// Whether the consumer of a stream may pause.
    pub(crate) fn may_pause(&self) -> bool {
        !self.0.lock().is_calm
    }

    /// The handler. The caller adds a filter and options.
    pub(crate) fn handler(&self) -> Handler<Pod> {
        let view = self.clone();
        Handler::from_fn(move |notification| view.handle(notification))
    }

    /// Records a notification of a stream.
    pub(crate) fn record(&self, notification: &Notification<Pod>) {
        self.0.lock().recorder.record(notification);
    }

    fn handle(&self, notification: &Notification<Pod>) {
        let mut view = self.0.lock();
        view.recorder.record(notification);
        let behaviour = view.behaviour;
        let panics = view.rng.random_range(0..1000) < behaviour.panics_per_mille;
        drop(view);
        if behaviour.is_slow {
            exhaust_coop_budget();
        }
        if panics {
            std::panic::panic_any(crate::ON_PURPOSE);
        }
    }
}

/// Uses up the cooperative budget of the task, so that its next await yields to every task that is ready.
pub(crate) fn exhaust_coop_budget() {
    let mut context = Context::from_waker(Waker::noop());
    while std::pin::pin!(tokio::task::coop::consume_budget()).poll_unpin(&mut context).is_ready() {}
}
