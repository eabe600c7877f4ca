//! Fuzzes `tidings_protobuf::fuzz::wire`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tidings_protobuf::fuzz::wire(data));
