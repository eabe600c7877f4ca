//! The closest to a shared informer in kube-rs: one watcher that fills one store. A single handler consumes the
//! watcher's own stream, which is cheapest. Several handlers subscribe to a shared store.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use futures::{StreamExt, TryStreamExt};
use kube::api::Api;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::reflector::Store;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::Event;
use kube::runtime::{WatchStreamExt, watcher};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::command::Read;
use crate::meter::Meter;
use crate::specimen::{Specimen, look_at_identity};

/// The buffer of a subscriber: as large as the initial ring of a handler in client-go.
const SHARED_BUFFER: usize = 1024;

/// The interval of polls for whether all handlers have all objects, because there is no notification for it.
const SYNC_POLL: Duration = Duration::from_millis(1);

/// A synced store with its handlers, which end when it is dropped.
pub(crate) struct Informer<K: Specimen> {
    pub(crate) store: Store<K>,
    pub(crate) meters: Vec<Arc<Meter>>,
    pub(crate) tasks: JoinSet<()>,
}

#[derive(Clone)]
pub(crate) struct Watched<K: Specimen> {
    pub(crate) api: Api<K>,
    pub(crate) kind: K::DynamicType,
    pub(crate) config: watcher::Config,
}

impl<K: Specimen> Watched<K> {
    /// Starts it with this many handlers, and waits until the store and all handlers have everything.
    pub(crate) async fn start(self, handlers: usize, read: Read) -> anyhow::Result<Informer<K>> {
        let meters: Vec<_> = (0..handlers).map(|_| Arc::new(Meter::new())).collect();
        let mut tasks = JoinSet::new();
        let store = match meters.as_slice() {
            [] => self.fill(&mut tasks),
            [meter] => self.fill_and_handle(Arc::clone(meter), read, &mut tasks),
            several => self.fill_and_share(several, read, &mut tasks)?,
        };
        store.wait_until_ready().await.context("filling the store")?;
        let objects = store.len() as u64;
        while meters.iter().any(|meter| meter.notifications() < objects) {
            sleep(SYNC_POLL).await;
        }
        Ok(Informer { store, meters, tasks })
    }

    fn fill(self, tasks: &mut JoinSet<()>) -> Store<K> {
        let writer = Writer::new(self.kind);
        let store = writer.as_reader();
        let stream = watcher(self.api, self.config).default_backoff().reflect(writer);
        tasks.spawn(stream.for_each(async |event| complain(event.err().as_ref())));
        store
    }

    fn fill_and_handle(self, meter: Arc<Meter>, read: Read, tasks: &mut JoinSet<()>) -> Store<K> {
        let writer = Writer::new(self.kind.clone());
        let store = writer.as_reader();
        let (kind, before) = (self.kind, store.clone());
        let stream = watcher(self.api, self.config)
            .default_backoff()
            // Here the store still has the old object. Further down it has the new one.
            .inspect_ok(move |event| {
                if read == Read::Both {
                    look_at_old(event, &before, &kind);
                }
            })
            .reflect(writer)
            .touched_objects();
        tasks.spawn(stream.for_each(move |object| {
            match object {
                Ok(object) => handle(&object, read, &meter),
                Err(error) => complain(Some(&error)),
            }
            std::future::ready(())
        }));
        store
    }

    fn fill_and_share(
        self,
        meters: &[Arc<Meter>],
        read: Read,
        tasks: &mut JoinSet<()>,
    ) -> anyhow::Result<Store<K>> {
        let writer = Writer::new_shared(SHARED_BUFFER, self.kind);
        let store = writer.as_reader();
        for meter in meters {
            let meter = Arc::clone(meter);
            let objects = K::subscribe(&writer).context("kube-rs cannot share a store of dynamic objects")?;
            tasks.spawn(objects.for_each(move |object| {
                handle(&*object, read, &meter);
                std::future::ready(())
            }));
        }
        let stream = watcher(self.api, self.config).default_backoff().reflect_shared(writer);
        tasks.spawn(stream.for_each(async |event| complain(event.err().as_ref())));
        Ok(store)
    }
}

fn handle<K: Specimen>(object: &K, read: Read, meter: &Meter) {
    look_at_identity(object);
    if read != Read::Identity {
        object.look();
    }
    meter.count(object);
}

/// Reads the object that an update replaces.
fn look_at_old<K: Specimen>(event: &Event<K>, store: &Store<K>, kind: &K::DynamicType) {
    let Event::Apply(object) = event else { return };
    let meta = object.meta();
    let (Some(name), Some(namespace)) = (&meta.name, &meta.namespace) else { return };
    if let Some(old) = store.get(&ObjectRef::new_with(name, kind.clone()).within(namespace)) {
        look_at_identity(&*old);
        old.look();
    }
}

/// Prints errors. Watchers continue after them.
fn complain(error: Option<&watcher::Error>) {
    if let Some(error) = error {
        eprintln!("kubers: {error}");
    }
}
