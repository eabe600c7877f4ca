//! Runs the bodies of the fuzz targets over the checked-in corpus: each file as a whole, and cut at every byte.

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
fn json_frames_do_not_depend_on_the_chunks() {
    check("frames", fuzz::frames);
}

#[test]
fn json_lists_do_not_depend_on_the_chunks() {
    check("list_split", fuzz::list_split);
}

#[test]
fn the_fast_path_of_watch_frames_reads_the_same() {
    check("watch_frame", fuzz::watch_frame);
}

#[test]
fn protobuf_frames_do_not_depend_on_the_chunks() {
    check("protobuf_frames", fuzz::protobuf_frames);
}

#[test]
fn protobuf_lists_do_not_depend_on_the_chunks() {
    check("protobuf_list_split", fuzz::protobuf_list_split);
}

#[test]
fn any_protobuf_frame_can_be_read_without_a_panic() {
    check("protobuf_watch_frame", fuzz::protobuf_watch_frame);
}

#[test]
fn any_error_response_gives_a_bounded_status() {
    check("status", fuzz::status);
}

#[test]
fn gzip_does_not_depend_on_the_chunks() {
    check("gunzip", fuzz::gunzip);
}
