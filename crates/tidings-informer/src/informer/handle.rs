//! The handle that users hold: an informer, seen as a `K`.

pub(crate) mod keep_alive;
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

/// One watch and one cache of a resource, shared by everyone who asks for it, and seen here as a `K`.
///
/// # What it promises
///
/// 1. **Convergence.** Whatever happens on the way, once the faults end the cache equals the server's state.
/// 2. **Order.** What a handler hears of one object is a subsequence of that object's versions, in order, that
///    deleted_at with its last state. With the default queue this holds over all objects. No handler ever sees an
///    object go back, nor the same change twice.
/// 3. **Readers first.** When a handler hears of a change, the cache and its indexes already have it.
/// 4. **One at a time.** A handler is called by one task, one notification after the other; handlers do not wait
///    for each other. A handler blocks its task while it runs.
/// 5. **Late is not lost.** A handler added at any time is told everything that is there as initial additions,
///    then everything that happens.
/// 6. **Bounded.** A handler that falls behind has its pending notifications merged by object. The view that it builds
///    from its calls still converges to the cache, or to the part of it that matches its
///    [filter](crate::informer::Handler::filter), and every object that it received and that is gone is reported as deleted. What lies
///    in between may be missing: a [subscriber](crate::informer::Handler::subscriber) receives every change.
/// 7. **Faults stay where they are.** An object that can't be decoded is an error to its reader; a panic in a
///    handler costs that one call (with `panic = "unwind"`). Every failure reaches the error hook.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::indexer::Index;
/// use tidings_informer::informer::{Handler, SharedInformer};
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

    /// How it is called in diagnostics.
    pub fn name(&self) -> &str {
        &self.shared.config.name
    }

    /// Its resource.
    pub fn resource(&self) -> &ResourceKind {
        &self.shared.resource
    }

    /// The same informer, seen as another type: one watch, one cache.
    pub fn seen_as<T>(&self) -> SharedInformer<T> {
        SharedInformer::new(Arc::clone(&self.shared), Arc::clone(&self.keep_alive))
    }

    /// What keeps the informer running as long as someone holds it.
    pub(crate) fn keep_alive(&self) -> &Arc<KeepAlive> {
        &self.keep_alive
    }

    /// The cache without a view.
    pub fn reader(&self) -> &Reader {
        &self.shared.reader
    }

    /// Adds an index; on a full cache it is built in the background and can be used when complete.
    pub fn add_index(&self, index: Index) -> Result<(), InformerError> {
        if self.lifecycle() == Lifecycle::Stopped {
            return Err(self.has_stopped(format!("index {:?}", index.name())));
        }
        // Otherwise each object would be unpacked for the index as soon as it was packed.
        let path = index.field_path().cloned();
        let added = self.shared.reader.add_index(index);
        if let (Some(path), Ok(())) = (path, &added) {
            self.shared.intake.origin().prefetch_field(&path);
        }
        self.shared.wake.notify_one();
        added.map_err(|source| self.index_error(source))
    }

    /// Waits until an index is complete. One that nobody added, or that was removed, is an error.
    pub async fn index_built(&self, name: &str) -> Result<(), InformerError> {
        let mut published = self.shared.progress.subscribe();
        loop {
            // Under its lock, as every look at what is published that is to be woken.
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

    /// Takes other namespaces from now on: objects of those that are left are deleted, with notifications, and those of new
    /// ones are added, to handlers that have synced not as initial ones.
    ///
    /// This changes the informer of everyone who holds it. A factory no longer gives it to others: who asks for the namespaces
    /// that it had at first gets a new informer, which follows those.
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
        self.follow(scopes)
    }

    /// Takes all namespaces from now on, as [`set_namespaces`](Self::set_namespaces) takes some.
    pub fn set_all_namespaces(&self) -> Result<(), InformerError> {
        self.follow(vec![StreamScope::All])
    }

    fn follow(&self, mut scopes: Vec<StreamScope>) -> Result<(), InformerError> {
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

    /// Whether its namespaces were changed since it was made.
    pub fn is_redirected(&self) -> bool {
        self.shared.registry.lock().is_redirected
    }

    /// Whether the first lists have been applied to the cache.
    pub fn is_synced(&self) -> bool {
        self.shared.synced.initialized()
    }

    /// Waits until [`is_synced`](Self::is_synced). An informer that stops before says so.
    pub async fn synced(&self) -> Result<(), WaitError> {
        Ok(self.shared.wait_synced().await?)
    }

    /// Why it is not synced yet.
    pub fn unsynced(&self) -> Unsynced {
        self.shared.unsynced()
    }

    /// The informer without keeping it alive.
    pub fn downgrade(&self) -> WeakInformer {
        WeakInformer::new(&self.shared, &self.keep_alive)
    }

    /// Waits until every change up to `version` can be read, over all its namespaces. When nothing changes that
    /// takes until the next bookmark, about a minute: to read one's own writes,
    /// [`wait_for_object`](Self::wait_for_object) is quicker.
    pub async fn wait_for(&self, version: &Version, within: Duration) -> Result<(), WaitError> {
        self.shared.wait_for(version, clock::from_now(within)).await
    }

    /// Waits until the cache has that version of the object, or a newer one, or has passed it.
    pub async fn wait_for_object(
        &self,
        key: &Key,
        version: &Version,
        within: Duration,
    ) -> Result<(), WaitError> {
        self.shared.wait_for_object(key, version, clock::from_now(within)).await
    }

    /// Waits until the cache has what a write answered with: pass the metadata of that answer. An object that is
    /// neither cached nor matched by the informer's label selector is not waited for.
    pub async fn wait_for_written(&self, written: &ObjectMeta, within: Duration) -> Result<(), WaitError> {
        self.shared.wait_for_written(written, clock::from_now(within)).await
    }

    /// Waits until the object with that uid is gone from the cache.
    pub async fn wait_for_deletion(&self, key: &Key, uid: &str, within: Duration) -> Result<(), WaitError> {
        self.shared.wait_for_deletion(key, uid, clock::from_now(within)).await
    }

    /// Waits until `is_wanted` says yes of the object as it is cached, or of its absence. It is asked once the informer
    /// has synced, and again whenever the cached object has changed.
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

    /// How it is doing.
    pub fn health(&self) -> Health {
        self.shared.health()
    }

    /// Its figures.
    pub fn stats(&self) -> InformerStats {
        self.shared.stats()
    }

    /// Where it stands.
    pub fn lifecycle(&self) -> Lifecycle {
        self.shared.registry.lock().lifecycle
    }

    /// Stops it for everyone: what is pending is delivered, within its deadline.
    pub fn stop(&self) {
        self.shared.stop.cancel();
    }

    /// Waits until it has stopped: every handler has returned, or the deadline for that has passed.
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
    /// Adds a handler, at any time. It receives all cached objects as initial additions, then every change. It keeps the
    /// informer running until it is removed.
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

    /// The same notifications as a `Stream`, with the same promises.
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
        self.seen_as()
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
