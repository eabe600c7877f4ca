//! Waits for a version, an object or a deletion in the cache. Clients need this to read their own writes.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tidings_object::{Key, RawObject, Version};
use tokio::time::{Instant, timeout_at};

use crate::informer::apply::progress::Progress;
use crate::informer::error::WaitError;
use crate::informer::handle::SharedInformer;
use crate::informer::shared::Shared;

/// The result of one check of the cache.
enum WaitCheck {
    Satisfied,
    Pending,
    Impossible(WaitError),
}

impl<K> SharedInformer<K> {
    /// How often the versions of the server went back, such as by a restore. After that, the cache never reaches
    /// versions of before.
    pub fn epoch(&self) -> u64 {
        self.shared.progress.borrow().epoch()
    }
}

impl Shared {
    /// Waits until every change up to `version`, of every stream, can be read.
    pub(crate) async fn wait_for(&self, version: &Version, deadline: Instant) -> Result<(), WaitError> {
        if version.number().is_none() {
            return Err(WaitError::NoOrder { version: version.to_string() });
        }
        let look = |progress: &Progress| match progress.version() {
            Some(reached) if reached.is_at_least(version) => WaitCheck::Satisfied,
            _ => WaitCheck::Pending,
        };
        self.wait_until(|| format!("version {version}"), None, deadline, look).await
    }

    /// Waits until the cached object has that version or a newer one, or the stream that contains it has passed that
    /// version.
    pub(crate) async fn wait_for_object(
        &self,
        key: &Key,
        version: &Version,
        deadline: Instant,
    ) -> Result<(), WaitError> {
        let what = || format!("{} {key} at version {version}", self.resource);
        let look = |progress: &Progress| {
            let stream = progress.responsible_for(key.namespace());
            // The stream first: usually it has passed the version, and then no lookup of the object is needed.
            let is_passed = stream.flatten().is_some_and(|reached| reached.is_at_least(version));
            let has_it = || self.reader.get(key).is_some_and(|cached| cached.version().is_at_least(version));
            match stream {
                _ if is_passed || has_it() => WaitCheck::Satisfied,
                None => WaitCheck::Impossible(WaitError::NotWatched { what: what() }),
                Some(_) => WaitCheck::Pending,
            }
        };
        self.wait_until(what, key.namespace(), deadline, look).await
    }

    /// As [`wait_for_object`](Self::wait_for_object), for the metadata in the answer to a write.
    pub(crate) async fn wait_for_written(
        &self,
        written: &ObjectMeta,
        deadline: Instant,
    ) -> Result<(), WaitError> {
        let missing = |missing| WaitError::NotWritten { missing };
        let version = written.resource_version.as_deref().ok_or_else(|| missing("resourceVersion"))?;
        let name = written.name.as_deref().ok_or_else(|| missing("name"))?;
        let key = Key::new(written.namespace.as_deref(), name).map_err(|_| missing("name"))?;
        let label = |name: &str| written.labels.as_ref()?.get(name).map(String::as_str);
        if !self.config.label_selector.matches(label) && self.reader.get(&key).is_none() {
            return Err(WaitError::NotWatched { what: format!("{} {key} with its labels", self.resource) });
        }
        self.wait_for_object(&key, &Version::new(version), deadline).await
    }

    /// Waits until the object with that uid is no longer cached.
    pub(crate) async fn wait_for_deletion(
        &self,
        key: &Key,
        uid: &str,
        deadline: Instant,
    ) -> Result<(), WaitError> {
        let look = |_: &Progress| match self.reader.get(key) {
            Some(cached) if cached.uid() == uid => WaitCheck::Pending,
            _ => WaitCheck::Satisfied,
        };
        let what = || format!("deletion of {} {key}", self.resource);
        self.wait_until(what, key.namespace(), deadline, look).await
    }

    /// Waits until `is_wanted` returns true for the cached object. The first check is after the informer has synced,
    /// because an absent object means nothing before. Each further check is after a change of the object.
    pub(crate) async fn wait_until_object(
        &self,
        key: &Key,
        deadline: Instant,
        mut is_wanted: impl FnMut(Option<&Arc<RawObject>>) -> bool,
    ) -> Result<(), WaitError> {
        let what = || format!("{} {key} as wanted", self.resource);
        let passed = || WaitError::DeadlinePassed { what: what(), reached: self.reader.version() };
        let synced = timeout_at(deadline, self.wait_synced()).await.map_err(|_| passed())?;
        synced.map_err(|_| self.ended(None, what()))?;
        let mut progress = self.progress.subscribe();
        let mut looked_at = None;
        loop {
            // Marked as seen before the check: a publication after the check wakes this task.
            if progress.borrow_and_update().responsible_for(key.namespace()).is_none() {
                return Err(WaitError::NotWatched { what: what() });
            }
            let cached = self.reader.get(key);
            if !looked_at.as_ref().is_some_and(|last| is_same(last, &cached)) {
                if is_wanted(cached.as_ref()) {
                    return Ok(());
                }
                looked_at = Some(cached);
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return Err(self.ended(key.namespace(), what())),
                failure = self.failures.wait(key.namespace()) => {
                    return Err(WaitError::Failed { what: what(), failure: Box::new(failure) });
                }
                changed = progress.changed() => changed.expect("the sender is ours"),
                () = tokio::time::sleep_until(deadline) => return Err(passed()),
            }
        }
    }

    /// The error of a wait that ends because the informer does.
    fn ended(&self, namespace: Option<&str>, what: String) -> WaitError {
        match self.failures.of(namespace) {
            Some(failure) => WaitError::Failed { what, failure: Box::new(failure) },
            None => WaitError::Stopped { what },
        }
    }

    /// Checks, and waits for the next publication, until the condition is true. `what` is a function because most
    /// waits succeed at the first check, and then need no text.
    async fn wait_until(
        &self,
        what: impl Fn() -> String,
        namespace: Option<&str>,
        deadline: Instant,
        look: impl Fn(&Progress) -> WaitCheck,
    ) -> Result<(), WaitError> {
        let mut progress = self.progress.subscribe();
        let epoch = progress.borrow().epoch();
        loop {
            {
                let now = progress.borrow_and_update();
                match look(&now) {
                    WaitCheck::Satisfied => return Ok(()),
                    WaitCheck::Impossible(error) => return Err(error),
                    WaitCheck::Pending if now.epoch() != epoch => {
                        return Err(WaitError::WentBack { what: what() });
                    }
                    WaitCheck::Pending => {}
                }
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return Err(self.ended(namespace, what())),
                failure = self.failures.wait(namespace) => {
                    return Err(WaitError::Failed { what: what(), failure: Box::new(failure) });
                }
                changed = progress.changed() => changed.expect("the sender is ours"),
                () = tokio::time::sleep_until(deadline) => {
                    let reached = self.reader.version();
                    return Err(WaitError::DeadlinePassed { what: what(), reached });
                }
            }
        }
    }
}

/// Whether both are the same allocation, or both are absent.
fn is_same(one: &Option<Arc<RawObject>>, other: &Option<Arc<RawObject>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}
