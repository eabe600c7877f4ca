//! Fuzzes `tidings_apiserver::fuzz::fuzz_selector`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_apiserver::fuzz::fuzz_selector(data));
