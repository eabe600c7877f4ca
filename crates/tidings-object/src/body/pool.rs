//! A pool of zstd contexts. A context takes some hundred kilobytes, so all informers of a factory share a pool, and
//! only a few contexts are kept idle.

use std::fmt;

use zstd::zstd_safe::{CCtx, DCtx};

use crate::sync::Mutex;

/// The zstd contexts that pack and unpack bodies.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::{Node, Pod};
/// use tidings_object::{Budget, Intake, Kind, PackPool};
///
/// let (pool, budget) = (Arc::new(PackPool::default()), Arc::new(Budget::default()));
/// let pods = Intake::new(Pod::resource(), Arc::clone(&budget)).with_pool(Arc::clone(&pool));
/// let nodes = Intake::new(Node::resource(), budget).with_pool(pool);
/// ```
#[doc(hidden)]
#[derive(Default)]
pub struct PackPool {
    compressors: Mutex<Vec<Compressor>>,
    decompressors: Mutex<Vec<DCtx<'static>>>,
}

/// A compression context and its output buffer.
pub(super) struct Compressor {
    pub(super) context: CCtx<'static>,
    pub(super) scratch: Vec<u8>,
}

/// Contexts beyond this number are dropped after use, so that a burst does not keep its memory.
const IDLE_MAX: usize = 8;

/// A context that grew beyond this for a huge object is dropped after use.
const CONTEXT_BYTES_MAX: usize = 4 << 20;

impl PackPool {
    /// The memory of its idle contexts.
    pub fn idle_bytes(&self) -> usize {
        let packing: usize = self.compressors.lock().iter().map(Compressor::memory_bytes).sum();
        packing + self.decompressors.lock().iter().map(DCtx::sizeof).sum::<usize>()
    }

    pub(super) fn with_compressor<T>(&self, work: impl FnOnce(&mut Compressor) -> T) -> T {
        let idle = self.compressors.lock().pop();
        let mut compressor =
            idle.unwrap_or_else(|| Compressor { context: CCtx::create(), scratch: Vec::new() });
        let result = work(&mut compressor);
        if compressor.memory_bytes() <= CONTEXT_BYTES_MAX {
            let mut idle = self.compressors.lock();
            if idle.len() < IDLE_MAX {
                idle.push(compressor);
            }
        }
        result
    }

    pub(super) fn with_decompressor<T>(&self, work: impl FnOnce(&mut DCtx<'static>) -> T) -> T {
        let idle = self.decompressors.lock().pop();
        let mut context = idle.unwrap_or_else(DCtx::create);
        let result = work(&mut context);
        if context.sizeof() <= CONTEXT_BYTES_MAX {
            let mut idle = self.decompressors.lock();
            if idle.len() < IDLE_MAX {
                idle.push(context);
            }
        }
        result
    }
}

impl Compressor {
    fn memory_bytes(&self) -> usize {
        self.context.sizeof() + self.scratch.capacity()
    }
}

impl fmt::Debug for PackPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackPool").field("idle_bytes", &self.idle_bytes()).finish()
    }
}
