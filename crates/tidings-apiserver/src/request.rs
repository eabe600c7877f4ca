//! What a client asked: path, query, accepted representation, selectors, continue token.
//!
//! Everything here is a pure function over text from outside: it never panics, never recurses, and touches no object.

pub(crate) mod accept;
pub(crate) mod continue_token;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod selector;

pub(crate) use accept::{Content, Representation, Wire};
pub(crate) use path::{RequestTarget, ResourcePath};
pub use query::RequestOptions;
pub(crate) use selector::Selection;

/// Undoes percent-encoding (`+` too, in queries); `None` if the result is not text or an escape is broken.
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
