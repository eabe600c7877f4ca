//! Which representation a client accepts.
//!
//! Only JSON is spoken: a client that accepts nothing else than protobuf or CBOR gets a 406, one that also accepts JSON gets
//! JSON, as a real server answers for custom resources.

use crate::status::ApiError;

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Representation {
    /// The objects themselves.
    Whole,
    /// Only their metadata, as `PartialObjectMetadata`.
    Metadata(MetaVersion),
    /// Rows and columns, as `Table`.
    Table(MetaVersion),
}

/// The version of `meta.k8s.io` that metadata and tables are told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetaVersion {
    /// `v1`
    V1,
    /// `v1beta1`, which says the same.
    V1Beta1,
}

/// How many objects an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// One at a time: also in a watch.
    One,
    /// A list.
    List,
}

/// One entry of an Accept header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MediaRange {
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

/// Most entries of an Accept header that are looked at.
const RANGES_MAX: usize = 64;

/// The entries of an Accept header, most wanted first.
pub fn ranges(header: &str) -> Vec<MediaRange> {
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

impl MetaVersion {
    /// As objects tell it.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

impl MediaRange {
    /// Whether JSON is meant.
    pub fn takes_json(&self) -> bool {
        matches!(self.media_type.as_str(), "application/json" | "*/*" | "")
    }

    fn representation(&self, answered: Answered) -> Option<Representation> {
        let is_meta = self.group.is_empty() || self.group == "meta.k8s.io";
        let version = if self.version == "v1beta1" { MetaVersion::V1Beta1 } else { MetaVersion::V1 };
        match (self.as_kind.as_str(), answered) {
            ("", _) => Some(Representation::Whole),
            ("Table", _) if is_meta => Some(Representation::Table(version)),
            ("PartialObjectMetadata", Answered::One) | ("PartialObjectMetadataList", Answered::List)
                if is_meta =>
            {
                Some(Representation::Metadata(version))
            }
            _ => None,
        }
    }
}

/// Chooses the representation for objects and lists.
pub fn negotiate(header: Option<&str>, answered: Answered) -> Result<Representation, ApiError> {
    let Some(header) = header.filter(|header| !header.trim().is_empty()) else {
        return Ok(Representation::Whole);
    };
    let taken: Vec<_> = ranges(header).into_iter().filter(MediaRange::takes_json).collect();
    let first = taken.first().ok_or_else(|| ApiError::not_acceptable("application/json"))?;
    let chosen = taken.iter().find_map(|range| range.representation(answered));
    chosen.ok_or_else(|| ApiError::not_acceptable_as(&first.as_kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_header_gets_what_a_real_server_would_send() {
        use Representation::{Table, Whole};
        let (metadata, table) = (Representation::Metadata(MetaVersion::V1), Table(MetaVersion::V1));
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
                Some(Representation::Metadata(MetaVersion::V1Beta1)),
            ),
            ("application/*", None),
            ("text/html", None),
        ] {
            match expected {
                Some(expected) => {
                    assert_eq!(negotiate(Some(header), Answered::One).unwrap(), expected, "{header}")
                }
                None => assert_eq!(negotiate(Some(header), Answered::One).unwrap_err().code, 406, "{header}"),
            }
        }
        assert_eq!(negotiate(None, Answered::List).unwrap(), Whole);
    }
}
