//! Runs what fuzzing runs over the checked-in corpus: each file whole, and cut off at every byte.

use std::fs;
use std::path::Path;

use tidings_source::fuzz;

fn check(target: &str, body: fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let mut files = 0;
    for entry in fs::read_dir(&directory).expect("the target has a corpus") {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        files += 1;
        for length in 0..=bytes.len() {
            body(&bytes[..length]);
        }
    }
    assert!(files >= 4, "{target} has a corpus of {files} files only");
}

#[test]
fn any_bytes_are_cut_into_the_same_frames() {
    check("frames", fuzz::frames);
}

#[test]
fn any_bytes_split_into_the_same_list() {
    check("list_split", fuzz::list_split);
}

#[test]
fn any_bytes_are_guessed_as_they_read() {
    check("watch_frame", fuzz::watch_frame);
}

#[test]
fn any_bytes_are_cut_into_the_same_frames_of_protobuf() {
    check("protobuf_frames", fuzz::protobuf_frames);
}

#[test]
fn any_bytes_split_into_the_same_list_of_protobuf() {
    check("protobuf_list_split", fuzz::protobuf_list_split);
}

#[test]
fn any_bytes_are_an_event_of_protobuf_or_none() {
    check("protobuf_watch_frame", fuzz::protobuf_watch_frame);
}

#[test]
fn any_bytes_become_a_bounded_status() {
    check("status", fuzz::status);
}

#[test]
fn any_bytes_unpack_the_same() {
    check("gunzip", fuzz::gunzip);
}
