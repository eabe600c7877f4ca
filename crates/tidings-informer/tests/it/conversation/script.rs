//! The script of a server, parsed from arbitrary bytes.
//!
//! The first byte configures the client. The rest are answers, separated by [`ANSWER_SEPARATOR`]. The first byte of an
//! answer is its status, its encoding and how it ends. The rest of an answer are parts, separated by
//! [`PART_SEPARATOR`]. The first byte of a part says whether its bytes are sent raw, or as the object of a well-formed
//! event. Without the latter a fuzzer would rarely get past the length fields of protobuf.

use std::collections::BTreeMap;

use tidings_informer::delta::QueueOrder;
use tidings_informer::reflector::ListMode;
use tidings_object::Wire;

use super::ObjectSummary;

pub(crate) const ANSWER_SEPARATOR: [u8; 2] = [0xff, 0xfe];
pub(crate) const PART_SEPARATOR: [u8; 2] = [0xff, 0xfd];

/// Further answers are ignored: they would only take time.
const ANSWERS_MAX: usize = 16;

/// One conversation.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) wire: Wire,
    pub(crate) list_mode: ListMode,
    pub(crate) order: QueueOrder,
    /// The version of the last list and of its objects: higher or lower than all versions before.
    pub(crate) last_version: &'static str,
    pub(crate) chunk_bytes: usize,
    pub(crate) answers: Vec<Answer>,
}

/// The answer to one request.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) content_type: ContentType,
    pub(crate) end: AnswerEnd,
    pub(crate) parts: Vec<Part>,
}

/// The content type of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentType {
    Wire(Wire),
    Html,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerEnd {
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

/// How the bytes of a part are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Unchanged.
    Raw,
    /// As the object of an event of this type; in a list, as an item.
    Object(&'static str),
}

impl Script {
    /// Never fails: any bytes are a script.
    pub(crate) fn parse(bytes: &[u8]) -> Script {
        let (flags, rest) = bytes.split_first().map_or((0, bytes), |(flags, rest)| (*flags, rest));
        let wire = if flags & 1 == 0 { Wire::Json } else { Wire::Protobuf };
        let answers = split(rest, &ANSWER_SEPARATOR).into_iter().take(ANSWERS_MAX);
        Script {
            wire,
            list_mode: if flags & 2 == 0 { ListMode::Streaming } else { ListMode::Chunked },
            order: if flags & 4 == 0 { QueueOrder::InOrder } else { QueueOrder::PerObject },
            last_version: if flags & 8 == 0 { "9000000000000000000" } else { "5" },
            chunk_bytes: [1, 2, 3, 5, 16, 61, 200, 1000][usize::from(flags >> 5)],
            answers: answers.map(|answer| Answer::parse(answer, wire)).collect(),
        }
    }

    /// Name, uid and image of each pod of the last list.
    pub(crate) const LAST: [(&'static str, &'static str, &'static str); 2] =
        [("web", "uid-web", "web:1"), ("db", "uid-db", "db:1")];

    /// The namespace of those pods.
    pub(crate) const LAST_NAMESPACE: &'static str = "shop";

    /// The expected contents of the cache at the end.
    pub(crate) fn last_list(&self) -> BTreeMap<String, ObjectSummary> {
        let summary =
            |uid: &str, image: &str| (uid.to_owned(), self.last_version.to_owned(), image.to_owned());
        let key = |name| format!("{}/{name}", Self::LAST_NAMESPACE);
        Self::LAST.into_iter().map(|(name, uid, image)| (key(name), summary(uid, image))).collect()
    }
}

impl Answer {
    fn parse(bytes: &[u8], wire: Wire) -> Answer {
        let (control, rest) = bytes.split_first().map_or((0, bytes), |(control, rest)| (*control, rest));
        let other = if wire == Wire::Json { Wire::Protobuf } else { Wire::Json };
        Answer {
            end: match control & 0b111 {
                5 => AnswerEnd::Reset,
                6 | 7 => AnswerEnd::Hung,
                _ => AnswerEnd::Closed,
            },
            content_type: match control >> 3 & 0b11 {
                2 => ContentType::Wire(other),
                3 => ContentType::Html,
                _ => ContentType::Wire(wire),
            },
            code: [200, 200, 200, 200, 410, 500, 429, 406][usize::from(control >> 5)],
            parts: split(rest, &PART_SEPARATOR).into_iter().map(Part::parse).collect(),
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

/// The parts between separators; none for an empty input.
fn split<'a>(bytes: &'a [u8], separator: &[u8; 2]) -> Vec<&'a [u8]> {
    let (mut found, mut rest) = (Vec::new(), bytes);
    while let Some(at) = rest.windows(2).position(|two| two == separator) {
        found.push(&rest[..at]);
        rest = &rest[at + 2..];
    }
    if !(rest.is_empty() && found.is_empty()) {
        found.push(rest);
    }
    found
}
