//! Fuzzes `tidings_object::fuzz::selector`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_object::fuzz::selector(data));
