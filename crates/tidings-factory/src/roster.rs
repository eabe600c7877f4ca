//! The informers of one factory: who is there under which key, and who has not been started.
//!
//! It must never keep an informer alive: one that nobody needs any more is gone from here as well. Only that it panicked
//! is remembered, until somebody asks for it again.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tidings_informer::informer::{InformerFailure, InformerTask, Lifecycle, SharedInformer, WeakInformer};
use tidings_object::{Projection, ResourceKind};
use tidings_source::{ShardRange, StreamScope};

use crate::options::InformerOptions;
use crate::sync::Mutex;

/// The informers of one factory.
#[derive(Default)]
pub(crate) struct Roster {
    entries: Mutex<HashMap<InformerKey, Entry>>,
    runs: Mutex<Runs>,
}

/// How many panics are remembered of informers that nobody needs any more.
const PANICS_MAX: usize = 64;

/// What has become of the [`Running`](crate::Running)s of a factory.
#[derive(Debug, Default)]
struct Runs {
    live: usize,
    has_ended: bool,
}

/// One `Running` that has not ended. Dropping it says that it has.
pub(crate) struct Run(Arc<Roster>);

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
        forget_unneeded(&mut entries);
        let name = unused_name(key.name(), &entries);
        let (informer, task) = make(name.clone());
        entries.insert(key, Entry { name, informer: informer.downgrade(), task: Some(task) });
        informer
    }

    /// Those that have not been started, which they are from now on.
    pub(crate) fn take_unstarted(&self) -> Vec<(WeakInformer, InformerTask)> {
        let mut entries = self.entries.lock();
        forget_unneeded(&mut entries);
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

    /// Why informers no longer follow the server, by name: those that somebody needs, and those that panicked.
    pub(crate) fn failures(&self) -> Vec<InformerFailure> {
        let entries = self.entries.lock();
        let mut failures: Vec<_> = entries.values().flat_map(Entry::failures).collect();
        failures.sort_by(|a, b| a.informer().cmp(b.informer()));
        failures
    }

    /// A `Running` begins.
    pub(crate) fn begin(self: &Arc<Self>) -> Run {
        self.runs.lock().live += 1;
        Run(Arc::clone(self))
    }

    /// Whether informers were started and every `Running` has ended: nothing follows the server any more.
    pub(crate) fn is_stopped(&self) -> bool {
        let runs = self.runs.lock();
        runs.has_ended && runs.live == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.lock().len()
    }
}

impl Entry {
    fn failures(&self) -> Vec<InformerFailure> {
        match self.informer.is_needed() {
            true => self.informer.failures(),
            false => self.informer.panic().into_iter().collect(),
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let mut runs = self.0.runs.lock();
        runs.live -= 1;
        runs.has_ended = true;
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

/// A panic releases the handlers that kept the informer alive: it must not be forgotten with them.
fn forget_unneeded(entries: &mut HashMap<InformerKey, Entry>) {
    let mut panics = 0;
    entries.retain(|_, entry| {
        let is_needed = entry.informer.is_needed();
        panics += usize::from(!is_needed && entry.informer.panic().is_some());
        is_needed || (entry.informer.panic().is_some() && panics <= PANICS_MAX)
    });
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
