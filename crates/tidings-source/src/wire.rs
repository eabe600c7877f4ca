//! Which wire is asked for, which one an answer came by, and what is remembered of both: a server that refuses
//! protobuf is not asked for it again.

use http::header::{CONTENT_TYPE, HeaderMap};
use tidings_object::{Projection, Wire};

use crate::sync::{AtomicBool, Mutex, Ordering};

/// Which wire to ask for. Whatever is asked for, the answer says what it is, and is read as that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WirePreference {
    /// Protobuf where the kind has it, and JSON as the second choice: protobuf is smaller and cheaper to read.
    #[default]
    ProtobufFirst,
    /// JSON, which every proxy understands and people can read.
    JsonOnly,
}

/// What one source and its clones know of the wire.
#[derive(Debug, Default)]
pub(crate) struct Negotiation {
    is_refused: AtomicBool,
    got: Mutex<Option<Wire>>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    List(Projection),
    Watch(Projection),
}

impl Negotiation {
    /// The wire of the last answer.
    pub(crate) fn got(&self) -> Option<Wire> {
        *self.got.lock()
    }

    pub(crate) fn note(&self, wire: Wire) {
        *self.got.lock() = Some(wire);
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    /// Remembers that protobuf is refused; whether that is news.
    pub(crate) fn refuse(&self) -> bool {
        !self.is_refused.swap(true, Ordering::Relaxed)
    }
}

impl Asked {
    /// What it is, for errors.
    pub(crate) fn wanted(self) -> &'static str {
        match self {
            Asked::List(_) => "a list",
            Asked::Watch(_) => "a watch",
        }
    }

    /// What `Accept` says, with `preferred` first. Where both are said, the server takes the first that it has.
    pub(crate) fn accept(self, preferred: Wire) -> &'static str {
        use Asked::{List, Watch};
        use Projection::{Full, Metadata};
        match (preferred, self) {
            (Wire::Json, List(Full) | Watch(Full)) => "application/json",
            (Wire::Json, List(Metadata)) => {
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
            }
            (Wire::Json, Watch(Metadata)) => "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            (Wire::Protobuf, List(Full) | Watch(Full)) => {
                "application/vnd.kubernetes.protobuf,application/json"
            }
            (Wire::Protobuf, List(Metadata)) => {
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
                 application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
            }
            (Wire::Protobuf, Watch(Metadata)) => {
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
                 application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
            }
        }
    }
}

/// The wire that an answer came by, if it is one that is known here. What does not say is JSON.
pub(crate) fn of_answer(headers: &HeaderMap) -> Option<Wire> {
    let Some(kind) = headers.get(CONTENT_TYPE) else { return Some(Wire::Json) };
    let kind = kind.to_str().ok()?.split(';').next()?.trim();
    [("application/json", Wire::Json), ("application/vnd.kubernetes.protobuf", Wire::Protobuf)]
        .into_iter()
        .find_map(|(name, wire)| name.eq_ignore_ascii_case(kind).then_some(wire))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_it_says_whatever_parameters_it_has() {
        let wire = |kind: &str| of_answer(&[(CONTENT_TYPE, kind.parse().unwrap())].into_iter().collect());
        assert_eq!(of_answer(&HeaderMap::new()), Some(Wire::Json));
        for json in ["application/json", "Application/JSON; charset=utf-8", "application/json;stream=watch"] {
            assert_eq!(wire(json), Some(Wire::Json), "{json}");
        }
        for protobuf in
            ["application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf;stream=watch"]
        {
            assert_eq!(wire(protobuf), Some(Wire::Protobuf), "{protobuf}");
        }
        for other in ["text/html", "application/cbor", "application/json-seq", "application/yaml", ""] {
            assert_eq!(wire(other), None, "{other}");
        }
    }
}
