//! Fuzzes `tidings_apiserver::patch::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_apiserver::patch::fuzz(data));
