//! The index definitions of one cache: readers add and remove them, the writer builds the indexes.
//!
//! A name is reserved or freed here at once, under a lock that is held only to look through a short list. The writer
//! builds the index later, in slices. A reader takes the lock only to change the indexes, or to find out why one can't
//! be read.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::sync::{AtomicBool, Mutex, Ordering};

use super::index::{Index, IndexError, IndexSpec, NAMESPACE_INDEX};

/// The index definitions of one cache, built or not.
#[derive(Debug)]
pub(super) struct IndexRegistry {
    specs: Mutex<Vec<Arc<IndexSpec>>>,
    /// Whether `specs` changed since the writer last read them.
    is_changed: AtomicBool,
    has_stopped: AtomicBool,
    changed: Arc<Notify>,
}

impl IndexRegistry {
    pub(super) fn new() -> Self {
        let namespace = Index::namespace().into_spec().expect("the namespace index has a name");
        IndexRegistry {
            specs: Mutex::new(vec![Arc::new(namespace)]),
            is_changed: AtomicBool::new(true),
            has_stopped: AtomicBool::new(false),
            changed: Arc::new(Notify::new()),
        }
    }

    pub(super) fn add(&self, index: Index) -> Result<(), IndexError> {
        let spec = index.into_spec()?;
        let name = || spec.name.to_string();
        let mut specs = self.specs.lock();
        if specs.iter().any(|other| other.name == spec.name) {
            return Err(IndexError::Taken { name: name() });
        }
        // `stop` takes the same lock. So each index is either refused here or visible to the writer.
        if self.has_stopped.load(Ordering::Acquire) {
            return Err(IndexError::Stopped { name: name() });
        }
        specs.push(Arc::new(spec));
        drop(specs);
        self.notify();
        Ok(())
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), IndexError> {
        if name == NAMESPACE_INDEX {
            return Err(IndexError::BuiltIn { name: name.to_owned() });
        }
        let mut specs = self.specs.lock();
        let Some(at) = specs.iter().position(|spec| &*spec.name == name) else {
            return Err(IndexError::Unknown { name: name.to_owned(), known: names(&specs) });
        };
        specs.remove(at).set_removed();
        drop(specs);
        self.notify();
        Ok(())
    }

    pub(super) fn names(&self) -> Vec<String> {
        names(&self.specs.lock())
    }

    /// The error for reading an index that a published state does not contain.
    pub(super) fn missing(&self, name: &str) -> IndexError {
        let specs = self.specs.lock();
        let name = name.to_owned();
        if specs.iter().any(|spec| *spec.name == *name) {
            IndexError::Building { name }
        } else {
            IndexError::Unknown { name, known: names(&specs) }
        }
    }

    /// All definitions, if they changed since the last call.
    pub(super) fn take_changes(&self) -> Option<Vec<Arc<IndexSpec>>> {
        if !self.is_changed() {
            return None;
        }
        // The flag is cleared before the read. An index that is added between the two sets it again; in the other order
        // that index would be lost.
        self.is_changed.store(false, Ordering::Release);
        Some(self.specs.lock().clone())
    }

    pub(super) fn is_changed(&self) -> bool {
        self.is_changed.load(Ordering::Acquire)
    }

    pub(super) fn changed(&self) -> &Arc<Notify> {
        &self.changed
    }

    /// Refuses every later addition: there is no writer any more.
    pub(super) fn stop(&self) {
        let _specs = self.specs.lock();
        self.has_stopped.store(true, Ordering::Release);
    }

    fn notify(&self) {
        self.is_changed.store(true, Ordering::Release);
        self.changed.notify_one();
    }
}

fn names(specs: &[Arc<IndexSpec>]) -> Vec<String> {
    specs.iter().map(|spec| spec.name.to_string()).collect()
}
