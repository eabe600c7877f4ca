//! One function for each parser of text from outside: takes any bytes, must not panic. What `cargo fuzz` calls, and what the
//! tests call over the checked-in corpus.

pub use crate::crd::fuzz as fuzz_crd;
pub use crate::patch::fuzz as fuzz_patch;
pub use crate::protobuf::fuzz as fuzz_protobuf;
pub use crate::table::fuzz as fuzz_table;
pub use crate::validate::fuzz as fuzz_validate;

use crate::request::continue_token::ContinueToken;
use crate::request::{Selection, accept, path, query};
use crate::resource::builtin::builtin_resources;

/// A fuzz target and its name, which is that of its corpus directory.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// All targets of the crate.
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
        // Dots may be a name, which is refused later, and nothing else.
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

/// A label selector and a field selector, parted by a line end.
pub fn fuzz_selector(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (labels, fields) = text.split_once('\n').unwrap_or((text, text));
    if let Some(pods) = builtin_resources().iter().find(|def| def.kind == "Pod") {
        let _ = Selection::parse(pods, labels, fields);
    }
}

/// A continue token. One that is read is written as one that reads the same.
pub fn fuzz_continue_token(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(token) = ContinueToken::decode(text) {
        assert_eq!(ContinueToken::decode(&token.encode()).as_ref(), Ok(&token));
    }
}
