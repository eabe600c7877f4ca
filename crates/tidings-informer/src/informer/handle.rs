//! The handle of an informer, typed. Methods that need the informer's task leave a request in the registry and wake
//! the task.

pub(crate) mod keep_alive;
mod prefetch;
pub(crate) mod publications;
pub(crate) mod registration;
pub(crate) mod wait;
pub(crate) mod weak;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tidings_object::{Key, Object, ResourceKind, Version};
use tidings_source::StreamScope;
use tidings_util::clock;

use crate::indexer::{Index, IndexError, Reader};
use crate::informer::deliver::callback::Callback;
use crate::informer::deliver::mailbox::{CallerRuns, Mailbox, Overflow};
use crate::informer::deliver::resync::effective_period;
use crate::informer::deliver::stream::Notifications;
use crate::informer::error::{InformerError, Unsynced, WaitError};
use crate::informer::handle::keep_alive::KeepAlive;
use crate::informer::handle::registration::Registration;
use crate::informer::handle::weak::WeakInformer;
use crate::informer::handler::{Handler, MailboxOptions, Receiver};
use crate::informer::observe::health::Health;
use crate::informer::observe::stats::InformerStats;
use crate::informer::shared::{Lifecycle, Shared};

/// One list and watch and one cache of a resource, shared by all its users, and seen as a `K`. This is a handle:
/// clones, and handles of other types from [`cast`](Self::cast), share the informer.
///
/// # Guarantees
///
/// `docs/contract.md` names the tests that check each of these.
///
/// **Convergence.** The cache follows the server. After the last fault it equals the server's state. It may be behind
/// by any amount of time: it says how far it is ([`Lister::version`](crate::lister::Lister::version)), and
/// [`wait_for_written`](Self::wait_for_written) waits for one's own writes.
///
/// **Consistency of reads.** A read never waits for the informer and never makes a request. A
/// [snapshot](crate::indexer::Snapshot) is one state of all objects and indexes. Two reads without a snapshot may see
/// two states.
///
/// **Cache first.** When a handler receives a notification, the cache and its indexes already contain the change. They
/// may already contain later changes too.
///
/// **Order.** A handler receives the states of one object in order, ends with its last state, and never receives a
/// state that is older than the one before, unless the server itself was restored from a backup. With the default
/// queue the order holds over all objects of a stream. There is no order between handlers.
///
/// **Completeness.** A handler receives every object that exists, and the deletion of every object that it received.
/// It need not receive each state in between: pending notifications of a slow handler merge by object, and changes
/// during a disconnection are seen as one. A [subscriber](crate::informer::Handler::subscriber) receives every change
/// that the informer saw.
///
/// **Late handlers.** A handler may be added at any time. It first receives all cached objects as initial additions,
/// then every change. It has synced when it has returned from the last initial addition, not when the cache is filled.
///
/// **Isolation of handlers.** Each handler has its own task and its own bounded mailbox, and one call at a time. A
/// slow handler delays no other handler and not the cache. This does not hold for subscribers, which slow the
/// informer.
///
/// **Missed deletions.** An object that was deleted without an event is reported as deleted after the next list, in
/// its last known state, with `is_final_state_unknown`. If another object of the same name exists then, the deletion
/// of the first one is delivered before the addition of the second.
///
/// **Contained failures.** An object that can't be decoded is an error for its reader only. A panic in a handler costs
/// that call (with `panic = "unwind"`). Requests are retried for ever, with a backoff, unless a
/// [`StopPolicy`](crate::reflector::StopPolicy) says otherwise. Every fault reaches the error hook; none is reported
/// twice.
///
/// **End.** The informer stops when [`stop`](Self::stop) is called, or when the last handle, lister, stream and
/// handler is dropped. Pending notifications are delivered, within a deadline. The cache stays readable. It can't be
/// started again.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::indexer::Index;
/// use tidings_informer::{Handler, SharedInformer};
///
/// # fn example(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// pods.add_index(Index::field("node", ".spec.nodeName"))?;
/// pods.add_handler(Handler::new().on_add(|pod, _is_initial| println!("[ADD] {}", pod.key())))?;
/// for pod in pods.lister().by_index("node", "node-1")? {
///     println!("{} is {:?}", pod.name(), pod.field(".status.phase")?.text());
/// }
/// # Ok(())
/// # }
/// ```
pub struct SharedInformer<K> {
    shared: Arc<Shared>,
    keep_alive: Arc<KeepAlive>,
    view: PhantomData<fn() -> K>,
}

impl<K> SharedInformer<K> {
    pub(crate) fn new(shared: Arc<Shared>, keep_alive: Arc<KeepAlive>) -> Self {
        SharedInformer { shared, keep_alive, view: PhantomData }
    }

    /// Its name in logs, metrics and errors.
    pub fn name(&self) -> &str {
        &self.shared.config.name
    }

    /// Its resource.
    pub fn resource(&self) -> &ResourceKind {
        &self.shared.resource
    }

    /// The same informer, viewed as another type. Both share one watch and one cache.
    pub fn cast<T>(&self) -> SharedInformer<T> {
        SharedInformer::new(Arc::clone(&self.shared), Arc::clone(&self.keep_alive))
    }

    /// Keeps the informer running while it is held.
    pub(crate) fn keep_alive(&self) -> &Arc<KeepAlive> {
        &self.keep_alive
    }

    /// The cache, untyped.
    pub fn reader(&self) -> &Reader {
        &self.shared.reader
    }

    /// Adds an index. If the cache is already filled, the index is built in the background, and reads of it are errors
    /// until it is complete.
    pub fn add_index(&self, index: Index) -> Result<(), InformerError> {
        if self.lifecycle() == Lifecycle::Stopped {
            return Err(self.has_stopped(format!("index {:?}", index.name())));
        }
        // The intake reads the field when an object arrives. Otherwise each body would be unpacked for the index right
        // after it was packed.
        let path = index.field_path().cloned();
        let added = self.shared.reader.add_index(index);
        if let (Some(path), Ok(())) = (path, &added) {
            self.shared.intake.origin().prefetch_field(&path);
        }
        self.shared.wake.notify_one();
        added.map_err(|source| self.index_error(source))
    }

    /// Waits until an index is complete. It is an error if there is no such index.
    pub async fn index_built(&self, name: &str) -> Result<(), InformerError> {
        let mut published = self.shared.progress.subscribe();
        loop {
            // Marked as seen before the check: a publication after the check wakes this task.
            drop(published.borrow_and_update());
            match self.shared.reader.index_values(name) {
                Ok(_) => return Ok(()),
                Err(IndexError::Building { .. }) => {}
                Err(source) => return Err(self.index_error(source)),
            }
            tokio::select! {
                biased;
                _ = published.changed() => {}
                () = self.shared.stop.cancelled() => return Err(self.has_stopped(format!("index {name:?}"))),
            }
        }
    }

    /// Removes an index.
    pub fn remove_index(&self, name: &str) -> Result<(), InformerError> {
        let removed = self.shared.reader.remove_index(name);
        self.shared.wake.notify_one();
        removed.map_err(|source| self.index_error(source))
    }

    /// Follows these namespaces from now on. The objects of other namespaces are removed, with notifications. The
    /// objects of new namespaces are added; for handlers that have synced, these are not initial additions.
    ///
    /// This changes the informer for all its users. A factory does not return it again: a request for its original
    /// namespaces creates a new informer.
    pub fn set_namespaces<N: Into<Arc<str>>>(
        &self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Result<(), InformerError> {
        let scopes: Vec<_> = namespaces.into_iter().map(|name| StreamScope::Namespace(name.into())).collect();
        for scope in &scopes {
            scope.check().map_err(|source| {
                let informer = self.name().to_owned();
                InformerError::Namespace { informer, source }
            })?;
        }
        self.set_scopes(scopes)
    }

    /// Follows all namespaces from now on, as [`set_namespaces`](Self::set_namespaces) follows some.
    pub fn set_all_namespaces(&self) -> Result<(), InformerError> {
        self.set_scopes(vec![StreamScope::All])
    }

    fn set_scopes(&self, mut scopes: Vec<StreamScope>) -> Result<(), InformerError> {
        scopes.sort();
        scopes.dedup();
        let mut registry = self.shared.registry.lock();
        if registry.lifecycle == Lifecycle::Stopped {
            drop(registry);
            return Err(self.has_stopped("namespaces".to_owned()));
        }
        registry.is_redirected |= registry.scopes != scopes;
        registry.scopes = scopes;
        drop(registry);
        self.shared.wake.notify_one();
        Ok(())
    }

    /// Whether its namespaces were changed since it was created.
    pub fn is_redirected(&self) -> bool {
        self.shared.registry.lock().is_redirected
    }

    /// Whether the first lists have been applied to the cache.
    pub fn is_synced(&self) -> bool {
        self.shared.synced.initialized()
    }

    /// Waits until [`is_synced`](Self::is_synced). It is an error if the informer stops before that.
    pub async fn synced(&self) -> Result<(), WaitError> {
        Ok(self.shared.wait_synced().await?)
    }

    /// Why it has not synced yet.
    pub fn unsynced(&self) -> Unsynced {
        self.shared.unsynced()
    }

    /// A reference that does not keep the informer running.
    pub fn downgrade(&self) -> WeakInformer {
        WeakInformer::new(&self.shared, &self.keep_alive)
    }

    /// Waits until the cache contains every change up to `version`, in all its namespaces. If nothing changes, this
    /// takes until the next bookmark, about a minute. To read one's own writes,
    /// [`wait_for_object`](Self::wait_for_object) is faster.
    pub async fn wait_for(&self, version: &Version, within: Duration) -> Result<(), WaitError> {
        self.shared.wait_for(version, clock::from_now(within)).await
    }

    /// Waits until the cache has that version of the object or a newer one, or has passed that version.
    pub async fn wait_for_object(
        &self,
        key: &Key,
        version: &Version,
        within: Duration,
    ) -> Result<(), WaitError> {
        self.shared.wait_for_object(key, version, clock::from_now(within)).await
    }

    /// Waits until the cache contains a write. `written` is the metadata in the answer to the write. It is an error if
    /// the object is not cached and does not match the informer's label selector.
    pub async fn wait_for_written(&self, written: &ObjectMeta, within: Duration) -> Result<(), WaitError> {
        self.shared.wait_for_written(written, clock::from_now(within)).await
    }

    /// Waits until the object with that uid is no longer cached.
    pub async fn wait_for_deletion(&self, key: &Key, uid: &str, within: Duration) -> Result<(), WaitError> {
        self.shared.wait_for_deletion(key, uid, clock::from_now(within)).await
    }

    /// Waits until `is_wanted` returns true for the cached object, or for `None` if there is none. It is called when
    /// the informer has synced, and again after each change of the object.
    pub async fn wait_until(
        &self,
        key: &Key,
        within: Duration,
        mut is_wanted: impl FnMut(Option<&Object<K>>) -> bool,
    ) -> Result<(), WaitError> {
        let is_wanted = |cached: Option<&Arc<_>>| {
            is_wanted(cached.map(|cached| Object::new(Arc::clone(cached))).as_ref())
        };
        self.shared.wait_until_object(key, clock::from_now(within), is_wanted).await
    }

    /// Its health.
    pub fn health(&self) -> Health {
        self.shared.health()
    }

    /// Its statistics.
    pub fn stats(&self) -> InformerStats {
        self.shared.stats()
    }

    /// Its lifecycle.
    pub fn lifecycle(&self) -> Lifecycle {
        self.shared.registry.lock().lifecycle
    }

    /// Stops the informer for all its users. Pending notifications are delivered, within its deadline.
    pub fn stop(&self) {
        self.shared.stop.cancel();
    }

    /// Waits until it has stopped: all handlers have returned, or the deadline for that has passed.
    pub async fn stopped(&self) {
        self.shared.stopped.wait().await;
    }

    fn register(
        &self,
        options: MailboxOptions,
        call: Option<Callback>,
        overflow: impl FnOnce(usize) -> Overflow,
        keep_alive: Option<Arc<KeepAlive>>,
    ) -> Result<Arc<Mailbox>, InformerError> {
        if options.name.as_deref() == Some("") {
            return Err(self.invalid_handler("its name is empty"));
        }
        let mut registry = self.shared.registry.lock();
        let name = options.name.unwrap_or_else(|| {
            registry.next_handler_number += 1;
            format!("handler-{}", registry.next_handler_number)
        });
        if registry.lifecycle == Lifecycle::Stopped || self.shared.stop.is_cancelled() {
            drop(registry);
            return Err(self.has_stopped(format!("handler {name:?}")));
        }
        let config = &self.shared.config;
        let period = effective_period(options.resync, config.resync);
        let bound = options.merge_above.unwrap_or(config.merge_above);
        let mailbox = Arc::new(Mailbox::new(name, overflow(bound), period, keep_alive));
        registry.new_handlers.push((Arc::clone(&mailbox), call));
        drop(registry);
        self.shared.wake.notify_one();
        Ok(mailbox)
    }

    fn invalid_handler(&self, problem: &'static str) -> InformerError {
        InformerError::InvalidHandler { informer: self.name().to_owned(), problem }
    }

    fn has_stopped(&self, what: String) -> InformerError {
        match self.shared.failures.panic() {
            Some(failure) => InformerError::Failed { what, failure: Box::new(failure) },
            None => InformerError::Stopped { what, informer: self.name().to_owned() },
        }
    }

    fn index_error(&self, source: IndexError) -> InformerError {
        InformerError::Index { informer: self.name().to_owned(), source }
    }
}

impl<K: 'static> SharedInformer<K> {
    /// Adds a handler, at any time. It receives all cached objects as initial additions, then every change. It keeps
    /// the informer running until it is removed.
    pub fn add_handler(&self, handler: Handler<K>) -> Result<Registration, InformerError> {
        let (options, receiver) = handler.into_parts().map_err(|problem| self.invalid_handler(problem))?;
        let keep_alive = Some(Arc::clone(&self.keep_alive));
        let mailbox = match receiver {
            Receiver::Handler(callback) => {
                self.register(options, Some(callback), Overflow::Merge, keep_alive)?
            }
            Receiver::Subscriber(shared) => {
                let own = Arc::clone(&shared);
                let callback: Callback = Box::new(move |notification| own(notification));
                let (reporter, stop) = (Arc::clone(&self.shared.reporter), self.shared.stop.clone());
                let overflow = |above| Overflow::CallerRuns(shared, CallerRuns { above, reporter, stop });
                self.register(options, Some(callback), overflow, keep_alive)?
            }
        };
        Ok(Registration::new(mailbox, &self.shared))
    }

    /// The notifications as a `Stream`, with the same guarantees as for a handler.
    pub fn notifications(&self) -> Result<Notifications<K>, InformerError> {
        self.notifications_with(Handler::new())
    }

    /// As [`notifications`](Self::notifications), with the name, the resync period and the bound of a handler without
    /// functions.
    pub fn notifications_with(&self, options: Handler<K>) -> Result<Notifications<K>, InformerError> {
        let options = options.into_stream_options().map_err(|problem| self.invalid_handler(problem))?;
        let mailbox = self.register(options, None, Overflow::Merge, None)?;
        Ok(Notifications::new(mailbox, Arc::clone(&self.keep_alive)))
    }
}

impl<K> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        self.cast()
    }
}

impl<K> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("name", &self.name())
            .field("lifecycle", &self.lifecycle())
            .field("is_synced", &self.is_synced())
            .finish_non_exhaustive()
    }
}
