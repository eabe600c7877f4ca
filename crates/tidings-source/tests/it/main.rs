//! The integration tests of `tidings-source`, in one program: each program links everything below it again.

#![allow(missing_docs, reason = "tests")]

mod apiserver;
mod client;
mod corpus;
mod wire;

use tidings_test_types as _;
