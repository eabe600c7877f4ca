//! The two controllers. The copier keeps one Secret for each ConfigMap, and deletes other Secrets that the ConfigMap
//! controls. The observer writes nothing: it reconciles ServiceAccounts, owns Pods and watches Services with a label.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Service, ServiceAccount};
use kube_client::api::{DeleteParams, Preconditions};
use kube_core::ResourceExt as _;
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tidings::controller::{
    Action, Context, Controller, Error, Owned, Predicate, Request, Shard, Watched, set_controller,
};
use tidings::workqueue::limiter::Exponential;
use tidings::{Notification, Object, RawObject};
use tidings_apiserver::ApiServer;
use tokio::time::Instant;

use crate::observations::{ActiveReconciles, Observations, WorkItem};
use crate::trace::Trace;
use crate::views::exhaust_coop_budget;

pub(crate) const COPIER: &str = "copier";
pub(crate) const OBSERVER: &str = "observer";

/// The entry of a ConfigMap that its Secret must copy.
pub(crate) const CONTENT: &str = "content";
/// The annotation of the Secret with the copy.
pub(crate) const COPY: &str = "copy";
/// The label that names the owner of a Pod or Secret, like its controller reference, or the request of a Service.
pub(crate) const FOR: &str = "for";
/// The label of Services that the observer watches.
pub(crate) const WATCHED: &str = "watched";

/// How long a reconcile waits until the cache contains its own writes. This is the default of tidings.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(5);

/// The reconcilers of one incarnation of a replica.
pub(crate) struct Reconcilers {
    pub(crate) incarnation: String,
    /// The replicas that share keys with this one.
    pub(crate) group: String,
    pub(crate) writes: bool,
    pub(crate) active: Arc<ActiveReconciles>,
    pub(crate) observations: Arc<Observations>,
    pub(crate) server: ApiServer,
    pub(crate) faults: Arc<ReconcileFaults>,
    pub(crate) trace: Trace,
    written: Mutex<HashMap<Request, (Instant, OwnWrite)>>,
    write_wait_max: Mutex<Duration>,
}

/// The last write of a reconcile.
#[derive(Debug, Clone)]
enum OwnWrite {
    Secret { key: String, uid: String, version: u64 },
    Deletion { key: String, uid: String },
}

/// The faults of reconciles, for all replicas.
pub(crate) struct ReconcileFaults(Mutex<(SmallRng, u32)>);

impl ReconcileFaults {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        Arc::new(ReconcileFaults(Mutex::new((SmallRng::seed_from_u64(seed), 100))))
    }

    pub(crate) fn stop(&self) {
        self.0.lock().1 = 0;
    }

    /// Fails, panics, hangs or takes a while, at random.
    async fn inject(&self) -> Result<(), Error> {
        let (is_hit, how) = {
            let (rng, per_mille) = &mut *self.0.lock();
            (rng.random_range(0..1000) < *per_mille, rng.random_range(0..4))
        };
        match how {
            _ if !is_hit => Ok(()),
            0 => Err(crate::ON_PURPOSE.into()),
            1 => std::panic::panic_any(crate::ON_PURPOSE),
            2 => std::future::pending().await,
            _ => {
                tokio::time::sleep(Duration::from_secs(3)).await;
                Ok(())
            }
        }
    }
}

/// How an observation names an object.
pub(crate) fn label_of(kind: &str, object: &RawObject) -> String {
    format!("{kind} {}@{}", object.key(), object.version())
}

impl Reconcilers {
    #[expect(clippy::too_many_arguments, reason = "each is a part of the cluster")]
    pub(crate) fn new(
        incarnation: String,
        group: String,
        writes: bool,
        active: Arc<ActiveReconciles>,
        observations: Arc<Observations>,
        server: ApiServer,
        faults: Arc<ReconcileFaults>,
        trace: Trace,
    ) -> Arc<Self> {
        let (written, write_wait_max) = Default::default();
        Arc::new(Reconcilers {
            incarnation,
            group,
            writes,
            active,
            observations,
            server,
            faults,
            trace,
            written,
            write_wait_max,
        })
    }

    pub(crate) fn copier(self: &Arc<Self>, workers: usize, shard: Option<Shard>) -> Controller {
        let this = Arc::clone(self);
        let write_wait_max = if workers == 1 { WRITE_WAIT_MAX } else { Duration::ZERO };
        *self.write_wait_max.lock() = write_wait_max;
        let builder = Controller::for_kind::<ConfigMap>(COPIER)
            .owns::<Secret>()
            .workers(workers)
            .reconcile_timeout(Duration::from_secs(20))
            .write_wait_max(write_wait_max)
            .limiter(Exponential::new(Duration::from_millis(5), Duration::from_secs(20)));
        let builder = match shard {
            Some(shard) => builder.shard(shard),
            None => builder,
        };
        builder.reconcile(move |request: Request, context: Context| {
            let this = Arc::clone(&this);
            async move { this.copy(&request, &context).await }
        })
    }

    pub(crate) fn observer(self: &Arc<Self>, shard: Option<Shard>) -> Controller {
        let this = Arc::clone(self);
        let watched = Watched::<Service>::new(requests_of)
            .predicate(Predicate::labels(format!("{WATCHED}=yes").parse().expect("it is a selector")));
        // A slow subscriber, so that the cache is ahead of the mapped notifications.
        let slow = Predicate::new(|_| {
            exhaust_coop_budget();
            true
        });
        let builder = Controller::for_kind::<ServiceAccount>(OBSERVER)
            .owns_with(Owned::<Pod>::new().predicate(slow))
            .watches_with(watched)
            .workers(2)
            .reconcile_timeout(Duration::from_secs(20))
            .limiter(Exponential::new(Duration::from_millis(5), Duration::from_secs(20)));
        let builder = match shard {
            Some(shard) => builder.shard(shard),
            None => builder,
        };
        builder.reconcile(move |request: Request, context: Context| {
            let this = Arc::clone(&this);
            async move { this.observe(&request, &context).await }
        })
    }

    async fn observe(&self, request: &Request, context: &Context) -> Result<Action, Error> {
        let mut saw = BTreeSet::new();
        if let Some(account) = context.lister::<ServiceAccount>()?.get(request) {
            saw.insert(label_of("serviceaccounts", account.raw()));
        }
        saw.extend(mapped("pods", context.lister::<Pod>()?.list(), request));
        let services = context.lister::<Service>()?.list().into_iter();
        let services = services.filter(|service| service.labels().value(WATCHED) == Some("yes"));
        saw.extend(mapped("services", services, request));
        let _guard = self.begin((OBSERVER, request.clone()), saw);
        self.faults.inject().await?;
        Ok(Action::await_change())
    }

    fn begin(&self, work: WorkItem, saw: BTreeSet<String>) -> crate::observations::ReconcileGuard {
        self.trace.record(|| format!("{} {} {} sees {saw:?}", self.incarnation, work.0, work.1));
        let guard = self.active.take(&self.group, &self.incarnation, work.clone());
        self.observations.record(work, saw);
        guard
    }

    async fn copy(&self, request: &Request, context: &Context) -> Result<Action, Error> {
        let map = context.lister::<ConfigMap>()?.get(request);
        let secrets = context.lister::<Secret>()?.list();
        let mut saw: BTreeSet<_> = mapped("secrets", secrets.iter().cloned(), request).collect();
        saw.extend(map.iter().map(|map| label_of("configmaps", map.raw())));
        let _guard = self.begin((COPIER, request.clone()), saw);
        self.check_own_writes(request, context);
        self.faults.inject().await?;
        if !self.writes {
            return Ok(Action::await_change());
        }
        let uid = map.as_ref().map(|map| map.uid().to_owned()).unwrap_or_default();
        let mut has_copy = false;
        for secret in secrets.iter().filter(|secret| concerns(secret, request)) {
            let is_copy = secret.name() == request.name() && secret.controller_uid() == Some(&*uid);
            if is_copy && map.is_some() {
                has_copy = true;
            } else {
                self.delete(request, context, secret).await?;
            }
        }
        if let Some(map) = map {
            let map = map.decoded()?;
            let content = map.data.as_ref().and_then(|data| data.get(CONTENT)).cloned().unwrap_or_default();
            if has_copy {
                let copy = context.lister::<Secret>()?.require(request)?.decoded()?;
                if copy.annotations().get(COPY) != Some(&content) {
                    let mut copy = (*copy).clone();
                    copy.annotations_mut().insert(COPY.to_owned(), content);
                    let written = context.api::<Secret>().replace(&copy).await?;
                    self.record_write(request, &written.decoded()?);
                }
            } else {
                let mut copy: Secret = serde_json::from_value(json!({ "metadata": {
                    "name": request.name(), "namespace": request.namespace(),
                    "annotations": { COPY: content }, "labels": { FOR: request.name() },
                } }))?;
                set_controller(&mut copy, &*map)?;
                let written = context.api::<Secret>().create(&copy).await?;
                self.record_write(request, &written.decoded()?);
            }
        }
        self.faults.inject().await?;
        Ok(Action::await_change())
    }

    async fn delete(
        &self,
        request: &Request,
        context: &Context,
        secret: &Object<Secret>,
    ) -> Result<(), Error> {
        let (key, uid) = (secret.key().to_string(), secret.uid().to_owned());
        // The uid protects another Secret with the same name, because the cache may be stale.
        let params = DeleteParams::default()
            .preconditions(Preconditions { uid: Some(uid.clone()), ..Preconditions::default() });
        context.api::<Secret>().delete_with(secret.name(), &params).await?;
        self.trace.record(|| format!("{} {request} deleted secret {key}", self.incarnation));
        self.written.lock().insert(request.clone(), (Instant::now(), OwnWrite::Deletion { key, uid }));
        Ok(())
    }

    fn record_write(&self, request: &Request, secret: &Secret) {
        let key = format!("{}/{}", secret.namespace().unwrap_or_default(), secret.name_any());
        let version = secret.resource_version().and_then(|version| version.parse().ok()).unwrap_or(0);
        let uid = secret.uid().unwrap_or_default();
        self.trace.record(|| format!("{} {request} record_write secret {key}@{version}", self.incarnation));
        self.written.lock().insert(request.clone(), (Instant::now(), OwnWrite::Secret { key, uid, version }));
    }

    /// Checks that the cache contains the last write of this request, unless the wait for it timed out.
    fn check_own_writes(&self, request: &Request, context: &Context) {
        let Some((at, record_write)) = self.written.lock().remove(request) else { return };
        if at.elapsed() >= *self.write_wait_max.lock() {
            return;
        }
        let cached = |key: &str| context.lister::<Secret>().expect("it is declared").get(key);
        let is_there = |key: &str, uid: &str| {
            self.server.object("secrets", key).is_some_and(|object| object["metadata"]["uid"] == uid)
        };
        let unseen = match &record_write {
            OwnWrite::Secret { key, uid, version } => match cached(key) {
                Some(cached) => cached.version().number().unwrap_or(0) < *version,
                None => is_there(key, uid),
            },
            OwnWrite::Deletion { key, uid } => {
                cached(key).is_some_and(|cached| cached.uid() == uid) && !is_there(key, uid)
            }
        };
        if unseen {
            let after = at.elapsed();
            self.active.report_violation(format!(
                "{} {request} does not see its own {record_write:?} after {after:?}",
                self.incarnation
            ));
        }
    }
}

/// Whether the copier of this request is responsible for the Secret.
fn concerns(secret: &Object<Secret>, request: &Request) -> bool {
    secret.namespace() == request.namespace() && secret.labels().value(FOR) == Some(request.name())
}

/// The objects that map to a request. Their label always equals their controller reference.
fn mapped<K>(
    kind: &'static str,
    objects: impl IntoIterator<Item = Object<K>>,
    request: &Request,
) -> impl Iterator<Item = String> {
    objects
        .into_iter()
        .filter(move |object| {
            object.namespace() == request.namespace() && object.labels().value(FOR) == Some(request.name())
        })
        .map(move |object| label_of(kind, object.raw()))
}

fn requests_of(change: &Notification<Service>) -> Vec<Request> {
    let named = change
        .objects()
        .filter_map(|object| Request::new(object.namespace(), object.labels().value(FOR)?).ok());
    named.collect()
}
