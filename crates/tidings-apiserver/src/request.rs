//! Parses requests: path, query, `Accept` header, selectors, continue token.
//!
//! All functions here are pure functions of untrusted text. They never panic and never recurse.

pub(crate) mod accept;
pub(crate) mod continue_token;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod selector;

pub(crate) use accept::{Content, Representation};
pub(crate) use path::{RequestTarget, ResourcePath};
pub use query::RequestOptions;
pub(crate) use selector::Selection;

/// Decodes percent-encoding, and `+` in queries. `None` if an escape is malformed or the result is not UTF-8.
fn percent_decoded(text: &str, plus: Plus) -> Option<String> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'%' => {
                let high = char::from(*bytes.get(at + 1)?).to_digit(16)?;
                let low = char::from(*bytes.get(at + 2)?).to_digit(16)?;
                decoded.push(u8::try_from(high * 16 + low).ok()?);
                at += 3;
            }
            b'+' if plus == Plus::IsSpace => {
                decoded.push(b' ');
                at += 1;
            }
            byte => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plus {
    IsSpace,
    IsPlus,
}
