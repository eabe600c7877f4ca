//! Runs the body of a fuzz target over its checked-in corpus: whole conversations of a client and a server. It is a
//! test and not a part of the library, because it needs an HTTP client and a runtime with paused time.

#[path = "conversation/driver.rs"]
mod driver;

use std::fs;
use std::path::Path;

use tidings_object::Wire;

use driver::script::{ANSWER_SEPARATOR, Script};

/// Runs each file as a whole, and truncated at several lengths.
#[test]
fn after_any_conversation_the_cache_equals_the_last_list() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/conversation");
    let mut files = 0;
    for entry in fs::read_dir(&directory).expect("the corpus exists") {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        files += 1;
        let step = bytes.len() / 16 + 1;
        (0..bytes.len()).step_by(step).for_each(|length| driver::conversation(&bytes[..length]));
        driver::conversation(&bytes);
    }
    assert!(files >= 4, "the corpus has only {files} files");
}

/// The corpus is only useful if its objects reach the handlers, in both encodings.
#[test]
fn an_object_of_a_conversation_reaches_the_handlers_in_both_encodings() {
    for (wire, flags) in [(Wire::Json, 0b10), (Wire::Protobuf, 0b11)] {
        let web = driver::encoded::pod(wire, "shop", "web", "uid-web", "7", "web:1");
        let listed = [&[flags, 0, 1], &web[..]].concat();
        let deleted = [&[0, 3], &web[..]].concat();
        let script = Script::parse(&[&listed[..], &deleted[..]].join(&ANSWER_SEPARATOR[..]));
        let notified = driver::run(&script, usize::MAX);
        let has = |prefix: &str| notified.iter().any(|line| line.starts_with(prefix));
        assert!(
            has("add true shop/web uid-web@7") && has("delete false shop/web uid-web@7"),
            "{wire:?}: {notified:#?}"
        );
    }
}
