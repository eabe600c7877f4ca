//! A set of members, and the assignment of keys to them by rendezvous hashing (highest random weight, Thaler and
//! Ravishankar 1996): a key belongs to the member with the highest hash of member and key. A member that joins or
//! leaves moves only the keys that it gains or loses.
//!
//! The hash must never change, because members of different versions of this crate share keys. Another hash needs
//! another number [`HASH`], and may be used only when all members of a group know it.

use std::sync::Arc;

use tidings_source::fnv1a;

/// The number of the hash, written into each published view.
pub(super) const HASH: u32 = 1;

/// A set of members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct GroupView {
    /// Sorted by identity, each once.
    members: Vec<Scored>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Scored {
    identity: Arc<str>,
    hash: u64,
}

impl GroupView {
    pub(super) fn of(identities: impl IntoIterator<Item = Arc<str>>) -> GroupView {
        let scored = |identity: Arc<str>| Scored { hash: mix(fnv1a(identity.as_bytes())), identity };
        let mut members: Vec<_> = identities.into_iter().map(scored).collect();
        members.sort();
        members.dedup();
        GroupView { members }
    }

    /// The members, sorted.
    pub(super) fn members(&self) -> impl Iterator<Item = &Arc<str>> {
        self.members.iter().map(|member| &member.identity)
    }

    /// The owner of a key. `None` if the view has no members.
    pub(super) fn owner(&self, key: &str) -> Option<&Arc<str>> {
        let key = fnv1a(key.as_bytes());
        // On equal hashes, which only an attacker can produce, the last member in order wins.
        self.members.iter().max_by_key(|member| mix(key ^ member.hash)).map(|member| &member.identity)
    }

    /// Whether this member owns the key.
    pub(super) fn assigns(&self, key: &str, identity: &str) -> bool {
        self.owner(key).is_some_and(|owner| **owner == *identity)
    }
}

/// Spreads the bits of a number: the finalizer of SplitMix64.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn view(members: usize) -> GroupView {
        GroupView::of((0..members).map(|i| format!("member-{i}").into()))
    }

    fn keys() -> impl Iterator<Item = String> {
        (0..10_000).map(|i| format!("namespace-{}/name-{i}", i % 7))
    }

    #[test]
    fn a_member_that_joins_moves_only_the_keys_that_it_gains() {
        for members in [1, 2, 5, 20] {
            let (before, after) = (view(members), view(members + 1));
            let newcomer = format!("member-{members}");
            let mut moved = 0;
            for key in keys() {
                let (old, new) = (before.owner(&key).unwrap(), after.owner(&key).unwrap());
                if old != new {
                    assert_eq!(**new, *newcomer, "{key} moved between members that stayed");
                    moved += 1;
                }
            }
            let share = 10_000 / (members + 1);
            assert!((share * 8 / 10..=share * 12 / 10).contains(&moved), "{moved} of a share of {share}");
        }
    }

    #[test]
    fn members_have_about_the_same_number_of_keys() {
        let view = view(10);
        let mut shard = BTreeMap::new();
        for key in keys() {
            *shard.entry(Arc::clone(view.owner(&key).unwrap())).or_insert(0) += 1;
        }
        assert_eq!(shard.len(), 10);
        assert!(shard.values().all(|share| (850..=1150).contains(share)), "{shard:?}");
    }

    #[test]
    fn the_hash_never_changes() {
        let view = GroupView::of(["web-0", "web-1", "web-2"].map(Arc::from));
        let owners = ["default/a", "default/b", "kube-system/coredns", "node-1", "x/y"].map(|key| {
            let owner = view.owner(key).unwrap();
            (key, &**owner)
        });
        let expected = [
            ("default/a", "web-2"),
            ("default/b", "web-2"),
            ("kube-system/coredns", "web-0"),
            ("node-1", "web-1"),
            ("x/y", "web-1"),
        ];
        assert_eq!(owners, expected);
    }

    #[test]
    fn the_order_of_members_and_duplicates_do_not_matter() {
        let there = GroupView::of(["b", "a", "c", "a"].map(Arc::from));
        assert_eq!(there, GroupView::of(["c", "b", "a"].map(Arc::from)));
        assert_eq!(GroupView::default().owner("a/b"), None);
    }
}
