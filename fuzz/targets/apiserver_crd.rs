//! Fuzzes `tidings_apiserver::crd::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_apiserver::crd::fuzz(data));
