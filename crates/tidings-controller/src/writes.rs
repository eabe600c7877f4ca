//! Read your own writes: what a reconcile wrote is remembered with its request, and the next reconcile of that request starts
//! when the caches show it.
//!
//! Only what goes through [`TrackedApi`] is remembered, and only of kinds that the controller watches or reads. A cache that
//! does not show a write in time delays a request, and never ends it.

mod api;
mod delete_response;
mod if_unchanged;
mod written;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;
use futures_util::FutureExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tidings_informer::informer::{SharedInformer, WaitError};
use tidings_object::{Key, ResourceKind, Version};
use tidings_util::clock;
use tokio::time::Instant;

pub use api::TrackedApi;
pub use if_unchanged::IfUnchanged;
pub use written::Written;

use crate::caches::ControllerCaches;
use crate::request::Request;
use crate::sync::Mutex;

/// How many writes of one request are remembered. A cache shows writes in their order: the last ones stand for all.
const WRITES_PER_REQUEST_MAX: usize = 1024;

/// Above how many requests the ledger first looks for those whose writes have long been seen.
const SWEEP_ABOVE_REQUESTS: usize = 1024;

/// What was written and has not been waited for.
pub(crate) struct PendingWrites {
    by_request: Mutex<WritesByRequest>,
}

struct WritesByRequest {
    writes: HashMap<Request, VecDeque<TrackedWrite>, RandomState>,
    /// How many requests make a sweep worth while.
    sweep_above: usize,
}

/// One write.
#[derive(Debug, Clone)]
pub(crate) struct TrackedWrite {
    pub(crate) resource: ResourceKind,
    pub(crate) effect: WriteEffect,
}

/// What a cache will show of a write.
#[derive(Debug, Clone)]
pub(crate) enum WriteEffect {
    /// This version, or a newer one; of the metadata only what a wait looks at. Most waits look at the version alone.
    Written { version: Version, meta: Arc<ObjectMeta> },
    /// No object with this uid.
    Deleted { key: Key, uid: String },
}

impl Default for PendingWrites {
    fn default() -> Self {
        let by_request = WritesByRequest { writes: HashMap::default(), sweep_above: SWEEP_ABOVE_REQUESTS };
        PendingWrites { by_request: Mutex::new(by_request) }
    }
}

impl PendingWrites {
    pub(crate) fn record(&self, caches: &ControllerCaches, request: &Request, write: TrackedWrite) {
        if caches.showing(&write.resource).next().is_none() {
            return;
        }
        let mut recorded = self.by_request.lock();
        // Most requests write one object.
        let writes = recorded.writes.entry(request.clone()).or_insert_with(|| VecDeque::with_capacity(1));
        if writes.len() == WRITES_PER_REQUEST_MAX {
            writes.pop_front();
        }
        writes.push_back(write);
        if recorded.writes.len() > recorded.sweep_above {
            recorded.sweep(caches);
        }
    }

    /// What the reconciles of this request wrote since this was last asked.
    pub(crate) fn take(&self, request: &Request) -> VecDeque<TrackedWrite> {
        self.by_request.lock().writes.remove(request).unwrap_or_default()
    }

    #[cfg(test)]
    fn requests(&self) -> usize {
        self.by_request.lock().writes.len()
    }
}

impl WritesByRequest {
    /// Forgets what can be seen already. A request that never comes again would stay here for ever; looking only when
    /// there are twice as many as after the last look makes it one look a write.
    fn sweep(&mut self, caches: &ControllerCaches) {
        self.writes.retain(|_, writes| {
            writes.retain(|write| !write.is_passed(caches) && !write.is_shown(caches));
            !writes.is_empty()
        });
        self.sweep_above = SWEEP_ABOVE_REQUESTS.max(self.writes.len() * 2);
    }
}

impl TrackedWrite {
    /// Whether every cache that would show this write has come past its version as a whole. Mostly it has, and no object
    /// is looked for then. "No" says nothing.
    fn is_passed(&self, caches: &ControllerCaches) -> bool {
        let WriteEffect::Written { version, .. } = &self.effect else { return false };
        let has_passed = |reached: Version| reached.is_at_least(version);
        caches.showing(&self.resource).all(|cache| cache.reader().version().is_some_and(has_passed))
    }

    /// Whether there is nothing to wait for now.
    fn is_shown(&self, caches: &ControllerCaches) -> bool {
        let looked = self.shown(caches, Instant::now()).now_or_never();
        !matches!(looked, None | Some(Err(WaitError::DeadlinePassed { .. })))
    }

    /// Waits until every cache that would show this write does, or the server went back in time. A cache that will never
    /// show it (other labels, stopped) is not waited for.
    async fn shown(&self, caches: &ControllerCaches, deadline: Instant) -> Result<(), WaitError> {
        for cache in caches.showing(&self.resource) {
            let within = deadline.saturating_duration_since(Instant::now());
            let end = self.shown_by(cache, within).await;
            if matches!(end, Err(WaitError::DeadlinePassed { .. } | WaitError::WentBack { .. })) {
                return end;
            }
        }
        Ok(())
    }

    async fn shown_by(&self, cache: &SharedInformer<()>, within: Duration) -> Result<(), WaitError> {
        match &self.effect {
            WriteEffect::Written { meta, .. } => cache.wait_for_written(meta, within).await,
            WriteEffect::Deleted { key, uid } => cache.wait_for_deletion(key, uid, within).await,
        }
    }
}

impl WriteEffect {
    /// What a cache will show of an object that was answered to a write.
    pub(crate) fn written(answer: &ObjectMeta) -> Self {
        WriteEffect::answered(Arc::new(ObjectMeta {
            name: answer.name.clone(),
            namespace: answer.namespace.clone(),
            labels: answer.labels.clone(),
            resource_version: answer.resource_version.clone(),
            ..ObjectMeta::default()
        }))
    }

    /// As [`written`](Self::written), of metadata that is kept anyway.
    fn answered(meta: Arc<ObjectMeta>) -> Self {
        let version = Version::new(meta.resource_version.as_deref().unwrap_or_default());
        WriteEffect::Written { version, meta }
    }
}

/// Waits until the caches show these writes, no longer than `within`. The error says what could not be seen by then.
pub(crate) async fn writes_shown(
    caches: &ControllerCaches,
    writes: &VecDeque<TrackedWrite>,
    within: Duration,
) -> Result<(), WaitError> {
    if writes.iter().all(|write| write.is_passed(caches)) {
        return Ok(());
    }
    match all_shown(caches, writes, clock::from_now(within)).await {
        Err(passed @ (WaitError::DeadlinePassed { .. } | WaitError::Failed { .. })) => Err(passed),
        // Of what was written before the server went back, nothing will be seen.
        _ => Ok(()),
    }
}

/// One after the other, which takes no longer than the last of them: all have the same deadline.
async fn all_shown(
    caches: &ControllerCaches,
    writes: &VecDeque<TrackedWrite>,
    deadline: Instant,
) -> Result<(), WaitError> {
    for write in writes {
        write.shown(caches, deadline).await?;
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
    async fn what_was_seen_is_not_remembered_for_ever_and_what_was_not_is() {
        let server = ApiServer::start().await;
        let version = server.put("secrets", json!({ "metadata": { "name": "s" } }));
        let factory = SharedInformerFactory::new(server.client());
        let secrets = factory.informer::<Secret>();
        let running = factory.start();
        running.synced().await.unwrap();
        let mut caches = ControllerCaches::default();
        caches.push(ControllerCache { projection: Projection::Full, informer: secrets.seen_as() });

        let pending_writes = PendingWrites::default();
        for at in 0..5 * SWEEP_ABOVE_REQUESTS {
            pending_writes.record(&caches, &request(at), write(version));
            assert!(pending_writes.requests() <= SWEEP_ABOVE_REQUESTS);
        }
        let unseen = 3 * SWEEP_ABOVE_REQUESTS;
        for at in 0..unseen {
            pending_writes.record(&caches, &request(at), write(version + 1_000_000));
        }
        assert!((unseen..unseen + SWEEP_ABOVE_REQUESTS).contains(&pending_writes.requests()));
        assert!((0..unseen).all(|at| !pending_writes.take(&request(at)).is_empty()));
        running.shutdown().await;
    }

    #[tokio::test(start_paused = true)]
    async fn of_one_request_the_last_writes_are_remembered_and_of_unwatched_kinds_none() {
        let server = ApiServer::start().await;
        let factory = SharedInformerFactory::new(server.client());
        let mut caches = ControllerCaches::default();
        let pending_writes = PendingWrites::default();
        pending_writes.record(&caches, &request(0), write(1));
        assert_eq!(pending_writes.requests(), 0);
        let informer = factory.informer::<Secret>().seen_as();
        caches.push(ControllerCache { projection: Projection::Full, informer });
        for version in 0..2 * WRITES_PER_REQUEST_MAX as u64 {
            pending_writes.record(&caches, &request(0), write(version));
        }
        let remembered = pending_writes.take(&request(0));
        assert_eq!(remembered.len(), WRITES_PER_REQUEST_MAX);
        let Some(TrackedWrite { effect: WriteEffect::Written { meta: last, .. }, .. }) = remembered.back()
        else {
            panic!("a write")
        };
        let version = (2 * WRITES_PER_REQUEST_MAX - 1).to_string();
        assert_eq!(last.resource_version.as_deref(), Some(version.as_str()));
    }
}
