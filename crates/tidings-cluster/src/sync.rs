//! The one place this crate takes its locks from. No lock is ever held across an `.await`.

pub(crate) use parking_lot::Mutex;
