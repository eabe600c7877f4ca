//! Fuzzes `tidings_source::fuzz::frames`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_source::fuzz::frames(data));
