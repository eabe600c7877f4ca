//! A tree of JSON values in one vector, in pre-order: each value is followed by its children, and has the index of the
//! next value that is not a descendant. It is cheaper than `serde_json::Value`, because it needs no map and no vector
//! for each object.
//!
//! ```text
//! {"a":[1,2],"b":3}
//! index  0 the object (next 5)   1 a: the list (next 4)   2 1 (next 3)   3 2 (next 4)   4 b: 3 (next 5)
//! ```
//!
//! Text without escapes is borrowed from the source, and numbers are parsed on demand. A text that is not JSON has no
//! tree. Recursion is bounded by [`NESTED_MAX`].

use std::ops::Range;

use memchr::memchr2;
use serde_json::Number;

/// All values of a text.
pub(super) struct Tree<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    /// The decoded strings with escapes, which are few, sorted by their offset.
    unescaped: Vec<(u32, String)>,
}

/// One value.
#[derive(Clone, Copy)]
pub(super) struct Json<'t> {
    tree: &'t Tree<'t>,
    node: &'t Node,
    /// The index of its node.
    at: usize,
}

struct Node {
    /// Its name, if it is a member of an object.
    name: Span,
    value: Span,
    /// The index of the first node that is neither this one nor a descendant.
    next: u32,
}

/// A part of the text. For a string, it is the part between the quotes.
#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

/// The maximum nesting of values, which is more than that of any message.
const NESTED_MAX: usize = 4 * crate::DEPTH_MAX;

/// An estimate of the text per value, for the initial capacity.
const BYTES_PER_NODE: usize = 16;

impl<'a> Tree<'a> {
    /// Parses a text; `None` if it is not JSON, or longer than 4 GiB.
    pub(super) fn read(text: &'a str) -> Option<Tree<'a>> {
        u32::try_from(text.len()).ok()?;
        let tree =
            Tree { text, nodes: Vec::with_capacity(text.len() / BYTES_PER_NODE + 1), unescaped: Vec::new() };
        // One cheap pass over the text. A compact text has no control characters, and then strings need no check.
        let has_controls = text.bytes().fold(false, |has, byte| has | is_control(byte));
        let mut parser = Parser { text: text.as_bytes(), at: 0, has_controls, tree };
        parser.value(Span::default(), 0)?;
        parser.skip_space();
        (parser.at == text.len()).then_some(parser.tree)
    }

    /// The outermost value.
    pub(super) fn root(&self) -> Json<'_> {
        self.json(0)
    }

    fn json(&self, at: usize) -> Json<'_> {
        Json { tree: self, node: &self.nodes[at], at }
    }

    /// The decoded string.
    fn string(&self, span: Span) -> &str {
        match self.unescaped.binary_search_by_key(&span.start, |(start, _)| *start) {
            Ok(at) => &self.unescaped[at].1,
            Err(_) => &self.text[span.range()],
        }
    }
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<'t> Json<'t> {
    /// The JSON text of the value.
    pub(super) fn text(self) -> &'t str {
        &self.tree.text[self.node.value.range()]
    }

    fn first(self) -> u8 {
        self.tree.text.as_bytes()[self.node.value.start as usize]
    }

    /// The value, unless it is null.
    pub(super) fn unless_null(self) -> Option<Json<'t>> {
        (self.first() != b'n').then_some(self)
    }

    pub(super) fn as_bool(self) -> Option<bool> {
        match self.first() {
            b't' => Some(true),
            b'f' => Some(false),
            _ => None,
        }
    }

    pub(super) fn as_number(self) -> Option<Number> {
        matches!(self.first(), b'-' | b'0'..=b'9').then(|| number(self.text()))?
    }

    pub(super) fn as_str(self) -> Option<&'t str> {
        let Span { start, end } = self.node.value;
        (self.first() == b'"').then(|| self.tree.string(Span { start: start + 1, end: end - 1 }))
    }

    pub(super) fn is_list(self) -> bool {
        self.first() == b'['
    }

    pub(super) fn is_object(self) -> bool {
        self.first() == b'{'
    }

    /// The items of a list.
    pub(super) fn items(self) -> Option<impl Iterator<Item = Json<'t>>> {
        self.is_list().then(|| self.inner())
    }

    /// The members of an object in their order, each with its name.
    pub(super) fn members(self) -> Option<impl Iterator<Item = (&'t str, Json<'t>)>> {
        self.is_object().then(|| self.inner().map(|member| (member.tree.string(member.node.name), member)))
    }

    fn inner(self) -> impl Iterator<Item = Json<'t>> {
        let mut next = self.at + 1;
        std::iter::from_fn(move || {
            let inner = (next < self.node.next as usize).then(|| self.tree.json(next))?;
            next = inner.node.next as usize;
            Some(inner)
        })
    }
}

/// Parses a text.
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether the text has control characters, which are invalid in a string.
    has_controls: bool,
    tree: Tree<'a>,
}

impl Parser<'_> {
    fn value(&mut self, name: Span, depth: usize) -> Option<()> {
        if depth == NESTED_MAX {
            return None;
        }
        let first = self.peek()?;
        let (start, node) = (self.at, self.tree.nodes.len());
        self.tree.nodes.push(Node { name, value: Span::default(), next: 0 });
        match first {
            b'{' => self.object(depth)?,
            b'[' => self.list(depth)?,
            b'"' => drop(self.string()?),
            b't' => self.literal("true")?,
            b'f' => self.literal("false")?,
            b'n' => self.literal("null")?,
            _ => self.number()?,
        }
        let next = self.tree.nodes.len() as u32;
        let value = span(start, self.at);
        self.tree.nodes[node] = Node { name, value, next };
        Some(())
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.skip_if(b'}') {
            return Some(());
        }
        loop {
            let name = (self.peek()? == b'"').then(|| self.string())??;
            self.skip_if(b':').then_some(())?;
            self.value(name, depth + 1)?;
            if !self.skip_if(b',') {
                return self.skip_if(b'}').then_some(());
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.skip_if(b']') {
            return Some(());
        }
        loop {
            self.value(Span::default(), depth + 1)?;
            if !self.skip_if(b',') {
                return self.skip_if(b']').then_some(());
            }
        }
    }

    /// Skips a string, and returns the part between its quotes.
    fn string(&mut self) -> Option<Span> {
        let start = self.at + 1;
        self.at = start;
        let mut is_escaped = false;
        loop {
            self.at += memchr2(b'"', b'\\', self.text.get(self.at..)?)? + 1;
            if self.text[self.at - 1] == b'"' {
                break;
            }
            is_escaped = true;
            self.at += 1;
        }
        let inside = span(start, self.at - 1);
        if is_escaped {
            let quoted = &self.text[start - 1..self.at];
            self.tree.unescaped.push((inside.start, serde_json::from_slice(quoted).ok()?));
        } else if self.has_controls && self.text[inside.range()].iter().copied().any(is_control) {
            return None;
        }
        Some(inside)
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at;
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        self.at += self.text[start..].iter().take_while(|byte| is_part(byte)).count();
        number(&self.tree.text[start..self.at]).map(drop)
    }

    fn literal(&mut self, text: &str) -> Option<()> {
        let is_there = self.text[self.at..].starts_with(text.as_bytes());
        self.at += text.len();
        is_there.then_some(())
    }

    /// The next byte after white space.
    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    /// Skips this byte if it is next. Returns whether it was.
    fn skip_if(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }
}

/// The text is shorter than 4 GiB, so that the offsets fit.
fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

fn number(text: &str) -> Option<Number> {
    serde_json::from_str(text).ok()
}

fn is_control(byte: u8) -> bool {
    byte < 0x20
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Converts a tree to a value of serde_json.
    fn value(json: Json<'_>) -> Value {
        if let Some(items) = json.items() {
            return items.map(value).collect();
        }
        if let Some(members) = json.members() {
            return members.map(|(name, member)| (name.to_owned(), value(member))).collect();
        }
        json.as_str()
            .map(Value::from)
            .or_else(|| json.as_bool().map(Value::from))
            .or_else(|| json.as_number().map(Value::Number))
            .unwrap_or_default()
    }

    fn read(text: &[u8]) -> Option<Value> {
        let text = std::str::from_utf8(text).ok()?;
        Tree::read(text).map(|tree| value(tree.root()))
    }

    #[test]
    fn a_text_that_is_not_json_has_no_tree() {
        for text in [
            "",
            " ",
            "{",
            "[",
            "\"",
            "\"\\",
            "\"\\\"",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,",
            "{\"a\":1,}",
            "[1,]",
            "[1 2]",
            "01",
            "-",
            "1.",
            "1e",
            ".5",
            "+1",
            "tru",
            "nul",
            "\"\u{1}\"",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "{1:2}",
            "1 2",
            "{}}",
            "é",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text:?}");
            assert!(serde_json::from_str::<Value>(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_text_is_read_as_serde_json_reads_it(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\"b\":", "\\", "\\u00e9", "\\n", " ", "\n",
                    "é", "null", "true", "false", "0", "-1.5e3", "12", "\"\\\"\"",
                ]),
                0..14,
            ),
        ) {
            let text = parts.concat();
            prop_assert_eq!(read(text.as_bytes()), serde_json::from_str::<Value>(&text).ok());
        }
    }
}
