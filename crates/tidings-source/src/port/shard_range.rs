//! A shard of a resource by the hash of the objects' uids or namespaces, as `shardSelector` requests it
//! ([KEP-5866](https://github.com/kubernetes/enhancements/issues/5866)).
//!
//! A server without the feature ignores the selector silently. A client must check whether the response has `shardInfo`,
//! and otherwise apply [`ShardRange::contains`] itself.

use std::fmt;

use tidings_object::{ParseError, ParseTarget, RawObject};

/// A range of hashes: the objects whose uid, or whose [namespace](Self::by_namespace), has a hash in it. It includes the
/// start and excludes the end.
///
/// ```
/// use tidings_source::ShardRange;
///
/// let parts = [ShardRange::part(0, 2)?, ShardRange::part(1, 2)?];
/// let uid = "6f1f1e0c-3a31-4b9e-9a53-1c6a1f0e7d52";
/// assert_eq!(parts.iter().filter(|part| part.contains(uid)).count(), 1); // exactly one contains it
/// # Ok::<(), tidings_object::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardRange {
    key: ShardKey,
    start: u64,
    /// Up to 2^64.
    end: u128,
}

/// What is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum ShardKey {
    Uid,
    Namespace,
}

/// The number of hashes.
const HASHES: u128 = 1 << 64;

impl ShardRange {
    /// The hashes from `start` (included) to `end` (excluded), which is at most 2^64.
    pub fn new(start: u64, end: u128) -> Result<ShardRange, ParseError> {
        if end <= u128::from(start) || end > HASHES {
            return Err(ParseError::new(
                ParseTarget::ShardRange,
                format!("{start:#x}..{end:#x}"),
                0,
                "an end that is after the start and at most 2^64",
            ));
        }
        Ok(ShardRange { key: ShardKey::Uid, start, end })
    }

    /// The shard `index` of `count` shards of about the same size. Indexes start at 0.
    pub fn part(index: u32, count: u32) -> Result<ShardRange, ParseError> {
        if index >= count {
            return Err(ParseError::new(
                ParseTarget::ShardRange,
                format!("{index} of {count}"),
                0,
                "an index that is less than the count: indexes start at 0",
            ));
        }
        let bound = |index: u32| HASHES * u128::from(index) / u128::from(count);
        let start = u64::try_from(bound(index)).expect("the start of a part lies below its end");
        ShardRange::new(start, bound(index + 1))
    }

    /// The same range of the hashes of namespaces: a shard then has all objects of a namespace or none. Objects in cluster
    /// scope count as those of a namespace with an empty name, and are all in one shard.
    ///
    /// Check the sizes of the shards: the hash hardly mixes the last letters of a name into its upper bits, so that
    /// `team-1`, `team-2` and so on are mostly in one shard. Uids do not have this problem.
    #[must_use]
    pub fn by_namespace(self) -> ShardRange {
        ShardRange { key: ShardKey::Namespace, ..self }
    }

    /// Whether an object with this uid, or with this namespace if the range is [by namespace](Self::by_namespace), is in
    /// the range.
    pub fn contains(&self, uid_or_namespace: &str) -> bool {
        let hash = fnv1a(uid_or_namespace.as_bytes());
        self.start <= hash && u128::from(hash) < self.end
    }

    /// Whether this object is in the range.
    pub(crate) fn contains_object(&self, object: &RawObject) -> bool {
        self.contains(match self.key {
            ShardKey::Uid => object.uid(),
            ShardKey::Namespace => object.namespace().unwrap_or_default(),
        })
    }
}

/// Formats it as the value of `shardSelector`.
impl fmt::Display for ShardRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = match self.key {
            ShardKey::Uid => "uid",
            ShardKey::Namespace => "namespace",
        };
        write!(f, "shardRange(object.metadata.{key}, '{:#018x}', '{:#018x}')", self.start, self.end)
    }
}

/// The 64-bit FNV-1a hash.
#[doc(hidden)]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_formatted_as_the_server_parses_it() {
        let range = ShardRange::part(0, 2).unwrap();
        assert_eq!(
            range.to_string(),
            "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
        );
        // The end of all hashes has one digit more.
        let range = ShardRange::part(2, 3).unwrap();
        assert_eq!(
            range.to_string(),
            "shardRange(object.metadata.uid, '0xaaaaaaaaaaaaaaaa', '0x10000000000000000')"
        );
    }

    #[test]
    fn a_range_of_namespaces_is_another_one_than_that_of_uids() {
        let range = ShardRange::part(1, 2).unwrap();
        assert_ne!(range, range.by_namespace());
        assert_eq!(
            range.by_namespace().to_string(),
            "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')"
        );
    }

    #[test]
    fn the_hash_is_the_one_that_the_server_uses() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn each_uid_is_in_exactly_one_part() {
        for count in [1, 2, 3, 7, 100] {
            let parts: Vec<_> = (0..count).map(|index| ShardRange::part(index, count).unwrap()).collect();
            for uid in (0..200).map(|i| format!("uid-{i}")) {
                assert_eq!(parts.iter().filter(|part| part.contains(&uid)).count(), 1, "{uid} of {count}");
            }
        }
    }

    #[test]
    fn an_empty_range_and_an_index_beyond_the_last_shard_are_errors() {
        assert!(ShardRange::new(5, 5).is_err());
        assert!(ShardRange::new(0, (1 << 64) + 1).is_err());
        assert!(ShardRange::new(u64::MAX, 1 << 64).is_ok());
        let error = ShardRange::part(2, 2).unwrap_err();
        assert_eq!(error.target, ParseTarget::ShardRange);
        assert_eq!(
            error.to_string(),
            "shard range \"2 of 2\": expected an index that is less than the count: indexes start at 0"
        );
        assert!(ShardRange::part(0, 0).is_err());
    }
}
