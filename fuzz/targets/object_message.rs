//! Fuzzes `tidings_object::fuzz::message`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_object::fuzz::message(data));
