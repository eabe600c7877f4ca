//! Fuzzes `tidings_object::fuzz::prune`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_object::fuzz::prune(data));
