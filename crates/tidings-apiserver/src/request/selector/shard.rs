//! `shardSelector`: objects by the hash of their uid or namespace
//! ([KEP-5866](https://github.com/kubernetes/enhancements/issues/5866)).
//!
//! ```text
//! shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || shardRange(...)
//! ```
//!
//! A selector is an expression in CEL. Kubernetes parses it, never evaluates it, and allows only calls of `shardRange`,
//! joined by `||`. This parser reads just that, with parentheses around any part. Nested parentheses are counted, not
//! recursed into: `||` is associative, so that they do not change the meaning.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;

use super::SELECTOR_BYTES_MAX;
use crate::status::ApiError;
use crate::store::StoredObject;

/// Ranges of hashes of one field. An object is selected if its hash is in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShardSelector {
    field: ShardField,
    ranges: Vec<HashRange>,
}

/// The field whose hash decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShardField {
    Uid,
    Namespace,
}

/// It includes the start and excludes the end, which is up to 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HashRange {
    start: u128,
    end: u128,
}

/// The number of hashes, as the end of a range is written.
const HASHES_TEXT: &str = "0x10000000000000000";

impl ShardSelector {
    /// Parses a selector; a 500 if it is not valid, as in Kubernetes.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        if text.len() > SELECTOR_BYTES_MAX {
            return Err(ApiError::bad_request("selector is too long"));
        }
        parsed(text).map_err(|why| ApiError::unexpected(format!("invalid shard selector: {why}")))
    }

    pub(super) fn matches(&self, object: &StoredObject) -> bool {
        let hash = u128::from(match self.field {
            ShardField::Uid => fnv1a(&uid(object)),
            ShardField::Namespace => fnv1a(object.namespace()),
        });
        self.ranges.iter().any(|range| range.start <= hash && hash < range.end)
    }
}

/// Formats it as `metadata.shardInfo.selector` shows it: with the same spaces whatever the client sent.
impl fmt::Display for ShardSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, HashRange { start, end }) in self.ranges.iter().enumerate() {
            let or = if i == 0 { "" } else { " || " };
            write!(f, "{or}shardRange({}, '{start:#018x}', '{end:#018x}')", self.field.path())?;
        }
        Ok(())
    }
}

impl ShardField {
    fn path(self) -> &'static str {
        match self {
            Self::Uid => "object.metadata.uid",
            Self::Namespace => "object.metadata.namespace",
        }
    }

    fn of(path: &str) -> Option<Self> {
        [Self::Uid, Self::Namespace].into_iter().find(|field| field.path() == path)
    }
}

/// The uid; empty if there is none.
fn uid(object: &StoredObject) -> String {
    #[derive(Deserialize)]
    struct UidOnly<'a> {
        #[serde(default, borrow)]
        uid: Cow<'a, str>,
    }
    serde_json::from_slice::<UidOnly<'_>>(object.metadata())
        .map(|only| only.uid.into_owned())
        .unwrap_or_default()
}

/// The 64-bit FNV-1a hash.
fn fnv1a(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn parsed(text: &str) -> Result<ShardSelector, String> {
    if text.trim().is_empty() {
        return Err("empty shard selector is not allowed; omit the parameter for unfiltered lists".to_owned());
    }
    let mut tokens = Tokens { rest: text, depth: 0 };
    let mut calls = Vec::new();
    loop {
        tokens.open_parentheses();
        calls.push(tokens.shard_range()?);
        if !tokens.close_parentheses()? {
            break;
        }
    }
    let (field, first) = calls[0];
    let mut ranges = vec![first];
    for (other, range) in &calls[1..] {
        if *other != field {
            let (one, two) = (field.path(), other.path());
            return Err(format!("all shard ranges must use the same field, got {one:?} and {two:?}"));
        }
        ranges.push(*range);
    }
    Ok(ShardSelector { field, ranges })
}

/// An argument of a call.
#[derive(Clone, Copy)]
enum Argument<'a> {
    /// A name, or names that are joined by dots; with the spaces between them.
    Path(&'a str),
    /// The content of a literal text.
    Text(&'a str),
}

/// Reads an expression from its start.
struct Tokens<'a> {
    rest: &'a str,
    /// How many parentheses are open.
    depth: usize,
}

impl<'a> Tokens<'a> {
    /// Skips spaces, and then this text if it is next.
    fn take(&mut self, expected: &str) -> bool {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, expected: &str) -> Result<(), String> {
        if self.take(expected) { Ok(()) } else { Err(self.syntax_error(expected)) }
    }

    fn syntax_error(&self, expected: &str) -> String {
        let found = self.rest.chars().next().map_or("the end".to_owned(), |next| format!("{next:?}"));
        format!("CEL parse error: Syntax error: expected '{expected}', found {found}")
    }

    fn open_parentheses(&mut self) {
        while self.take("(") {
            self.depth += 1;
        }
    }

    /// Reads up to the next `||`. Returns whether there is one; otherwise the expression has ended.
    fn close_parentheses(&mut self) -> Result<bool, String> {
        while self.depth > 0 && self.take(")") {
            self.depth -= 1;
        }
        if self.take("||") {
            return Ok(true);
        }
        match (self.rest, self.depth) {
            ("", 0) => Ok(false),
            (_, 0) => Err(self.syntax_error("||")),
            _ => Err(self.syntax_error(")")),
        }
    }

    fn shard_range(&mut self) -> Result<(ShardField, HashRange), String> {
        let function = self.word()?;
        if !self.take("(") {
            return Err("unexpected expression kind; expected shardRange() call or || operator".to_owned());
        }
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.argument()?);
        }
        if function != "shardRange" {
            return Err(format!("unsupported function {function:?}; only shardRange() and || are allowed"));
        }
        let [field, start, end] = arguments[..] else {
            return Err(format!("shardRange() requires exactly 3 arguments, got {}", arguments.len()));
        };
        let Argument::Path(path) = field else {
            return Err(
                "shardRange() first argument: expected field path (e.g. object.metadata.uid)".to_owned()
            );
        };
        let path: String = path.split_whitespace().collect();
        let supported = "supported: object.metadata.uid, object.metadata.namespace";
        let field =
            ShardField::of(&path).ok_or_else(|| format!("unsupported field path {path:?}; {supported}"))?;
        let (start_hash, end_hash) = (bound(start, "hexStart")?, bound(end, "hexEnd")?);
        if start_hash >= end_hash {
            let (start, end) = (format!("{start_hash:#018x}"), format!("{end_hash:#018x}"));
            return Err(format!("shard range start {start} must be less than end {end}"));
        }
        Ok((field, HashRange { start: start_hash, end: end_hash }))
    }

    fn word(&mut self) -> Result<&'a str, String> {
        self.take("");
        let is_part = |next: char| next.is_ascii_alphanumeric() || next == '_';
        let end = self.rest.find(|next| !is_part(next)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() || word.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(self.syntax_error("shardRange"));
        }
        self.rest = rest;
        Ok(word)
    }

    fn argument(&mut self) -> Result<Argument<'a>, String> {
        for quote in ["'", "\""] {
            if self.take(quote) {
                let (text, rest) = self.rest.split_once(quote).ok_or_else(|| self.syntax_error(quote))?;
                if text.contains(['\\', '\n']) {
                    return Err(self.syntax_error(quote));
                }
                self.rest = rest;
                return Ok(Argument::Text(text));
            }
        }
        self.take("");
        let from = self.rest;
        self.word()?;
        while self.take(".") {
            self.word()?;
        }
        Ok(Argument::Path(&from[..from.len() - self.rest.len()]))
    }
}

/// A bound of a range: `0x` and sixteen digits, or 2^64.
fn bound(argument: Argument<'_>, name: &str) -> Result<u128, String> {
    let Argument::Text(text) = argument else {
        return Err(format!("{name} must be a string literal (e.g. '0xff')"));
    };
    let Some(digits) = text.strip_prefix("0x") else {
        return Err(format!("{name} must have '0x' prefix, got {text:?}"));
    };
    if digits.is_empty() {
        return Err(format!("{name}: hex value is required after '0x'"));
    }
    if digits.len() > 17 {
        return Err(format!("{name}: hex value too long ({} chars, max 17): {digits:?}", digits.len()));
    }
    if let Some(other) = digits.chars().find(|digit| !matches!(digit, '0'..='9' | 'a'..='f')) {
        return Err(format!("{name}: invalid hex character {:?} in {text:?}", other.to_string()));
    }
    match digits.len() {
        17 if text != HASHES_TEXT => {
            Err(format!("{name}: 17-digit hex value must be '{HASHES_TEXT}' (2^64), got {text:?}"))
        }
        16 | 17 => Ok(u128::from_str_radix(digits, 16).expect("these are at most 17 digits")),
        _ => {
            let meant = format!("0x{digits:0>16}");
            Err(format!(
                "{name} must be a 0x-prefixed 16-digit hex value, got {text:?} (did you mean {meant:?}?)"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store::{KeyOrder, UnversionedObject};

    const LOW: &str = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
    const HIGH: &str = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

    fn object(namespace: &str, uid: &str) -> StoredObject {
        let value = json!({"metadata": {"name": "x", "namespace": namespace, "uid": uid}});
        UnversionedObject::encode(format!("{namespace}/x"), value.as_object().unwrap(), KeyOrder::Struct)
            .at(1)
    }

    #[test]
    fn an_object_is_in_the_range_of_its_hash() {
        assert_eq!((fnv1a(""), fnv1a("foobar")), (0xcbf2_9ce4_8422_2325, 0x8594_4171_f739_67e8));
        let (low, high) = (ShardSelector::parse(LOW).unwrap(), ShardSelector::parse(HIGH).unwrap());
        let both = ShardSelector::parse(&format!("{LOW} || {HIGH}")).unwrap();
        for number in 0..50 {
            let object = object("t", &format!("uid-{number}"));
            assert_ne!(low.matches(&object), high.matches(&object));
            assert!(both.matches(&object));
        }
        let by_namespace = ShardSelector::parse(&HIGH.replace("uid", "namespace")).unwrap();
        for namespace in ["foobar", "a", "b", "c"] {
            let is_high = fnv1a(namespace) >= 1 << 63;
            assert_eq!(by_namespace.matches(&object(namespace, "any")), is_high, "{namespace}");
        }
        let exact = "shardRange(object.metadata.uid, '0x85944171f73967e8', '0x85944171f73967e9')";
        assert!(ShardSelector::parse(exact).unwrap().matches(&object("t", "foobar")));
        let before = "shardRange(object.metadata.uid, '0x85944171f73967e7', '0x85944171f73967e8')";
        assert!(
            !ShardSelector::parse(before).unwrap().matches(&object("t", "foobar")),
            "the end is excluded"
        );
    }

    #[test]
    fn a_selector_is_shown_in_one_form_however_it_was_written() {
        for text in [
            format!("{LOW} || {HIGH}"),
            format!(" ({LOW}||\n(({HIGH}))) "),
            format!("{LOW} || {HIGH}").replace('\'', "\"").replace(", ", ","),
            format!("{LOW} || {HIGH}").replace("(object.metadata", "( object . metadata"),
        ] {
            assert_eq!(
                ShardSelector::parse(&text).unwrap().to_string(),
                format!("{LOW} || {HIGH}"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_selector_that_kubernetes_refuses_is_refused_with_its_message() {
        for (text, message) in [
            (" ", "empty shard selector is not allowed; omit the parameter for unfiltered lists"),
            (
                "has(object.metadata.uid)",
                "unsupported function \"has\"; only shardRange() and || are allowed",
            ),
            ("shardRange('a')", "shardRange() requires exactly 3 arguments, got 1"),
            (
                &LOW.replace("object.metadata.uid", "metadata.uid"),
                "unsupported field path \"metadata.uid\"; supported: object.metadata.uid, object.metadata.namespace",
            ),
            (
                &LOW.replace("0x8000000000000000", "0x8"),
                "hexEnd must be a 0x-prefixed 16-digit hex value, got \"0x8\" (did you mean \"0x0000000000000008\"?)",
            ),
            (&LOW.replace("0x8000000000000000", "8"), "hexEnd must have '0x' prefix, got \"8\""),
            (&LOW.replace("0x8000000000000000", "0x"), "hexEnd: hex value is required after '0x'"),
            (
                &LOW.replace("0x8000000000000000", "0x800000000000000A"),
                "hexEnd: invalid hex character \"A\" in \"0x800000000000000A\"",
            ),
            (
                &HIGH.replace("0x10000000000000000", "0x10000000000000001"),
                "hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got \"0x10000000000000001\"",
            ),
            (
                &LOW.replace("0x8000000000000000", "0x0000000000000000"),
                "shard range start 0x0000000000000000 must be less than end 0x0000000000000000",
            ),
            (
                &format!("{LOW} || {}", HIGH.replace("uid", "namespace")),
                "all shard ranges must use the same field, got \"object.metadata.uid\" and \"object.metadata.namespace\"",
            ),
        ] {
            let error = ShardSelector::parse(text).unwrap_err();
            assert_eq!((error.code, error.reason), (500, ""), "{text}");
            assert_eq!(error.message, format!("invalid shard selector: {message}"));
        }
        for text in [
            "true",
            "(",
            ")",
            &format!("({LOW}"),
            &format!("{LOW})"),
            &format!("{LOW} && {HIGH}"),
            "a(1)",
            "a('",
        ] {
            assert_eq!(ShardSelector::parse(text).unwrap_err().code, 500, "{text}");
        }
        assert_eq!(ShardSelector::parse(&"(".repeat(SELECTOR_BYTES_MAX + 1)).unwrap_err().code, 400);
    }
}
