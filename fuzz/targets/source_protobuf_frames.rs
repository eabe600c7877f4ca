//! Fuzzes `tidings_source::fuzz::protobuf_frames`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_source::fuzz::protobuf_frames(data));
