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
    Metadata,
    /// Rows and columns, as `Table`.
    Table,
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

impl MediaRange {
    /// Whether JSON is meant.
    pub fn takes_json(&self) -> bool {
        matches!(self.media_type.as_str(), "application/json" | "application/*" | "*/*" | "")
    }

    fn representation(&self) -> Option<Representation> {
        let is_meta = self.group.is_empty() || self.group == "meta.k8s.io";
        match self.as_kind.as_str() {
            "" => Some(Representation::Whole),
            "Table" if is_meta => Some(Representation::Table),
            "PartialObjectMetadata" | "PartialObjectMetadataList" if is_meta => {
                Some(Representation::Metadata)
            }
            _ => None,
        }
    }
}

/// Chooses the representation for objects and lists.
pub fn negotiate(header: Option<&str>) -> Result<Representation, ApiError> {
    let Some(header) = header.filter(|header| !header.trim().is_empty()) else {
        return Ok(Representation::Whole);
    };
    let chosen =
        ranges(header).iter().filter(|range| range.takes_json()).find_map(MediaRange::representation);
    chosen.ok_or_else(|| ApiError::not_acceptable("application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_header_gets_what_a_real_server_would_send() {
        use Representation::{Metadata, Table, Whole};
        let partial = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
        for (header, expected) in [
            ("application/json", Some(Whole)),
            ("*/*", Some(Whole)),
            ("application/json, */*", Some(Whole)),
            ("application/vnd.kubernetes.protobuf", None),
            ("application/cbor", None),
            ("application/vnd.kubernetes.protobuf,application/json", Some(Whole)),
            ("application/json;stream=watch", Some(Whole)),
            (partial, Some(Metadata)),
            (
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
                Some(Metadata),
            ),
            (
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
                Some(Table),
            ),
            ("application/json;q=0.1, application/json;as=Table;g=meta.k8s.io;q=0.9", Some(Table)),
            ("application/json;as=Other;g=meta.k8s.io", None),
            ("text/html", None),
        ] {
            match expected {
                Some(expected) => assert_eq!(negotiate(Some(header)).unwrap(), expected, "{header}"),
                None => assert_eq!(negotiate(Some(header)).unwrap_err().code, 406, "{header}"),
            }
        }
        assert_eq!(negotiate(None).unwrap(), Whole);
    }
}
