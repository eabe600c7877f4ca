//! Fuzzes `tidings_source::fuzz::status`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_source::fuzz::status(data));
