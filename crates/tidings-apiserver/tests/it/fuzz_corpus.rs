//! Runs every request parser over its checked-in corpus, and over truncated and corrupted cases.

use std::path::Path;

use tidings_apiserver::fuzz::TARGETS;

#[test]
fn no_parser_panics_on_its_corpus_or_on_corrupted_cases() {
    for (name, run) in TARGETS {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let entries: Vec<_> =
            std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(entries.len() >= 5, "{name} has a corpus");
        for path in entries {
            let data = std::fs::read(&path).unwrap();
            run(&data);
            for end in 0..data.len().min(512) {
                run(&data[..end]);
                let mut changed = data.clone();
                for flip in [0x01, 0x20, 0x80] {
                    changed[end] ^= flip;
                    run(&changed);
                    changed[end] ^= flip;
                }
            }
        }
    }
}
