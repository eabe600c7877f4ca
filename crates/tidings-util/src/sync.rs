//! The locks and atomics of this crate.

pub(crate) use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use parking_lot::{
    MappedRwLockReadGuard as MappedReadGuard, RwLock, RwLockReadGuard as ReadGuard,
};
