//! Read your own writes: the writes of a reconcile are kept with its request, and the next reconcile of that request
//! starts when the caches show them. They are also kept by object, for [reads](crate::Context::get) that wait for them.
//!
//! Only writes through [`TrackedApi`] are tracked, and only of kinds that the controller watches or reads. If a cache
//! does not show a write in time, the request is delayed up to a bound, and then reconciled.
//!
//! ```text
//! reconcile 1 of R   creates secret s; the server returns version 70     R: [s@70]
//! R is queued again  the cache of secrets is at version 68               R is parked
//! watch event        the cache reaches version 70                        R is ready: reconcile 2 sees s
//! ```

mod api;
mod delete_response;
mod if_unchanged;
mod sweeps;
mod unseen;
mod written;

use std::collections::{HashMap, VecDeque};
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;
use futures_util::FutureExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tidings_informer::{SharedInformer, WaitError};
use tidings_object::{Key, ResourceKind, Version};
use tidings_util::clock;
use tokio::time::Instant;

pub use api::TrackedApi;
pub use if_unchanged::IfUnchanged;
use sweeps::Sweeps;
pub(crate) use unseen::{KindWrites, ReadScope, WriteLog};
pub use written::Written;

use crate::caches::ControllerCaches;
use crate::causes::ChangeId;
use crate::request::Request;
use crate::sync::Mutex;

/// How many writes of one request are kept. A cache shows writes in their order, so the last ones are enough.
const WRITES_PER_REQUEST_MAX: usize = 1024;

/// Above this number of requests, writes that the caches already show are removed.
const SWEEP_ABOVE_REQUESTS: usize = 1024;

/// The writes of each request that no reconcile has waited for.
#[derive(Default)]
pub(crate) struct PendingWrites {
    by_request: Mutex<WritesByRequest>,
}

#[derive(Default)]
struct WritesByRequest {
    writes: HashMap<Request, VecDeque<TrackedWrite>, RandomState>,
    sweeps: Sweeps<SWEEP_ABOVE_REQUESTS>,
}

#[derive(Debug, Clone)]
pub(crate) struct TrackedWrite {
    pub(crate) resource: ResourceKind,
    pub(crate) effect: WriteEffect,
}

/// What a cache shows after a write.
#[derive(Debug, Clone)]
pub(crate) enum WriteEffect {
    /// The object in this version or a newer one. `meta` contains only the fields that a wait needs.
    Written { version: Version, meta: Arc<ObjectMeta> },
    /// The object with this uid is absent.
    Deleted { key: Key, uid: String },
}

impl PendingWrites {
    pub(crate) fn record(&self, caches: &ControllerCaches, request: &Request, write: TrackedWrite) {
        let Some(cache) = caches.showing(&write.resource).next() else { return };
        cache.writes.record(&write.effect);
        let mut recorded = self.by_request.lock();
        // Most requests write one object, so the capacity is 1.
        let writes = recorded.writes.entry(request.clone()).or_insert_with(|| VecDeque::with_capacity(1));
        if writes.len() == WRITES_PER_REQUEST_MAX {
            writes.pop_front();
        }
        writes.push_back(write);
        if recorded.sweeps.is_due(recorded.writes.len()) {
            recorded.sweep(caches);
        }
    }

    /// The writes of this request since the last call.
    pub(crate) fn take(&self, request: &Request) -> VecDeque<TrackedWrite> {
        self.by_request.lock().writes.remove(request).unwrap_or_default()
    }

    /// Keeps writes whose wait was cut short, before those that were recorded since. The next reconcile waits for them.
    pub(crate) fn put_back(&self, request: &Request, mut writes: VecDeque<TrackedWrite>) {
        if writes.is_empty() {
            return;
        }
        let mut recorded = self.by_request.lock();
        writes.extend(recorded.writes.remove(request).unwrap_or_default());
        writes.drain(..writes.len().saturating_sub(WRITES_PER_REQUEST_MAX));
        recorded.writes.insert(request.clone(), writes);
    }

    #[cfg(test)]
    fn requests(&self) -> usize {
        self.by_request.lock().writes.len()
    }
}

impl WritesByRequest {
    /// Removes the writes that the caches already show. Without it, a request that is never reconciled again would stay
    /// for ever.
    fn sweep(&mut self, caches: &ControllerCaches) {
        self.writes.retain(|_, writes| {
            writes.retain(|write| {
                let shown = writes_shown(caches, iter::once(write), Duration::ZERO).now_or_never();
                !matches!(shown, Some(Ok(())))
            });
            !writes.is_empty()
        });
        self.sweeps.swept(self.writes.len());
    }
}

impl TrackedWrite {
    /// Whether every cache of the resource has reached the version of this write. Then the object itself need not be
    /// looked up, which is the usual case. `false` means unknown.
    fn is_passed(&self, caches: &ControllerCaches) -> bool {
        let WriteEffect::Written { version, .. } = &self.effect else { return false };
        let has_passed = |reached: Version| reached.is_at_least(version);
        let mut showing = caches.showing(&self.resource);
        showing.all(|cache| cache.informer.reader().version().is_some_and(has_passed))
    }
}

/// Waits until one cache shows a write.
pub(crate) async fn shown_by(
    cache: &SharedInformer<()>,
    effect: &WriteEffect,
    deadline: Instant,
) -> Result<(), WaitError> {
    let within = deadline.saturating_duration_since(Instant::now());
    match effect {
        WriteEffect::Written { meta, .. } => cache.wait_for_written(meta, within).await,
        WriteEffect::Deleted { key, uid } => cache.wait_for_deletion(key, uid, within).await,
    }
}

impl WriteEffect {
    /// The effect of a write to which the server returned this metadata.
    pub(crate) fn written(response: &ObjectMeta) -> Self {
        WriteEffect::written_shared(Arc::new(ObjectMeta {
            name: response.name.clone(),
            namespace: response.namespace.clone(),
            labels: response.labels.clone(),
            resource_version: response.resource_version.clone(),
            ..ObjectMeta::default()
        }))
    }

    /// The change that this write causes.
    pub(crate) fn change(&self) -> ChangeId {
        match self {
            WriteEffect::Written { version, .. } => ChangeId::written(version),
            WriteEffect::Deleted { uid, .. } => ChangeId::deleted(uid),
        }
    }

    /// As [`written`](Self::written), without copying the metadata.
    fn written_shared(meta: Arc<ObjectMeta>) -> Self {
        let version = Version::new(meta.resource_version.as_deref().unwrap_or_default());
        WriteEffect::Written { version, meta }
    }
}

/// Waits until the caches show these writes, at most for `within`. The error names the write that they do not show.
///
/// It waits for one write after the other. All have the same deadline, so this takes as long as the slowest.
pub(crate) async fn writes_shown<'a>(
    caches: &ControllerCaches,
    writes: impl Iterator<Item = &'a TrackedWrite> + Clone,
    within: Duration,
) -> Result<(), WaitError> {
    if writes.clone().all(|write| write.is_passed(caches)) {
        return Ok(());
    }
    let deadline = clock::from_now(within);
    for TrackedWrite { resource, effect } in writes {
        for cache in caches.showing(resource) {
            match shown_by(&cache.informer, effect, deadline).await {
                Err(passed @ WaitError::DeadlinePassed { .. }) => return Err(passed),
                // After a restore the caches will never show the writes that were made before it.
                Err(WaitError::WentBack { .. }) => return Ok(()),
                // Other errors mean that this cache never shows the write: because of its selector, or because it has
                // stopped.
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Secret;
    use serde_json::json;
    use tidings_apiserver::ApiServer;
    use tidings_factory::SharedInformerFactory;
    use tidings_object::{Kind, Projection};

    use super::*;
    use crate::caches::ControllerCache;

    fn request(at: usize) -> Request {
        Request::new(Some("default"), &format!("r-{at}")).unwrap()
    }

    fn write(version: u64) -> TrackedWrite {
        let meta = ObjectMeta {
            name: Some("s".to_owned()),
            namespace: Some("default".to_owned()),
            resource_version: Some(version.to_string()),
            ..ObjectMeta::default()
        };
        TrackedWrite { resource: Secret::resource(), effect: WriteEffect::written(&meta) }
    }

    #[tokio::test(start_paused = true)]
    async fn writes_that_the_cache_shows_are_removed_and_others_are_kept() {
        let server = ApiServer::start().await;
        let version = server.put("secrets", json!({ "metadata": { "name": "s" } }));
        let factory = SharedInformerFactory::new(server.client());
        let secrets = factory.informer::<Secret>();
        let running = factory.start();
        running.synced().await.unwrap();
        let mut caches = ControllerCaches::default();
        caches.push(ControllerCache::new(Projection::Full, secrets.cast(), &WriteLog::default()));

        let pending_writes = PendingWrites::default();
        for at in 0..5 * SWEEP_ABOVE_REQUESTS {
            pending_writes.record(&caches, &request(at), write(version));
            assert_eq!(pending_writes.requests(), (at + 1) % (SWEEP_ABOVE_REQUESTS + 1));
        }
        let unseen = 3 * SWEEP_ABOVE_REQUESTS;
        for at in 0..unseen {
            pending_writes.record(&caches, &request(at), write(version + 1_000_000));
        }
        assert!((unseen..unseen + SWEEP_ABOVE_REQUESTS).contains(&pending_writes.requests()));
        // It sweeps above 1,024 requests, and then above twice as many as are left: 2,050 and 4,102.
        assert_eq!(pending_writes.by_request.lock().sweeps.due_above, 4 * SWEEP_ABOVE_REQUESTS + 6);
        assert!((0..unseen).all(|at| !pending_writes.take(&request(at)).is_empty()));
        assert!(write(version).is_passed(&caches) && !write(version + 1).is_passed(&caches));
        running.shutdown().await;
    }

    #[test]
    fn writes_that_are_put_back_come_first_and_only_the_last_ones_are_kept() {
        let pending_writes = PendingWrites::default();
        let versions = |pending_writes: &PendingWrites| {
            let taken = pending_writes.take(&request(0)).into_iter();
            let version = |write: TrackedWrite| match write.effect {
                WriteEffect::Written { version, .. } => version.to_string().parse::<usize>().unwrap(),
                WriteEffect::Deleted { .. } => unreachable!("nothing was deleted"),
            };
            taken.map(version).collect::<Vec<_>>()
        };
        let writes = |range: std::ops::Range<u64>| range.map(write).collect::<VecDeque<_>>();
        pending_writes.put_back(&request(0), VecDeque::new());
        assert_eq!(pending_writes.requests(), 0);

        pending_writes.put_back(&request(0), writes(5..7));
        pending_writes.put_back(&request(0), writes(1..4));
        assert_eq!(versions(&pending_writes), [1, 2, 3, 5, 6]);

        let max = WRITES_PER_REQUEST_MAX;
        pending_writes.put_back(&request(0), writes(1_000..1_000 + max as u64));
        pending_writes.put_back(&request(0), writes(1..4));
        assert_eq!(versions(&pending_writes), (1_000..1_000 + max).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn deletions_that_the_cache_shows_are_removed() {
        let server = ApiServer::start().await;
        let factory = SharedInformerFactory::new(server.client());
        let secrets = factory.informer::<Secret>();
        let running = factory.start();
        running.synced().await.unwrap();
        let mut caches = ControllerCaches::default();
        caches.push(ControllerCache::new(Projection::Full, secrets.cast(), &WriteLog::default()));
        let pending_writes = PendingWrites::default();
        for at in 0..=SWEEP_ABOVE_REQUESTS {
            let key = Key::new(Some("default"), "s").unwrap();
            let effect = WriteEffect::Deleted { key, uid: at.to_string() };
            let deletion = TrackedWrite { resource: Secret::resource(), effect };
            pending_writes.record(&caches, &request(at), deletion);
        }
        assert_eq!(pending_writes.requests(), 0);
        running.shutdown().await;
    }

    #[test]
    fn the_effect_of_a_write_has_the_metadata_that_a_wait_needs() {
        let labels = Some([("app".to_owned(), "web".to_owned())].into());
        let needed = ObjectMeta {
            name: Some("s".to_owned()),
            namespace: Some("default".to_owned()),
            labels,
            resource_version: Some("7".to_owned()),
            ..ObjectMeta::default()
        };
        let response = ObjectMeta { uid: Some("u".to_owned()), generation: Some(3), ..needed.clone() };
        let WriteEffect::Written { version, meta } = WriteEffect::written(&response) else {
            panic!("it was written")
        };
        assert_eq!((version, &*meta), (Version::new("7"), &needed));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_writes_of_a_request_are_kept_and_none_of_unwatched_kinds() {
        let server = ApiServer::start().await;
        let factory = SharedInformerFactory::new(server.client());
        let mut caches = ControllerCaches::default();
        let pending_writes = PendingWrites::default();
        pending_writes.record(&caches, &request(0), write(1));
        assert_eq!(pending_writes.requests(), 0);
        let informer = factory.informer::<Secret>().cast();
        caches.push(ControllerCache::new(Projection::Full, informer, &WriteLog::default()));
        for version in 0..2 * WRITES_PER_REQUEST_MAX as u64 {
            pending_writes.record(&caches, &request(0), write(version));
        }
        let kept = pending_writes.take(&request(0));
        assert_eq!(kept.len(), WRITES_PER_REQUEST_MAX);
        let Some(TrackedWrite { effect: WriteEffect::Written { meta: last, .. }, .. }) = kept.back() else {
            panic!("the last write has an effect of another type")
        };
        let version = (2 * WRITES_PER_REQUEST_MAX - 1).to_string();
        assert_eq!(last.resource_version.as_deref(), Some(version.as_str()));
    }
}
