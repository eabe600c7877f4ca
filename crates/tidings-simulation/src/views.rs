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
use tidings::{Handler, Notification, Object};

/// The uid and the version of an object.
pub(crate) type State = (String, u64);

/// The objects that exist according to one handler.
#[derive(Clone)]
pub(crate) struct View(Arc<Mutex<ViewState>>);

struct ViewState {
    name: String,
    objects: BTreeMap<String, State>,
    /// The newest version of each key. It never decreases, unless the server is restored.
    newest: BTreeMap<String, u64>,
    is_restored: bool,
    violation: Option<String>,
    calls: u64,
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
            objects: BTreeMap::new(),
            newest: BTreeMap::new(),
            is_restored,
            violation: None,
            calls: 0,
            behaviour,
            is_calm: false,
            rng: SmallRng::seed_from_u64(seed),
        })))
    }

    pub(crate) fn name(&self) -> String {
        self.0.lock().name.clone()
    }

    /// The objects that exist according to the handler.
    pub(crate) fn objects(&self) -> BTreeMap<String, State> {
        self.0.lock().objects.clone()
    }

    /// The first notification that contradicts earlier ones.
    pub(crate) fn violation(&self) -> Option<String> {
        let inner = self.0.lock();
        inner.violation.as_ref().map(|violation| format!("{}: {violation}", inner.name))
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
        Handler::from_fn(move |notification| view.called(|inner| inner.take(notification)))
    }

    /// Applies a notification of a stream.
    pub(crate) fn take(&self, notification: &Notification<Pod>) {
        self.0.lock().take(notification);
    }

    fn called(&self, take: impl FnOnce(&mut ViewState)) {
        let mut inner = self.0.lock();
        take(&mut inner);
        inner.calls += 1;
        let behaviour = inner.behaviour;
        let panics = inner.rng.random_range(0..1000) < behaviour.panics_per_mille;
        drop(inner);
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

fn state(object: &Object<Pod>) -> State {
    (object.uid().to_owned(), object.version().number().unwrap_or(0))
}

impl ViewState {
    fn take(&mut self, notification: &Notification<Pod>) {
        match notification {
            Notification::Added { object, .. } => self.add(object),
            Notification::Updated { old, new, .. } => self.update(old, new),
            Notification::Deleted { old, object, .. } => self.delete(old, object),
        }
    }

    fn add(&mut self, object: &Object<Pod>) {
        let key = object.key().to_string();
        self.advance(&key, object, "added");
        if let Some(known) = self.objects.insert(key.clone(), state(object)) {
            self.report_violation(format!(
                "{key} was added at {:?} though known at {known:?}",
                state(object)
            ));
        }
    }

    fn update(&mut self, old: &Object<Pod>, new: &Object<Pod>) {
        let key = new.key().to_string();
        let known = self.objects.insert(key.clone(), state(new));
        if known.as_ref() != Some(&state(old)) {
            self.report_violation(format!(
                "{key} was updated from {:?} though known at {known:?}",
                state(old)
            ));
        }
        if old.uid() != new.uid() {
            self.report_violation(format!("{key}: an update changed the uid"));
        }
        self.advance(&key, new, "updated");
    }

    fn delete(&mut self, old: &Object<Pod>, last: &Object<Pod>) {
        let key = last.key().to_string();
        match self.objects.remove(&key) {
            None => self.report_violation(format!("{key} was deleted at {:?} though unknown", state(last))),
            Some(known) if known != state(old) => {
                let old = state(old);
                self.report_violation(format!("{key} was deleted after {old:?} though known at {known:?}"));
            }
            Some(_) => self.advance(&key, last, "deleted"),
        }
    }

    fn advance(&mut self, key: &str, object: &Object<Pod>, what: &str) {
        let version = object.version().number().unwrap_or(0);
        let newest = self.newest.entry(key.to_owned()).or_insert(0);
        let is_restored = version < *newest;
        let before = std::mem::replace(newest, (*newest).max(version));
        if is_restored && !self.is_restored {
            self.report_violation(format!("{key} was {what} at version {version} after {before}"));
        }
    }

    fn report_violation(&mut self, violation: String) {
        self.violation.get_or_insert(violation);
    }
}
