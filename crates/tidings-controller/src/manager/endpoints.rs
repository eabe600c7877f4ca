//! The manager's endpoints: one registry for everything that it runs, and its own checks. Without the feature
//! `endpoints` there is no endpoints, and nothing is ever served.

#[cfg(not(feature = "endpoints"))]
mod disabled;
#[cfg(feature = "endpoints")]
mod enabled;

#[cfg(not(feature = "endpoints"))]
pub(super) use disabled::{EndpointOptions, EndpointServer};
#[cfg(feature = "endpoints")]
pub(super) use enabled::{EndpointOptions, EndpointServer};
