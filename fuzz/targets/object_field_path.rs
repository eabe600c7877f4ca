//! Fuzzes `tidings_object::fuzz::field_path`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_object::fuzz::field_path(data));
