//! The endpoints of a manager: metrics of all that it runs, its probes, and the user's routes. Without the feature
//! `endpoints`, the same types exist and serve nothing.

#[cfg(not(feature = "endpoints"))]
mod disabled;
#[cfg(feature = "endpoints")]
mod enabled;

#[cfg(not(feature = "endpoints"))]
pub(super) use disabled::{EndpointOptions, EndpointServer};
#[cfg(feature = "endpoints")]
pub(super) use enabled::{EndpointOptions, EndpointServer};
