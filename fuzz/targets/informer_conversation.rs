//! Fuzzes `talk::conversation`, which stands beside the test that runs it over its corpus.
#![no_main]

#[path = "../../crates/tidings-informer/tests/it/conversation/talk.rs"]
mod talk;

libfuzzer_sys::fuzz_target!(|data: &[u8]| talk::conversation(data));
