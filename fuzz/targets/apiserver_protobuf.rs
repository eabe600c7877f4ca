//! Fuzzes `tidings_apiserver::protobuf::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_apiserver::protobuf::fuzz(data));
