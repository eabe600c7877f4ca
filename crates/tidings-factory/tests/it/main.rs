//! The integration tests of `tidings-factory`, in one program: each program links everything below it again.

#![allow(missing_docs, reason = "tests")]

mod metrics;
mod shard;
mod wire;

use tidings_test_types as _;
