//! The integration tests of `tidings-protobuf`, in one program: each program links everything below it again.

#![allow(missing_docs, reason = "tests")]

mod equality;
mod fuzz_corpus;
