//! Runs what fuzzing runs over the checked-in corpus of whole conversations. A test and no part of the library: it
//! needs an HTTP client and a runtime whose time is paused.

#[path = "conversation/talk.rs"]
mod talk;

use std::fs;
use std::path::Path;

use tidings_object::Wire;

use talk::script::{BETWEEN_ANSWERS, Script};

/// Each file whole, and cut off at some places.
#[test]
fn any_conversation_ends_with_a_cache_that_equals_the_last_list() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/conversation");
    let mut files = 0;
    for entry in fs::read_dir(&directory).expect("there is a corpus") {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        files += 1;
        let step = bytes.len() / 16 + 1;
        (0..bytes.len()).step_by(step).for_each(|length| talk::conversation(&bytes[..length]));
        talk::conversation(&bytes);
    }
    assert!(files >= 4, "a corpus of {files} files only");
}

/// What makes the corpus worth something: a wrapped object reaches the handlers, on either wire.
#[test]
fn an_object_of_a_conversation_reaches_the_handlers_on_either_wire() {
    for (wire, flags) in [(Wire::Json, 0b10), (Wire::Protobuf, 0b11)] {
        let web = talk::written::pod(wire, "shop", "web", "uid-web", "7", "web:1");
        let listed = [&[flags, 0, 1], &web[..]].concat();
        let deleted = [&[0, 3], &web[..]].concat();
        let script = Script::parse(&[&listed[..], &deleted[..]].join(&BETWEEN_ANSWERS[..]));
        let heard = talk::run(&script, usize::MAX);
        let told = |line: &str| heard.iter().any(|heard| heard.starts_with(line));
        assert!(
            told("add true shop/web uid-web@7") && told("delete false shop/web uid-web@7"),
            "{wire:?}: {heard:#?}"
        );
    }
}
