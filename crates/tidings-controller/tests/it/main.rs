//! The integration tests of `tidings-controller`, in one program: each program links everything below it again.

#![allow(missing_docs, reason = "tests")]

mod controller;
mod election;
mod manager;
mod objects;
mod shard;

use tidings_test_types as _;
