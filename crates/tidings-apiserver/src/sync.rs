//! The locks of this crate. No lock is ever held across an `.await`.

pub(crate) use parking_lot::{Mutex, MutexGuard};
