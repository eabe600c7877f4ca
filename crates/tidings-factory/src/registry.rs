//! The registry of the informers of one factory: which informer has which key, and which are not started yet.
//!
//! It never keeps an informer alive: it has weak references only, and forgets informers that are no longer in use. It
//! remembers that an informer panicked until that informer is requested again.
//!
//! A key describes what was requested. If the namespaces of an informer are changed later, its key is no longer true.
//! Such an informer is removed from the table for good, and the next request makes a new one. It is not registered under
//! its new namespaces, because its users may change them again, which would affect users that requested these.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tidings_informer::{InformerError, InformerTask, Lifecycle, SharedInformer, WeakInformer};
use tidings_object::{Projection, ResourceKind, Scope, TransformId};
use tidings_source::{ShardRange, StreamScope};

use crate::options::{InformerOptions, Tweak, TweakId};
use crate::settings::{InformerSettings, OptionDifference};
use crate::sync::Mutex;

/// The informers of one factory.
#[derive(Default)]
pub(crate) struct Registry {
    entries: Mutex<Entries>,
    runs: Mutex<RunCounts>,
}

#[derive(Default)]
struct Entries {
    /// Returned for every request with the same key.
    shared: HashMap<InformerKey, Entry>,
    /// Never returned again, because the namespaces were changed.
    redirected: Vec<Entry>,
}

/// How many informers that panicked and are no longer in use are remembered.
const PANICS_MAX: usize = 64;

/// Counts the [`Running`](crate::Running)s of a factory.
#[derive(Debug, Default)]
struct RunCounts {
    live: usize,
    has_ended: bool,
}

/// One `Running` that has not ended. Dropping it records the end.
pub(crate) struct RunGuard(Arc<Registry>);

/// The options that identify an informer.
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
    settings: InformerSettings,
    /// `None` after the start.
    task: Option<InformerTask>,
}

impl Registry {
    /// The informer of this key. If there is none, `make` makes it under a unique name. `requested` are the options of
    /// this request alone, `options` those with the defaults.
    pub(crate) fn obtain<K>(
        &self,
        key: InformerKey,
        requested: &InformerOptions,
        options: &InformerOptions,
        make: impl FnOnce(String) -> (SharedInformer<K>, InformerTask),
    ) -> Result<SharedInformer<K>, InformerError> {
        let mut entries = self.entries.lock();
        let existing = entries.shared.get(&key).and_then(|entry| entry.informer.upgrade::<K>());
        let existing = existing.filter(|informer| informer.lifecycle() != Lifecycle::Stopped);
        let is_redirected = existing.as_ref().is_some_and(SharedInformer::is_redirected);
        if let Some(informer) = existing.filter(|_| !is_redirected) {
            let difference = entries.shared[&key].settings.difference(requested);
            // Not under the lock: dropping the last handle stops the informer.
            drop(entries);
            let Some(OptionDifference { option, requested, existing }) = difference else {
                return Ok(informer);
            };
            let informer = informer.name().to_owned();
            return Err(InformerError::OptionsDiffer { informer, option, requested, existing });
        }
        let former = entries.shared.remove(&key).filter(|_| is_redirected);
        entries.redirected.extend(former);
        entries.forget_unused();
        let name = entries.unused_name(key.name());
        let (informer, task) = make(name.clone());
        let settings = InformerSettings::of(options);
        entries
            .shared
            .insert(key, Entry { name, informer: informer.downgrade(), settings, task: Some(task) });
        Ok(informer)
    }

    /// The tasks of the informers that are not started. They count as started from now on.
    pub(crate) fn take_unstarted(&self) -> Vec<(WeakInformer, InformerTask)> {
        let mut entries = self.entries.lock();
        entries.forget_unused();
        let Entries { shared, redirected } = &mut *entries;
        let unstarted = shared.values_mut().chain(redirected);
        let take = |entry: &mut Entry| Some((entry.name.clone(), entry.informer.clone(), entry.task.take()?));
        let mut unstarted: Vec<_> = unstarted.filter_map(take).collect();
        // Sorted, so that the order does not depend on hashes: a simulation repeats a run by its seed.
        unstarted.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        unstarted.into_iter().map(|(_, informer, task)| (informer, task)).collect()
    }

    /// The informers in use, by name.
    pub(crate) fn in_use(&self) -> Vec<SharedInformer<()>> {
        let weak: Vec<_> = self.entries.lock().all().map(|entry| entry.informer.clone()).collect();
        // Not under the lock: dropping the last handle stops the informer.
        let mut in_use: Vec<_> = weak.iter().filter_map(WeakInformer::upgrade::<()>).collect();
        in_use.sort_by(|a, b| a.name().cmp(b.name()));
        in_use
    }

    /// Why informers no longer follow the server, by name: of those in use, and of those that panicked.
    pub(crate) fn failures(&self) -> Vec<InformerError> {
        let entries = self.entries.lock();
        let mut failures: Vec<_> = entries.all().flat_map(Entry::failures).collect();
        failures.sort_by(|a, b| a.informer().cmp(b.informer()));
        failures
    }

    /// Records the start of a `Running`.
    pub(crate) fn begin_run(self: &Arc<Self>) -> RunGuard {
        self.runs.lock().live += 1;
        RunGuard(Arc::clone(self))
    }

    /// Whether informers were started and every `Running` has ended.
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

impl Drop for RunGuard {
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
            // Namespaces do not matter for cluster-scoped resources. An empty selector is the same as none.
            namespaces: options.namespaces.clone().filter(|_| resource.scope == Scope::Namespaced),
            label_selector: options.label_selector.as_ref().map(ToString::to_string).filter(is_not_empty),
            field_selector: options.field_selector.as_ref().map(ToString::to_string).filter(is_not_empty),
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

#[expect(clippy::ptr_arg, reason = "it is the argument of `Option::filter`")]
fn is_not_empty(text: &String) -> bool {
    !text.is_empty()
}

impl Entries {
    fn all(&self) -> impl Iterator<Item = &Entry> {
        self.shared.values().chain(&self.redirected)
    }

    /// Removes informers that are no longer in use, except that a number of panicked ones is kept: a panic drops the
    /// handlers that kept the informer in use, and it must still be reported.
    fn forget_unused(&mut self) {
        let mut panics = 0;
        let mut is_kept = |entry: &Entry| {
            let is_in_use = entry.informer.is_needed();
            panics += usize::from(!is_in_use && entry.informer.panic().is_some());
            is_in_use || (entry.informer.panic().is_some() && panics <= PANICS_MAX)
        };
        self.shared.retain(|_, entry| is_kept(entry));
        self.redirected.retain(is_kept);
    }

    /// A unique name, so that logs and metrics distinguish two informers of one resource: `pods`, `pods#2`.
    fn unused_name(&self, name: String) -> String {
        let is_unused = |name: &String| self.all().all(|entry| entry.name != *name);
        let numbered = (2..).map(|number| format!("{name}#{number}"));
        std::iter::once(name.clone())
            .chain(numbered)
            .find(is_unused)
            .expect("there are more numbers than informers")
    }
}
