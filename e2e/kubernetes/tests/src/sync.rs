//! The locks of this crate. No lock is held across an `.await`.

pub(crate) use parking_lot::Mutex;
