//! Fuzzes `tidings_apiserver::validate::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_apiserver::validate::fuzz(data));
