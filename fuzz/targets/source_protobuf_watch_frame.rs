//! Fuzzes `tidings_source::fuzz::protobuf_watch_frame`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_source::fuzz::protobuf_watch_frame(data));
