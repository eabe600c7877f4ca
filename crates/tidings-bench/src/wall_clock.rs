//! The wall clock, which the processes of server and subject share.

use std::time::SystemTime;

/// Nanoseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "two processes compare times")]
pub(crate) fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
