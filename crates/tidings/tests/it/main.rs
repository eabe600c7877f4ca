//! The integration tests of `tidings`, in one program: each program links everything below it again.

#![allow(missing_docs, reason = "tests")]

mod collections;
mod contract;
mod diagnostics;
mod examples;
mod informers;
mod metrics;
mod tidy;

use tidings_test_types as _;
