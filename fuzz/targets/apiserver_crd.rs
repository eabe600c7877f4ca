//! Fuzzes `tidings_apiserver::fuzz::fuzz_crd`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_apiserver::fuzz::fuzz_crd(data));
