//! Waits for publications of the cache, for code that follows the whole cache by comparing snapshots. It receives no
//! notifications, so it can neither fall behind nor slow the informer.

use std::fmt;
use std::sync::{Arc, Weak};

use tidings_util::watch;

use crate::informer::apply::progress::Progress;
use crate::informer::error::WaitError;
use crate::informer::handle::SharedInformer;
use crate::informer::shared::Shared;

/// Waits until the cache has changed. It does not keep the informer running.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::SharedInformer;
///
/// # async fn example(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let mut publications = pods.publications();
/// let mut before = pods.lister().snapshot();
/// loop {
///     publications.changed().await?;
///     let now = pods.lister().snapshot();
///     println!("{} objects changed", now.changes_since(&before).len());
///     before = now;
/// }
/// # }
/// ```
pub struct Publications {
    progress: watch::Receiver<Progress>,
    shared: Weak<Shared>,
    name: String,
}

impl<K> SharedInformer<K> {
    /// Waits for publications of the cache. Everything that is published from now on counts as a change.
    pub fn publications(&self) -> Publications {
        Publications {
            progress: self.shared.progress.subscribe(),
            shared: Arc::downgrade(&self.shared),
            name: self.name().to_owned(),
        }
    }
}

impl Publications {
    /// Waits until something was published since the last call. Several publications may be one change. A publication
    /// need not change an object: it may only raise the version. It is an error if the informer stops.
    pub async fn changed(&mut self) -> Result<(), WaitError> {
        let stopped = || WaitError::Stopped { what: format!("a change of {}", self.name) };
        let Some(stop) = self.shared.upgrade().map(|shared| shared.stop.clone()) else {
            return Err(stopped());
        };
        tokio::select! {
            biased;
            changed = self.progress.changed() => changed.map_err(|_| stopped()),
            () = stop.cancelled() => Err(stopped()),
        }
    }
}

impl fmt::Debug for Publications {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Publications").field("informer", &self.name).finish_non_exhaustive()
    }
}
