//! Content negotiation: chooses the representation and the wire of a response from the `Accept` header.
//!
//! Built-in kinds, and the metadata of all kinds, are available as protobuf. A client that accepts only protobuf or
//! CBOR gets a 406 for custom resources. A client that also accepts JSON gets JSON for them, and for objects that can't
//! be encoded as protobuf.

use tidings_object::Wire;

use crate::protobuf::MEDIA_TYPE as PROTOBUF;
use crate::status::ApiError;

/// The representation of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Representation {
    pub content: Content,
    pub wire: Wire,
    /// The content to send as JSON instead, if the client accepts that too.
    pub fallback: Option<Content>,
}

/// How much of each object is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Content {
    /// The whole object.
    Whole,
    /// Only the metadata, as `PartialObjectMetadata`.
    Metadata(MetaVersion),
    /// Rows and columns, as `Table`.
    Table(MetaVersion),
}

/// The version of `meta.k8s.io` for metadata and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MetaVersion {
    /// `v1`
    V1,
    /// `v1beta1`, which has the same content.
    V1Beta1,
}

/// Whether a response has single objects or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseKind {
    /// Single objects. Watch events too.
    Object,
    /// A list.
    List,
}

/// One entry of an `Accept` header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MediaRange {
    /// Such as `application/json`.
    pub media_type: String,
    /// The parameter `as`.
    pub as_kind: String,
    /// The parameter `g`.
    pub group: String,
    /// The parameter `v`.
    pub version: String,
    /// Preference in thousandths.
    quality: u16,
}

/// The largest number of entries of an `Accept` header that are read.
const RANGES_MAX: usize = 64;

/// The entries of an `Accept` header, in the order of preference.
pub(crate) fn ranges(header: &str) -> Vec<MediaRange> {
    let mut ranges: Vec<_> =
        header.split(',').take(RANGES_MAX).map(media_range).filter(|range| range.quality > 0).collect();
    ranges.sort_by_key(|range| std::cmp::Reverse(range.quality));
    ranges
}

fn media_range(text: &str) -> MediaRange {
    let mut parts = text.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    let mut range = MediaRange { media_type, quality: 1000, ..MediaRange::default() };
    for part in parts {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match name.trim() {
            "as" => value.trim().clone_into(&mut range.as_kind),
            "g" => value.trim().clone_into(&mut range.group),
            "v" => value.trim().clone_into(&mut range.version),
            "q" => range.quality = thousandths(value.trim()),
            _ => {}
        }
    }
    range
}

fn thousandths(text: &str) -> u16 {
    let quality = text.parse::<f32>().unwrap_or(1.0).clamp(0.0, 1.0);
    // Lossless: the product is within 0..=1000.
    (quality * 1000.0) as u16
}

impl Representation {
    fn json(content: Content) -> Self {
        Self { content, wire: Wire::Json, fallback: None }
    }

    /// The JSON representation to use if an object can't be encoded as protobuf.
    pub(crate) fn in_json(self) -> Option<Self> {
        self.fallback.map(Self::json)
    }
}

impl MetaVersion {
    pub(crate) fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

impl MediaRange {
    /// Whether the entry accepts JSON.
    pub(crate) fn takes_json(&self) -> bool {
        matches!(self.media_type.as_str(), "application/json" | "*/*" | "")
    }

    fn wire(&self) -> Option<Wire> {
        if self.takes_json() {
            Some(Wire::Json)
        } else {
            (self.media_type == PROTOBUF).then_some(Wire::Protobuf)
        }
    }

    fn content(&self, response: ResponseKind) -> Option<Content> {
        let is_meta = self.group.is_empty() || self.group == "meta.k8s.io";
        let version = if self.version == "v1beta1" { MetaVersion::V1Beta1 } else { MetaVersion::V1 };
        match (self.as_kind.as_str(), response) {
            ("", _) => Some(Content::Whole),
            ("Table", _) if is_meta => Some(Content::Table(version)),
            ("PartialObjectMetadata", ResponseKind::Object)
            | ("PartialObjectMetadataList", ResponseKind::List)
                if is_meta =>
            {
                Some(Content::Metadata(version))
            }
            _ => None,
        }
    }
}

/// The wire of error responses: the first one that the client accepts.
pub(crate) fn error_wire(header: Option<&str>) -> Wire {
    let first = ranges(header.unwrap_or_default()).into_iter().find_map(|range| range.wire());
    first.unwrap_or(Wire::Json)
}

/// Chooses the representation for objects and lists. `offers` says whether a content is available as protobuf.
pub(crate) fn negotiate(
    header: Option<&str>,
    response: ResponseKind,
    offers: impl Fn(Content) -> bool,
) -> Result<Representation, ApiError> {
    let Some(header) = header.filter(|header| !header.trim().is_empty()) else {
        return Ok(Representation::json(Content::Whole));
    };
    let taken: Vec<_> =
        ranges(header).into_iter().filter_map(|range| range.wire().map(|wire| (range, wire))).collect();
    let offered_by = |(range, wire): &(MediaRange, Wire)| Some((range.content(response)?, *wire));
    let in_json = taken.iter().filter_map(offered_by).find(|(_, wire)| *wire == Wire::Json);
    let fallback = in_json.map(|(content, _)| content);
    let chosen = taken.iter().filter_map(offered_by).find_map(|(content, wire)| match wire {
        Wire::Json => Some(Representation::json(content)),
        Wire::Protobuf => offers(content).then_some(Representation { content, wire, fallback }),
    });
    chosen.ok_or_else(|| match taken.iter().find(|(_, wire)| *wire == Wire::Json) {
        Some((first, _)) => ApiError::not_acceptable_as(&first.as_kind),
        None => ApiError::not_acceptable("application/json"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_header_gets_the_representation_of_a_real_server() {
        use Content::{Metadata, Table, Whole};
        let (metadata, table) = (Metadata(MetaVersion::V1), Table(MetaVersion::V1));
        let partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        for (header, expected) in [
            ("application/json", Some(Whole)),
            ("*/*", Some(Whole)),
            ("application/json, */*", Some(Whole)),
            ("application/vnd.kubernetes.protobuf", None),
            ("application/cbor", None),
            ("application/vnd.kubernetes.protobuf,application/json", Some(Whole)),
            ("application/json;stream=watch", Some(Whole)),
            (partial, Some(metadata)),
            (
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
                Some(metadata),
            ),
            (
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
                Some(table),
            ),
            ("application/json;q=0.1, application/json;as=Table;g=meta.k8s.io;q=0.9", Some(table)),
            ("application/json;as=Other;g=meta.k8s.io", None),
            ("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", None),
            (
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
                Some(Metadata(MetaVersion::V1Beta1)),
            ),
            ("application/*", None),
            ("text/html", None),
        ] {
            let chosen = negotiate(Some(header), ResponseKind::Object, |_| false);
            match expected {
                Some(content) => {
                    assert_eq!(chosen.unwrap(), Representation::json(content), "{header}")
                }
                None => assert_eq!(chosen.unwrap_err().code, 406, "{header}"),
            }
        }
        let chosen = negotiate(None, ResponseKind::List, |_| true).unwrap();
        assert_eq!(chosen, Representation::json(Whole));
    }

    #[test]
    fn protobuf_is_sent_if_preferred_and_available() {
        use Content::{Metadata, Whole};
        use Wire::{Json, Protobuf};
        let partial = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        let both = "application/vnd.kubernetes.protobuf, application/json";
        let json_first = "application/json, application/vnd.kubernetes.protobuf;q=0.5";
        let partial_or_whole = format!("{partial}, application/json");
        for (header, has_whole, content, wire, fallback) in [
            (both, true, Whole, Protobuf, Some(Whole)),
            (both, false, Whole, Json, None),
            (json_first, true, Whole, Json, None),
            ("application/vnd.kubernetes.protobuf;stream=watch", true, Whole, Protobuf, None),
            (partial, false, Metadata(MetaVersion::V1), Protobuf, None),
            (&partial_or_whole, false, Metadata(MetaVersion::V1), Protobuf, Some(Whole)),
        ] {
            let chosen =
                negotiate(Some(header), ResponseKind::Object, |content| content != Whole || has_whole);
            assert_eq!(chosen.unwrap(), Representation { content, wire, fallback }, "{header}");
        }
    }
}
