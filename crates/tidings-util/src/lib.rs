//! Small parts that all crates of tidings share. This crate knows nothing of Kubernetes and nothing of the other crates.
//!
//! It is internal: its interface may change in any release. The items that users need ([`Histogram`], [`WithCauses`],
//! [`BackoffConfig`](backoff::BackoffConfig)) are re-exported by the crates whose interface they are part of.

#[cfg(feature = "time")]
pub mod backoff;
mod causes;
#[cfg(feature = "time")]
pub mod clock;
mod histogram;
#[cfg(feature = "json")]
pub mod json_diff;
mod panic;
#[cfg(feature = "watch")]
mod sync;
#[cfg(feature = "watch")]
pub mod watch;

pub use causes::WithCauses;
pub use histogram::Histogram;
pub use panic::panic_message;
