//! Fuzzes `tidings_source::fuzz::protobuf_list_split`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_source::fuzz::protobuf_list_split(data));
