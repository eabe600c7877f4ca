//! The writes of this process that a cache may not show yet, by kind and object, so that a read can wait for them.
//!
//! All controllers of one factory share the log, because they share the caches. A read considers its own kind only, and
//! usually compares two versions: the newest written one, and the one that the cache has reached. Entries that every
//! cache has passed are swept out.
//!
//! ```text
//! create s@70 by controller A     newest 70, objects { s: 70 }
//! read of s by controller B       the cache is at 68: wait until it shows s@70
//! read of t by controller B       no write of t: no wait
//! event s@70                      the cache is at 70: reads compare 70 with 70, and nothing else
//! ```
//!
//! A deletion has no version, because the server's response has none. A uid never returns, so a deletion stays in the
//! log for a while: a cache that has not even seen the creation yet would otherwise show a deleted object later.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tidings_informer::{SharedInformer, WeakInformer};
use tidings_object::{Key, ResourceKind, Version};
use tokio::time::Instant;

use super::WriteEffect;
use super::sweeps::Sweeps;
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering};

/// Above this number of objects of a kind, a write only raises `all_up_to`: lists wait for all of it, and so does every
/// read of a single object.
const OBJECTS_MAX: usize = 65_536;

/// Below this number of objects, no write sweeps.
const SWEEP_ABOVE: usize = 32;

/// A read that searches the log sweeps it, at most this often.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// How many deletions of one key are kept.
const DELETIONS_PER_KEY_MAX: usize = 8;

/// How long a deletion is kept. A cache that is further behind than this may show a deleted object.
const DELETION_KEPT: Duration = Duration::from_secs(120);

/// The writes of all controllers of one factory.
#[derive(Default)]
pub(crate) struct WriteLog {
    kinds: Mutex<HashMap<GroupResource, Arc<KindWrites>>>,
}

/// An object is the same in all versions of its API group.
type GroupResource = (String, String);

/// The writes of one kind.
#[derive(Default)]
pub(crate) struct KindWrites {
    /// The newest version that was written. 0 if none was.
    newest: AtomicU64,
    /// The number of entries that `newest` does not cover: deletions, and versions without an order.
    unordered: AtomicUsize,
    objects: Mutex<WrittenObjects>,
    /// The caches of this kind, to learn that the server's versions went back.
    informers: Mutex<Vec<WeakInformer>>,
}

#[derive(Default)]
struct WrittenObjects {
    by_key: HashMap<Key, ObjectWrites, RandomState>,
    /// The newest version that was dropped because there were too many.
    all_up_to: Option<Version>,
    /// When a write sweeps.
    sweeps: Sweeps<SWEEP_ABOVE>,
    swept_at: Option<Instant>,
}

#[derive(Default)]
struct ObjectWrites {
    /// The newest write.
    written: Option<LastWrite>,
    deleted: VecDeque<Deletion>,
}

struct LastWrite {
    version: Version,
    meta: Arc<ObjectMeta>,
    epoch: u64,
}

struct Deletion {
    uid: String,
    at: Instant,
}

/// Which writes a read must see.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadScope<'a> {
    Object(&'a Key),
    Namespace(&'a str),
    All,
}

impl WriteLog {
    pub(crate) fn kind(&self, resource: &ResourceKind) -> Arc<KindWrites> {
        let name = (resource.group.to_string(), resource.plural.to_string());
        Arc::clone(self.kinds.lock().entry(name).or_default())
    }
}

impl KindWrites {
    /// Adds a cache that shows this kind.
    pub(crate) fn add_cache(&self, informer: &SharedInformer<()>) {
        let mut informers = self.informers.lock();
        informers.retain(WeakInformer::is_needed);
        informers.push(informer.downgrade());
    }

    /// Whether a cache at this version shows every write. `false` means unknown.
    pub(crate) fn is_passed(&self, reached: impl FnOnce() -> Option<Version>) -> bool {
        let newest = self.newest.load(Ordering::Acquire);
        self.unordered.load(Ordering::Acquire) == 0
            && (newest == 0 || reached().and_then(|reached| reached.number()) >= Some(newest))
    }

    pub(crate) fn record(&self, effect: &WriteEffect) {
        let epoch = self.epoch();
        let mut objects = self.objects.lock();
        match effect {
            WriteEffect::Written { version, meta } => {
                let name = meta.name.as_deref().unwrap_or_default();
                let Ok(key) = Key::new(meta.namespace.as_deref(), name) else { return };
                match version.number() {
                    Some(number) => drop(self.newest.fetch_max(number, Ordering::AcqRel)),
                    None => drop(self.unordered.fetch_add(1, Ordering::AcqRel)),
                }
                objects.wrote(key, LastWrite { version: version.clone(), meta: Arc::clone(meta), epoch });
            }
            WriteEffect::Deleted { key, uid } => {
                self.unordered.fetch_add(1, Ordering::AcqRel);
                objects.deleted(key, uid);
            }
        }
        if objects.sweeps.is_due(objects.by_key.len()) {
            self.sweep(&mut objects, epoch);
        }
    }

    /// The writes that a read in this scope must see. Most of them are shown by the caches already.
    pub(crate) fn unseen(&self, scope: ReadScope<'_>) -> Vec<WriteEffect> {
        let epoch = self.epoch();
        let mut objects = self.objects.lock();
        if objects.swept_at.is_none_or(|swept_at| swept_at.elapsed() >= SWEEP_EVERY) {
            self.sweep(&mut objects, epoch);
        }
        let mut unseen = Vec::new();
        match scope {
            ReadScope::Object(key) => {
                if let Some(writes) = objects.by_key.get(&**key) {
                    writes.effects(key, epoch, &mut unseen);
                }
            }
            ReadScope::Namespace(namespace) => {
                let there = objects.by_key.iter().filter(|(key, _)| key.namespace() == Some(namespace));
                there.for_each(|(key, writes)| writes.effects(key, epoch, &mut unseen));
            }
            ReadScope::All => {
                objects.by_key.iter().for_each(|(key, writes)| writes.effects(key, epoch, &mut unseen));
            }
        }
        unseen
    }

    /// Removes what every cache shows.
    fn sweep(&self, objects: &mut WrittenObjects, epoch: u64) {
        objects.forget_passed(self.reached().as_ref(), epoch);
        let left = objects.by_key.len();
        objects.sweeps.swept(left);
        objects.swept_at = Some(Instant::now());
        self.newest.store(objects.newest(), Ordering::Release);
        self.unordered.store(objects.unordered(), Ordering::Release);
    }

    /// The version that a cache must reach because single writes were dropped.
    pub(crate) fn all_up_to(&self) -> Option<Version> {
        self.objects.lock().all_up_to.clone()
    }

    /// Grows when the versions of the server went back. After that, no cache shows the writes of before.
    fn epoch(&self) -> u64 {
        let informers = self.informers.lock();
        informers.iter().filter_map(WeakInformer::upgrade::<()>).map(|informer| informer.epoch()).sum()
    }

    /// The version that every cache has reached.
    fn reached(&self) -> Option<Version> {
        let informers = self.informers.lock();
        let caches = informers.iter().filter_map(WeakInformer::upgrade::<()>);
        let versions: Option<Vec<_>> = caches.map(|cache| cache.reader().version()).collect();
        versions?.into_iter().min_by_key(Version::number)
    }
}

impl WrittenObjects {
    /// Removes the writes up to `reached`, those before a restore, and old deletions.
    fn forget_passed(&mut self, reached: Option<&Version>, epoch: u64) {
        let now = Instant::now();
        self.by_key.retain(|_, writes| {
            writes.written.take_if(|write| {
                write.epoch < epoch || reached.is_some_and(|reached| reached.is_at_least(&write.version))
            });
            writes.deleted.retain(|deletion| now.duration_since(deletion.at) < DELETION_KEPT);
            writes.written.is_some() || !writes.deleted.is_empty()
        });
        self.all_up_to.take_if(|dropped| reached.is_some_and(|reached| reached.is_at_least(dropped)));
    }

    fn wrote(&mut self, key: Key, write: LastWrite) {
        if self.by_key.len() >= OBJECTS_MAX && !self.by_key.contains_key(&*key) {
            if !self.all_up_to.as_ref().is_some_and(|dropped| dropped.is_at_least(&write.version)) {
                self.all_up_to = Some(write.version);
            }
            return;
        }
        let written = &mut self.by_key.entry(key).or_default().written;
        // The responses to two writes of one object may arrive in either order.
        if !written.as_ref().is_some_and(|last| write.version.is_older_than(&last.version)) {
            *written = Some(write);
        }
    }

    fn deleted(&mut self, key: &Key, uid: &str) {
        if self.by_key.len() >= OBJECTS_MAX && !self.by_key.contains_key(&**key) {
            return;
        }
        let deleted = &mut self.by_key.entry(key.clone()).or_default().deleted;
        if deleted.len() == DELETIONS_PER_KEY_MAX {
            deleted.pop_front();
        }
        deleted.push_back(Deletion { uid: uid.to_owned(), at: Instant::now() });
    }

    /// The newest version in the log. 0 if there is none.
    fn newest(&self) -> u64 {
        let written = self.by_key.values().filter_map(|writes| writes.written.as_ref());
        let versions = written.map(|write| &write.version).chain(&self.all_up_to);
        versions.filter_map(Version::number).max().unwrap_or_default()
    }

    fn unordered(&self) -> usize {
        let is_unordered = |writes: &ObjectWrites| {
            let without_order = writes.written.as_ref().is_some_and(|last| last.version.number().is_none());
            without_order || !writes.deleted.is_empty()
        };
        self.by_key.values().filter(|writes| is_unordered(writes)).count()
    }
}

impl ObjectWrites {
    fn effects(&self, key: &Key, epoch: u64, into: &mut Vec<WriteEffect>) {
        if let Some(LastWrite { version, meta, .. }) =
            self.written.as_ref().filter(|last| last.epoch == epoch)
        {
            into.push(WriteEffect::Written { version: version.clone(), meta: Arc::clone(meta) });
        }
        let deleted = self.deleted.iter();
        into.extend(
            deleted.map(|Deletion { uid, .. }| WriteEffect::Deleted { key: key.clone(), uid: uid.clone() }),
        );
    }
}

#[cfg(test)]
mod tests;
