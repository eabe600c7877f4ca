//! Fuzz targets: one function for each parser of untrusted text. It takes arbitrary bytes and must not panic.
//!
//! `cargo fuzz` calls them, and tests call them with the checked-in corpus.

pub use crate::crd::fuzz as fuzz_crd;
pub use crate::patch::fuzz as fuzz_patch;
pub use crate::protobuf::fuzz as fuzz_protobuf;
pub use crate::table::fuzz as fuzz_table;
pub use crate::validate::fuzz as fuzz_validate;

use crate::request::continue_token::ContinueToken;
use crate::request::selector::ShardSelector;
use crate::request::{Selection, accept, path, query};
use crate::resource::builtin::builtin_resources;

/// The name of a fuzz target, which is also the name of its corpus directory, and the target.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// The targets for request parsers.
pub const TARGETS: &[FuzzTarget] = &[
    ("path", fuzz_path),
    ("query", fuzz_query),
    ("accept", fuzz_accept),
    ("selector", fuzz_selector),
    ("continue_token", fuzz_continue_token),
];

/// A request's path.
pub fn fuzz_path(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Some(path::RequestTarget::Resource(found)) = path::parse(text) {
        for part in [&found.namespace, &found.name, &found.subresource].into_iter().flatten() {
            assert!(!part.is_empty() && !part.contains('/'));
        }
        // Only a name may be `..`; it is refused later.
        assert!(
            found.namespace.is_none_or(|part| part != "..")
                && found.subresource.is_none_or(|part| part != "..")
        );
    }
}

/// A request's query.
pub fn fuzz_query(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(options) = query::parse(text) {
        let _ = options.check_list();
        let _ = options.version();
        let _ = options.is_dry_run("UpdateOptions");
    }
}

/// An `Accept` header.
pub fn fuzz_accept(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = accept::negotiate(Some(text), accept::ResponseKind::Object, |_| true);
}

/// A label selector and a field selector, separated by a newline. Each is also read as a shard selector: one that is
/// valid reads back from its own text.
pub fn fuzz_selector(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (labels, fields) = text.split_once('\n').unwrap_or((text, text));
    if let Some(pods) = builtin_resources().iter().find(|def| def.kind == "Pod") {
        let _ = Selection::parse(pods, labels, fields);
    }
    for text in [labels, fields] {
        if let Ok(shard) = ShardSelector::parse(text) {
            assert_eq!(ShardSelector::parse(&shard.to_string()).as_ref(), Ok(&shard));
        }
    }
}

/// A continue token. A decoded token encodes to one that decodes to the same.
pub fn fuzz_continue_token(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(token) = ContinueToken::decode(text) {
        assert_eq!(ContinueToken::decode(&token.encode()).as_ref(), Ok(&token));
    }
}

/// Runs a fuzz target over its checked-in corpus.
#[cfg(test)]
pub(crate) fn run_corpus(name: &str, target: fn(&[u8]), cases_min: usize) {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut cases = 0;
    for entry in std::fs::read_dir(corpus).expect("the corpus is checked in") {
        target(&std::fs::read(entry.expect("a readable entry").path()).expect("a readable case"));
        cases += 1;
    }
    assert!(cases >= cases_min, "the corpus of {name} has only {cases} cases");
}
