//! Fuzzes `tidings_source::fuzz::watch_frame`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_source::fuzz::watch_frame(data));
