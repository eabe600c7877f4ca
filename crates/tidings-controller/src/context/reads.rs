//! Fresh reads: the caches of the controller, at least as new as everything that this process has written through a
//! context.
//!
//! A read that has nothing to wait for does not suspend: it compares the version of the cache with the newest version
//! that was written. Otherwise it waits, at most for a bound, until the cache shows the writes that it depends on.
//! What happens at the bound is chosen by [`LateReads`].

use std::any::type_name;
use std::fmt;
use std::future::{IntoFuture, Ready, ready};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either};
use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use serde::de::DeserializeOwned;
use tidings_informer::WaitError;
use tidings_informer::indexer::Snapshot;
use tidings_object::{Key, Kind, LabelSelector, Object, Projection, RawObject, ResourceKind};
use tidings_util::clock;

use super::{Context, live};
use crate::caches::ControllerCache;
use crate::error::ControllerError;
use crate::reconciler::Error;
use crate::writes::{ReadScope, shown_by};

/// What a read does if the cache does not show this process's own writes within the bound. See
/// [`late_reads`](crate::ControllerBuilder::late_reads).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LateReads {
    /// The read is an error. The request is retried after its backoff.
    #[default]
    Fail,
    /// The read is sent to the server. Reads by index are an error also then, because a server has no indexes.
    Live,
}

/// How fresh reads wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FreshReads {
    /// Zero: no wait.
    pub(crate) within: Duration,
    pub(crate) late: LateReads,
}

impl FreshReads {
    /// Whether reads return what the cache has, however old.
    fn is_off(self) -> bool {
        self.within.is_zero() && self.late == LateReads::Fail
    }
}

/// A list from a cache, which waits for this process's own writes. See [`Context::list`].
#[must_use = "a list is read when it is awaited"]
pub struct ListRead<K> {
    context: Context,
    resource: ResourceKind,
    projection: Projection,
    declaration: String,
    filter: ListFilter,
    view: PhantomData<fn() -> K>,
}

/// Which objects of a kind a list contains.
#[derive(Debug, Default)]
pub(super) struct ListFilter {
    pub(super) namespace: Option<String>,
    pub(super) selector: Option<LabelSelector>,
    indexes: Vec<(String, String)>,
}

impl Context {
    /// The object with this key from the controller's cache, decoded, or `None` if there is none. Most reconcilers
    /// begin with `context.get::<K>(&request)`.
    ///
    /// The object is at least as new as everything that this process has written to it through a context: in this
    /// reconcile, in another one, or in another controller of the same factory. After a deletion it is absent. If the
    /// cache does not show such a write yet, this waits, at most for
    /// [`write_wait_max`](crate::ControllerBuilder::write_wait_max); after that, [`LateReads`] applies. With nothing
    /// to wait for it does not suspend. It sends no request to the server.
    ///
    /// # Errors
    ///
    /// If the controller neither watches nor reads this kind, if the cache is late, or if the object can't be decoded
    /// as a `K`.
    pub async fn get<K>(&self, key: &Key) -> Result<Option<Arc<K>>, Error>
    where
        K: Kind + DeserializeOwned + Send + Sync + 'static,
    {
        let found = match self.cache_of::<K>(Projection::Full, "reads") {
            Ok(cache) => self.read(cache, key).await?,
            Err(not_declared) => self.read_body(&K::resource(), key).await.unwrap_or(Err(not_declared))?,
        };
        Ok(found.map(|object| Object::<K>::new(object).decoded()).transpose()?)
    }

    /// As [`get`](Self::get), for kinds of which the controller caches only the metadata.
    pub async fn get_metadata<K: Kind>(
        &self,
        key: &Key,
    ) -> Result<Option<Object<PartialObjectMeta<K>>>, Error> {
        let cache = self.cache_of::<K>(Projection::Metadata, "reads_metadata")?;
        Ok(self.read(cache, key).await?.map(Object::new))
    }

    /// As [`get`](Self::get), for a resource that is known only at run time.
    pub async fn get_of(
        &self,
        resource: &ResourceKind,
        key: &Key,
    ) -> Result<Option<Arc<DynamicObject>>, Error> {
        let cache = self.cache(resource, Projection::Full, format_args!("reads_resource(…)"))?;
        let found = self.read(cache, key).await?;
        Ok(found.map(|object| Object::<DynamicObject>::new(object).decoded()).transpose()?)
    }

    /// The objects of a kind from the controller's cache, at least as new as everything that this process has written
    /// to this kind through a context. It waits as [`get`](Self::get) does. Nothing is decoded.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use tidings_controller::{Context, Error};
    ///
    /// async fn count(context: &Context) -> Result<usize, Error> {
    ///     context.api::<Pod>().delete("web-0").await?;
    ///     let pods = context.list::<Pod>().namespace("shop").select("app=web".parse()?).await?;
    ///     assert!(pods.iter().all(|pod| pod.name() != "web-0" || pod.deletion_timestamp().is_some()));
    ///     Ok(pods.len())
    /// }
    /// ```
    pub fn list<K: Kind>(&self) -> ListRead<K> {
        self.list_read(K::resource(), Projection::Full, declaration::<K>("reads"))
    }

    /// As [`list`](Self::list), for kinds of which the controller caches only the metadata.
    pub fn list_metadata<K: Kind>(&self) -> ListRead<PartialObjectMeta<K>> {
        self.list_read(K::resource(), Projection::Metadata, declaration::<K>("reads_metadata"))
    }

    /// As [`list`](Self::list), for a resource that is known only at run time.
    pub fn list_of(&self, resource: &ResourceKind) -> ListRead<DynamicObject> {
        self.list_read(resource.clone(), Projection::Full, "reads_resource(…)".to_owned())
    }

    fn list_read<K>(
        &self,
        resource: ResourceKind,
        projection: Projection,
        declaration: String,
    ) -> ListRead<K> {
        let filter = ListFilter::default();
        ListRead { context: self.clone(), resource, projection, declaration, filter, view: PhantomData }
    }

    pub(crate) async fn read(
        &self,
        cache: &ControllerCache,
        key: &Key,
    ) -> Result<Option<Arc<RawObject>>, ControllerError> {
        let reader = cache.informer.reader();
        if self.reads_live {
            self.shared.counters.live_reads.add_one();
            return live::get(self, cache, cache.projection, key).await;
        }
        if !cache.writes.is_passed(|| reader.version()) {
            let what = || format!("{} {key}", cache.informer.resource());
            if self.wait_for_writes(cache, ReadScope::Object(key), what).await? == Waited::ReadLive {
                self.shared.counters.live_reads.add_one();
                return live::get(self, cache, cache.projection, key).await;
            }
        }
        Ok(reader.get(key))
    }

    pub(super) async fn read_list(
        &self,
        cache: &ControllerCache,
        filter: &ListFilter,
    ) -> Result<Vec<Arc<RawObject>>, Error> {
        let scope = filter.namespace.as_deref().map_or(ReadScope::All, ReadScope::Namespace);
        let what = || cache.informer.resource().to_string();
        if self.reads_live || self.wait_for_writes(cache, scope, what).await? == Waited::ReadLive {
            return Ok(live::list(self, cache, filter).await?);
        }
        filter.of(&cache.informer.reader().snapshot())
    }

    /// Waits until the cache shows the writes of a scope.
    async fn wait_for_writes(
        &self,
        cache: &ControllerCache,
        scope: ReadScope<'_>,
        what: impl Fn() -> String,
    ) -> Result<Waited, ControllerError> {
        let FreshReads { within, late } = self.shared.fresh_reads;
        if self.shared.fresh_reads.is_off() {
            return Ok(Waited::Shown);
        }
        let unseen = cache.writes.unseen(scope);
        let deadline = clock::from_now(within);
        let all_shown = async {
            if let Some(version) = cache.writes.all_up_to() {
                shown(cache.informer.wait_for(&version, within).await)?;
            }
            for write in &unseen {
                shown(shown_by(&cache.informer, write, deadline).await)?;
            }
            Ok(())
        };
        let mut all_shown = std::pin::pin!(all_shown);
        // Most writes are shown already.
        let ended = match all_shown.as_mut().now_or_never() {
            Some(ended) => ended,
            None => {
                self.shared.counters.read_waits.add_one();
                all_shown.await
            }
        };
        let Err(source) = ended else { return Ok(Waited::Shown) };
        self.shared.counters.read_waits_given_up.add_one();
        match late {
            LateReads::Live => {
                tracing::debug!(%source, "reading from the server because the cache is late");
                Ok(Waited::ReadLive)
            }
            LateReads::Fail => Err(ControllerError::LateCache { object: what(), within, source }),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    Shown,
    ReadLive,
}

/// Nothing to wait for if the cache never contains the object, because of its selector or namespaces, or if the server
/// was restored.
fn shown(waited: Result<(), WaitError>) -> Result<(), WaitError> {
    match waited {
        Err(
            late @ (WaitError::DeadlinePassed { .. } | WaitError::Failed { .. } | WaitError::Stopped { .. }),
        ) => Err(late),
        _ => Ok(()),
    }
}

/// The line that declares a kind.
pub(super) fn declaration<K>(method: &str) -> String {
    format!("{method}::<{}>()", type_name::<K>())
}

impl ListFilter {
    fn of(&self, snapshot: &Snapshot) -> Result<Vec<Arc<RawObject>>, Error> {
        let everything = LabelSelector::everything();
        let selector = self.selector.as_ref().unwrap_or(&everything);
        if self.indexes.is_empty() {
            return Ok(snapshot.select(self.namespace.as_deref(), selector));
        }
        let all_of: Vec<_> = self.indexes.iter().map(|(index, value)| (&**index, &**value)).collect();
        let mut found = snapshot.by_indexes(&all_of)?;
        found.retain(|object| {
            self.namespace.as_deref().is_none_or(|namespace| object.namespace() == Some(namespace))
                && selector.matches(|label| object.labels().value(label))
        });
        Ok(found)
    }

    pub(super) fn index(&self) -> Option<&str> {
        self.indexes.first().map(|(index, _)| &**index)
    }
}

impl<K> ListRead<K> {
    /// Only the objects in this namespace. The list then waits only for writes in this namespace.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.filter.namespace = Some(namespace.into());
        self
    }

    /// Only the objects whose labels match.
    pub fn select(mut self, selector: LabelSelector) -> Self {
        self.filter.selector = Some(selector);
        self
    }

    /// Only the objects that an index has under a value. With several of these, all must match.
    pub fn by_index(mut self, index: impl Into<String>, value: impl Into<String>) -> Self {
        self.filter.indexes.push((index.into(), value.into()));
        self
    }

    fn cache(&self) -> Result<&ControllerCache, ControllerError> {
        self.context.cache(&self.resource, self.projection, format_args!("{}", self.declaration))
    }

    /// The list, if it has nothing to wait for.
    fn now(&self) -> Option<Result<Vec<Object<K>>, Error>> {
        let cache = match self.cache() {
            Ok(cache) => cache,
            Err(error) => return Some(Err(error.into())),
        };
        if self.context.reads_live {
            return None;
        }
        let snapshot = cache.informer.reader().snapshot();
        cache.writes.is_passed(|| snapshot.version()).then(|| self.filter.of(&snapshot).map(typed))
    }
}

impl<K: 'static> IntoFuture for ListRead<K> {
    type Output = Result<Vec<Object<K>>, Error>;
    type IntoFuture = Either<Ready<Self::Output>, BoxFuture<'static, Self::Output>>;

    fn into_future(self) -> Self::IntoFuture {
        if let Some(objects) = self.now() {
            return Either::Left(ready(objects));
        }
        let waiting = async move { Ok(typed(self.context.read_list(self.cache()?, &self.filter).await?)) };
        Either::Right(waiting.boxed())
    }
}

fn typed<K>(objects: Vec<Arc<RawObject>>) -> Vec<Object<K>> {
    objects.into_iter().map(Object::new).collect()
}

impl<K> fmt::Debug for ListRead<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListRead")
            .field("resource", &self.resource)
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
