//! Fuzzes `driver::conversation`. A test beside it runs it over its corpus.
#![no_main]

#[path = "../../crates/tidings-informer/tests/it/conversation/driver.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|data: &[u8]| driver::conversation(data));
