//! The informers of one factory: who is there under which key, and who has not been started.
//!
//! It must never keep an informer alive: one that nobody needs any more is gone from here as well. Only that it panicked
//! is remembered, until somebody asks for it again.
//!
//! A key is what was asked for. An informer whose namespaces were changed afterwards no longer is what its key says, so it
//! leaves the table for good: who asks next gets a new one. It is not put under the key of its new namespaces, since its
//! holders may change them again, under people who never asked for that.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tidings_informer::informer::{InformerError, InformerTask, Lifecycle, SharedInformer, WeakInformer};
use tidings_object::{Projection, ResourceKind, Scope, TransformId};
use tidings_source::{ShardRange, StreamScope};

use crate::options::{InformerOptions, Tweak, TweakId};
use crate::sync::Mutex;

/// The informers of one factory.
#[derive(Default)]
pub(crate) struct Roster {
    entries: Mutex<Entries>,
    runs: Mutex<Runs>,
}

#[derive(Default)]
struct Entries {
    /// Given to everyone who asks for the same.
    shared: HashMap<InformerKey, Entry>,
    /// Given to nobody any more: its namespaces were changed.
    redirected: Vec<Entry>,
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
    transform: Option<TransformId>,
    tweak: Option<TweakId>,
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
        let there = entries.shared.get(&key).and_then(|entry| entry.informer.upgrade::<K>());
        let there = there.filter(|informer| informer.lifecycle() != Lifecycle::Stopped);
        let is_redirected = there.as_ref().is_some_and(SharedInformer::is_redirected);
        if let Some(informer) = there.filter(|_| !is_redirected) {
            return informer;
        }
        let former = entries.shared.remove(&key).filter(|_| is_redirected);
        entries.redirected.extend(former);
        entries.forget_unneeded();
        let name = entries.unused_name(key.name());
        let (informer, task) = make(name.clone());
        entries.shared.insert(key, Entry { name, informer: informer.downgrade(), task: Some(task) });
        informer
    }

    /// Those that have not been started, which they are from now on.
    pub(crate) fn take_unstarted(&self) -> Vec<(WeakInformer, InformerTask)> {
        let mut entries = self.entries.lock();
        entries.forget_unneeded();
        let Entries { shared, redirected } = &mut *entries;
        let unstarted = shared.values_mut().chain(redirected);
        let take = |entry: &mut Entry| Some((entry.name.clone(), entry.informer.clone(), entry.task.take()?));
        let mut unstarted: Vec<_> = unstarted.filter_map(take).collect();
        // In an order that does not depend on hashes: a simulation repeats a run by its seed.
        unstarted.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        unstarted.into_iter().map(|(_, informer, task)| (informer, task)).collect()
    }

    /// Those that somebody needs, by name.
    pub(crate) fn needed(&self) -> Vec<SharedInformer<()>> {
        let weak: Vec<_> = self.entries.lock().all().map(|entry| entry.informer.clone()).collect();
        // Not under the lock: whoever holds the last handle stops the informer by dropping it.
        let mut needed: Vec<_> = weak.iter().filter_map(WeakInformer::upgrade::<()>).collect();
        needed.sort_by(|a, b| a.name().cmp(b.name()));
        needed
    }

    /// Why informers no longer follow the server, by name: those that somebody needs, and those that panicked.
    pub(crate) fn failures(&self) -> Vec<InformerError> {
        let entries = self.entries.lock();
        let mut failures: Vec<_> = entries.all().flat_map(Entry::failures).collect();
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
        self.entries.lock().all().count()
    }
}

impl Entry {
    fn failures(&self) -> Vec<InformerError> {
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
            // Objects without a namespace are the same whichever are asked for, and so is no selector and an empty one.
            namespaces: options.namespaces.clone().filter(|_| resource.scope == Scope::Namespaced),
            label_selector: options.label_selector.as_ref().map(ToString::to_string).filter(is_some_text),
            field_selector: options.field_selector.as_ref().map(ToString::to_string).filter(is_some_text),
            shard: options.shard,
            transform: options.transform.as_ref().map(|transform| transform.id()),
            tweak: options.tweak.as_ref().map(Tweak::id),
        }
    }

    fn name(&self) -> String {
        match self.projection {
            Projection::Full => self.resource.to_string(),
            Projection::Metadata => format!("{} metadata", self.resource),
        }
    }
}

#[expect(clippy::ptr_arg, reason = "a filter is given what an option holds")]
fn is_some_text(text: &String) -> bool {
    !text.is_empty()
}

impl Entries {
    fn all(&self) -> impl Iterator<Item = &Entry> {
        self.shared.values().chain(&self.redirected)
    }

    /// A panic releases the handlers that kept the informer alive: it must not be forgotten with them.
    fn forget_unneeded(&mut self) {
        let mut panics = 0;
        let mut is_kept = |entry: &Entry| {
            let is_needed = entry.informer.is_needed();
            panics += usize::from(!is_needed && entry.informer.panic().is_some());
            is_needed || (entry.informer.panic().is_some() && panics <= PANICS_MAX)
        };
        self.shared.retain(|_, entry| is_kept(entry));
        self.redirected.retain(is_kept);
    }

    /// Two informers of one resource are told apart in logs and metrics: `pods`, `pods#2`.
    fn unused_name(&self, name: String) -> String {
        let is_unused = |name: &String| self.all().all(|entry| entry.name != *name);
        let numbered = (2..).map(|number| format!("{name}#{number}"));
        std::iter::once(name.clone())
            .chain(numbered)
            .find(is_unused)
            .expect("there are more numbers than informers")
    }
}
