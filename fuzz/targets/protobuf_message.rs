//! Fuzzes `tidings_protobuf::fuzz::message`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_protobuf::fuzz::message(data));
