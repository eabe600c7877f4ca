//! The one place this crate takes its atomics from.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
