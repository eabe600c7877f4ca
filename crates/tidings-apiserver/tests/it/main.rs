//! The integration tests of `tidings-apiserver`, in one program: each program links everything below it again.

#![allow(missing_docs, reason = "tests")]

mod fuzz_corpus;
mod requests;

use tidings_test_types as _;
