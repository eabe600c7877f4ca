//! Fuzzes `tidings_apiserver::table::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_apiserver::table::fuzz(data));
