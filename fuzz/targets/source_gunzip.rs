//! Fuzzes `tidings_source::fuzz::gunzip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_source::fuzz::gunzip(data));
