//! The informers of one factory: who is there under which key, and who has not been started.
//!
//! It must never keep an informer alive: one that nobody needs any more is gone from here as well.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tidings_informer::informer::{InformerTask, Lifecycle, SharedInformer, WeakInformer};
use tidings_object::{Projection, ResourceKind};
use tidings_source::{ShardRange, StreamScope};

use crate::options::InformerOptions;
use crate::sync::Mutex;

/// The informers of one factory.
#[derive(Default)]
pub(crate) struct Roster {
    entries: Mutex<HashMap<InformerKey, Entry>>,
}

/// What makes an informer the one that it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct InformerKey {
    resource: ResourceKind,
    projection: Projection,
    namespaces: Option<BTreeSet<StreamScope>>,
    label_selector: Option<String>,
    field_selector: Option<String>,
    shard: Option<ShardRange>,
    /// Functions are the same if they are the same allocation.
    transform: Option<usize>,
    tweak: Option<usize>,
}

struct Entry {
    name: String,
    informer: WeakInformer,
    /// Until it is started.
    task: Option<InformerTask>,
}

impl Roster {
    /// The informer of this key, or the one that `make` makes under a name that no other has.
    pub(crate) fn obtain<K>(
        &self,
        key: InformerKey,
        make: impl FnOnce(String) -> (SharedInformer<K>, InformerTask),
    ) -> SharedInformer<K> {
        let mut entries = self.entries.lock();
        if let Some(informer) = entries.get(&key).and_then(|entry| entry.informer.upgrade::<K>())
            && informer.lifecycle() != Lifecycle::Stopped
        {
            return informer;
        }
        entries.remove(&key);
        entries.retain(|_, entry| entry.informer.is_needed());
        let name = unused_name(key.name(), &entries);
        let (informer, task) = make(name.clone());
        entries.insert(key, Entry { name, informer: informer.downgrade(), task: Some(task) });
        informer
    }

    /// Those that have not been started, which they are from now on.
    pub(crate) fn take_unstarted(&self) -> Vec<(WeakInformer, InformerTask)> {
        let mut entries = self.entries.lock();
        entries.retain(|_, entry| entry.informer.is_needed());
        let unstarted = entries.values_mut();
        unstarted.filter_map(|entry| Some((entry.informer.clone(), entry.task.take()?))).collect()
    }

    /// Those that somebody needs, by name.
    pub(crate) fn needed(&self) -> Vec<SharedInformer<()>> {
        let weak: Vec<_> = self.entries.lock().values().map(|entry| entry.informer.clone()).collect();
        // Not under the lock: whoever holds the last handle stops the informer by dropping it.
        let mut needed: Vec<_> = weak.iter().filter_map(WeakInformer::upgrade::<()>).collect();
        needed.sort_by(|a, b| a.name().cmp(b.name()));
        needed
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.lock().len()
    }
}

impl InformerKey {
    pub(crate) fn new(resource: &ResourceKind, projection: Projection, options: &InformerOptions) -> Self {
        InformerKey {
            resource: resource.clone(),
            projection,
            namespaces: options.namespaces.clone(),
            label_selector: options.label_selector.as_ref().map(ToString::to_string),
            field_selector: options.field_selector.as_ref().map(ToString::to_string),
            shard: options.shard,
            transform: options.transform.as_ref().map(|transform| Arc::as_ptr(transform).addr()),
            tweak: options.tweak.as_ref().map(|tweak| Arc::as_ptr(tweak).cast::<()>().addr()),
        }
    }

    fn name(&self) -> String {
        match self.projection {
            Projection::Full => self.resource.to_string(),
            Projection::Metadata => format!("{} metadata", self.resource),
        }
    }
}

/// Two informers of one resource are told apart in logs and metrics: `pods`, `pods#2`.
fn unused_name(name: String, entries: &HashMap<InformerKey, Entry>) -> String {
    let is_unused = |name: &String| entries.values().all(|entry| entry.name != *name);
    let numbered = (2..).map(|number| format!("{name}#{number}"));
    std::iter::once(name.clone())
        .chain(numbered)
        .find(is_unused)
        .expect("there are more numbers than informers")
}
