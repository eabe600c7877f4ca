//! Fuzzes `tidings_protobuf::fuzz::encoded`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_protobuf::fuzz::encoded(data));
