//! The manager's endpoints: one registry for everything that it runs, and its own checks. Without the feature
//! `endpoints` there is no door, and nothing is ever served.

#[cfg(not(feature = "endpoints"))]
mod closed;
#[cfg(feature = "endpoints")]
mod open;

#[cfg(not(feature = "endpoints"))]
pub(super) use closed::{Door, Plan};
#[cfg(feature = "endpoints")]
pub(super) use open::{Door, Plan};
