//! The integration tests of `tidings-object`, in one program: each program links everything below it again.

#![allow(missing_docs, reason = "tests")]

mod corpus;
mod wires;

use tidings_test_types as _;
