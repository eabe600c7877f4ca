//! Fuzzes `tidings_object::fuzz::identity`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_object::fuzz::identity(data));
