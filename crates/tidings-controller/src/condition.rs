//! Waiting until an object is as it should be.
