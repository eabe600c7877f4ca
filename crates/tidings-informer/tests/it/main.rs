//! The integration tests of `tidings-informer`, in one program: each program links everything below it again.

#![allow(missing_docs, reason = "tests")]

mod conversation;
mod informer;
mod reflector;
mod traced;

use tidings_test_types as _;
