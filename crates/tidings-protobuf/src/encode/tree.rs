//! JSON as the encoder looks at it: one list of where all values stand, each followed by what stands in it. A tree that is built
//! to be read once need not be sorted, nor have a list of its own for each object.
//!
//! Text is lent from where it stands unless it is escaped there, and numbers are read when they are asked for. What is no JSON is
//! no tree; it recurses no deeper than [`NESTED_MAX`].

use std::ops::Range;

use memchr::memchr2;
use serde_json::Number;

/// All values of a text.
pub(super) struct Tree<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    /// What the strings say that are escaped where they stand, which are few; by where they begin, in order.
    unescaped: Vec<(u32, String)>,
}

/// One value.
#[derive(Clone, Copy)]
pub(super) struct Json<'t> {
    tree: &'t Tree<'t>,
    node: &'t Node,
    /// Where its node stands among all.
    at: usize,
}

struct Node {
    /// Its name, if it is a member of an object.
    name: Span,
    value: Span,
    /// The first node that is neither its own nor of what stands in it.
    next: u32,
}

/// A part of the text; of a string, what stands between the quotes.
#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

/// How deep values may be nested in each other: deeper than any message is.
const NESTED_MAX: usize = 4 * crate::DEPTH_MAX;

/// A value takes about so many bytes of text.
const BYTES_PER_NODE: usize = 16;

impl<'a> Tree<'a> {
    /// Reads a text; `None` if it is no JSON, or longer than 4 GiB.
    pub(super) fn read(text: &'a str) -> Option<Tree<'a>> {
        u32::try_from(text.len()).ok()?;
        let tree =
            Tree { text, nodes: Vec::with_capacity(text.len() / BYTES_PER_NODE + 1), unescaped: Vec::new() };
        // Looked at as a whole, which is cheap: a text without white space has none.
        let has_controls = text.bytes().fold(false, |has, byte| has | is_control(byte));
        let mut reader = Reader { text: text.as_bytes(), at: 0, has_controls, tree };
        reader.value(Span::default(), 0)?;
        reader.skip_space();
        (reader.at == text.len()).then_some(reader.tree)
    }

    /// The whole.
    pub(super) fn root(&self) -> Json<'_> {
        self.json(0)
    }

    fn json(&self, at: usize) -> Json<'_> {
        Json { tree: self, node: &self.nodes[at], at }
    }

    /// What a string says.
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
    /// As it stands in the text.
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

    /// The members of an object, as they stand, each with its name.
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

/// Reads a text from its beginning to its end.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether bytes stand in it that may not stand in a string.
    has_controls: bool,
    tree: Tree<'a>,
}

impl Reader<'_> {
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
        if self.takes(b'}') {
            return Some(());
        }
        loop {
            let name = (self.peek()? == b'"').then(|| self.string())??;
            self.takes(b':').then_some(())?;
            self.value(name, depth + 1)?;
            if !self.takes(b',') {
                return self.takes(b'}').then_some(());
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.takes(b']') {
            return Some(());
        }
        loop {
            self.value(Span::default(), depth + 1)?;
            if !self.takes(b',') {
                return self.takes(b']').then_some(());
            }
        }
    }

    /// Passes a string, and says what stands between its quotes.
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

    /// What comes next, behind white space.
    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    /// Whether this comes next; then it is passed.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }
}

/// A part of a text that is no longer than a span can say.
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

    /// What a tree says, as anybody else reads it.
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
    fn what_is_no_json_is_no_tree() {
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
        /// Texts that look like JSON are taken, and refused, as serde_json does.
        #[test]
        fn every_text_is_read_as_serde_json_reads_it(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\"b\":", "\\", "\\u00e9", "\\n", " ", "\n", "é", "null", "true",
                    "false", "0", "-1.5e3", "12", "\"\\\"\"",
                ]),
                0..14,
            ),
        ) {
            let text = parts.concat();
            prop_assert_eq!(read(text.as_bytes()), serde_json::from_str::<Value>(&text).ok());
        }
    }
}
