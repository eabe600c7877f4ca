//! What a server says, read from any bytes.
//!
//! The first byte sets up the client. What follows are answers, divided by [`BETWEEN_ANSWERS`]; the first byte of an
//! answer says with which status, on which wire and how it ends. The rest are parts, divided by [`BETWEEN_PARTS`]; the
//! first byte of a part says whether its bytes are sent as they are, or as the object of a well-formed event. Without
//! the latter a fuzzer would seldom come past the lengths of protobuf.

use std::collections::BTreeMap;

use tidings_informer::delta::QueueOrder;
use tidings_informer::reflector::ListMode;
use tidings_object::Wire;

use super::Life;

pub(crate) const BETWEEN_ANSWERS: [u8; 2] = [0xff, 0xfe];
pub(crate) const BETWEEN_PARTS: [u8; 2] = [0xff, 0xfd];

/// More answers than this only take time.
const ANSWERS_MAX: usize = 16;

/// One conversation.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) wire: Wire,
    pub(crate) list_mode: ListMode,
    pub(crate) order: QueueOrder,
    /// The version of the last list, and of all that it lists: higher than all that came before, or lower.
    pub(crate) last_version: &'static str,
    pub(crate) chunk_bytes: usize,
    pub(crate) answers: Vec<Answer>,
}

/// What one request is answered with.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) content_type: ContentType,
    pub(crate) end: End,
    pub(crate) parts: Vec<Part>,
}

/// What an answer says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentType {
    Wire(Wire),
    Html,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Closed,
    Reset,
    Hung,
}

/// Some bytes of an answer.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) form: Form,
    pub(crate) bytes: Vec<u8>,
}

/// What is made of the bytes of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Nothing.
    Raw,
    /// The object of an event of this type; in a list, an item.
    Object(&'static str),
}

impl Script {
    /// Any bytes are a script.
    pub(crate) fn parse(bytes: &[u8]) -> Script {
        let (flags, rest) = bytes.split_first().map_or((0, bytes), |(flags, rest)| (*flags, rest));
        let wire = if flags & 1 == 0 { Wire::Json } else { Wire::Protobuf };
        let answers = divided(rest, &BETWEEN_ANSWERS).into_iter().take(ANSWERS_MAX);
        Script {
            wire,
            list_mode: if flags & 2 == 0 { ListMode::Streaming } else { ListMode::Chunked },
            order: if flags & 4 == 0 { QueueOrder::InOrder } else { QueueOrder::PerObject },
            last_version: if flags & 8 == 0 { "9000000000000000000" } else { "5" },
            chunk_bytes: [1, 2, 3, 5, 16, 61, 200, 1000][usize::from(flags >> 5)],
            answers: answers.map(|answer| Answer::parse(answer, wire)).collect(),
        }
    }

    /// Name, uid and image of each pod that the last list has.
    pub(crate) const LAST: [(&'static str, &'static str, &'static str); 2] =
        [("web", "uid-web", "web:1"), ("db", "uid-db", "db:1")];

    /// The namespace of those pods.
    pub(crate) const LAST_NAMESPACE: &'static str = "shop";

    /// What the cache must have in the end.
    pub(crate) fn last_list(&self) -> BTreeMap<String, Life> {
        let life = |uid: &str, image: &str| (uid.to_owned(), self.last_version.to_owned(), image.to_owned());
        let key = |name| format!("{}/{name}", Self::LAST_NAMESPACE);
        Self::LAST.into_iter().map(|(name, uid, image)| (key(name), life(uid, image))).collect()
    }
}

impl Answer {
    fn parse(bytes: &[u8], wire: Wire) -> Answer {
        let (control, rest) = bytes.split_first().map_or((0, bytes), |(control, rest)| (*control, rest));
        let other = if wire == Wire::Json { Wire::Protobuf } else { Wire::Json };
        Answer {
            end: match control & 0b111 {
                5 => End::Reset,
                6 | 7 => End::Hung,
                _ => End::Closed,
            },
            content_type: match control >> 3 & 0b11 {
                2 => ContentType::Wire(other),
                3 => ContentType::Html,
                _ => ContentType::Wire(wire),
            },
            code: [200, 200, 200, 200, 410, 500, 429, 406][usize::from(control >> 5)],
            parts: divided(rest, &BETWEEN_PARTS).into_iter().map(Part::parse).collect(),
        }
    }
}

impl Part {
    fn parse(bytes: &[u8]) -> Part {
        let (form, rest) = bytes.split_first().map_or((0, bytes), |(form, rest)| (*form, rest));
        let form = match form % 8 {
            1 => Form::Object("ADDED"),
            2 => Form::Object("MODIFIED"),
            3 => Form::Object("DELETED"),
            4 => Form::Object("BOOKMARK"),
            5 => Form::Object("ERROR"),
            _ => Form::Raw,
        };
        Part { form, bytes: rest.to_vec() }
    }
}

/// What stands between dividers; nothing at all for no bytes.
fn divided<'a>(bytes: &'a [u8], divider: &[u8; 2]) -> Vec<&'a [u8]> {
    let (mut found, mut rest) = (Vec::new(), bytes);
    while let Some(at) = rest.windows(2).position(|two| two == divider) {
        found.push(&rest[..at]);
        rest = &rest[at + 2..];
    }
    if !(rest.is_empty() && found.is_empty()) {
        found.push(rest);
    }
    found
}
