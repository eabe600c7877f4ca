//! Runs the fuzz targets over the checked-in corpus, and over prefixes of each file.

use std::fs;
use std::path::Path;

use tidings_protobuf::fuzz;

#[test]
fn no_file_of_the_corpus_and_no_prefix_of_one_causes_a_panic() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (target, run) in fuzz::TARGETS {
        let mut files = 0;
        for file in fs::read_dir(corpus.join(target)).expect("each target has a corpus") {
            let bytes = fs::read(file.expect("a file of the corpus").path()).expect("it can be read");
            let step = bytes.len().div_ceil(300).max(1);
            (0..bytes.len()).step_by(step).for_each(|end| run(&bytes[..end]));
            run(&bytes);
            files += 1;
        }
        assert!(files >= 3, "{target} has {files} files");
    }
}
