//! All texts of an identity: a short key beside the other texts, which are in one allocation, with interned label keys
//! (string interning).
//!
//! The text begins with the key, if that is too long to be [inline](InlineKey), and the uid. Then follow entries, each
//! after its length: the deletion timestamp, the generation, the owners, the labels (key, value), and one entry for each
//! prefetched path. Most label keys are the same in all objects of an informer, so that they are interned: the text has
//! one character for a key that has a number.
//!
//! Example: the pod `shop/web-0` with uid `u-1`, controller `o-1` and the label `app=web`, where `app` has number 0.
//!
//! ```text
//! shop/web-0    u-1 0 0 4 !o-1 \u{80} 3 web      (spaces only here; 0, 0, 4 and 3 are lengths, one byte each)
//!  inline key   uid │ │ owner  │ label app=web
//!                   │ │        └ interned key 0
//!                   └ no deletion timestamp, no generation
//! ```
//!
//! The lengths of key and uid and the counts of owners and labels are 16 bits each beside the text. A larger number
//! must not make an object invalid: then the 16 bits hold [`WIDE`], and the number is in the text, before what it
//! counts.

mod entries;

use std::ops::Deref;

use serde_json::Value;

use super::inline_key::InlineKey;
use super::once_slots::OnceSlots;
use super::prefetched;
use crate::identity::Identity;
use entries::{Entries, digits_of, entry_len, push_entry, push_generation, push_number};

/// Key, uid, deletion timestamp, generation, owners, labels and prefetched fields of one object.
// `repr(C)` for the cache lines of `RawObject`: the lengths are in the first one, the inline key is in the second one.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct IdentityStrings<T = Box<str>> {
    /// The length of the key. A key of at most [`InlineKey::BYTES_MAX`] bytes is inline, and a longer one in the text.
    key_len: u16,
    uid_len: u16,
    owners: u16,
    labels: u16,
    /// Empty if the key is in the text.
    pub(super) inline_key: InlineKey,
    /// A `String` while an object arrives.
    text: T,
}

/// Replaces a length or count that is this or more; the number is in the text.
const WIDE: u16 = u16::MAX;

/// The interned label keys of one informer.
#[derive(Debug, Default)]
pub(crate) struct LabelKeyInterner(OnceSlots<String, LABEL_KEYS_MAX>);

const LABEL_KEYS_MAX: usize = 64;

/// The longest key that a server accepts: prefix, slash and name. A longer key is not interned, because interned keys
/// are never freed.
const LABEL_KEY_BYTES_MAX: usize = 253 + 1 + 63;

/// The character of the interned key with number 0. The length of an entry begins with a smaller character.
const FIRST_INTERNED: char = '\u{80}';

/// The first character of an owner's entry.
const CONTROLLER: &str = "!";
const NO_CONTROLLER: &str = ".";

/// Room for the entries of prefetched fields, so that the text of most objects is allocated once.
const PREFETCHED_BYTES: usize = 48;

/// The first character of a prefetched entry: its values follow, or the body must be read.
const VALUES: &str = "=";
const IN_BODY: &str = "?";

impl IdentityStrings<String> {
    pub(crate) fn new(identity: &Identity<'_>, label_keys: &LabelKeyInterner) -> Self {
        let Identity { namespace, name, uid, labels, owners, .. } = identity;
        let deletion = identity.deletion_timestamp.as_deref().unwrap_or_default();
        // An upper bound: interned label keys take less.
        let entries: usize = entry_len(deletion.len())
            + entry_len(digits_of(u64::MAX))
            + PREFETCHED_BYTES
            + labels.iter().map(|(k, v)| entry_len(k.len()) + entry_len(v.len())).sum::<usize>()
            + owners.iter().map(|(uid, _)| entry_len(CONTROLLER.len() + uid.len())).sum::<usize>();
        let inline_key = InlineKey::of(namespace, name);
        let text_key_len = match (inline_key, namespace.len()) {
            (Some(_), _) => 0,
            (None, 0) => name.len(),
            (None, namespace) => namespace + 1 + name.len(),
        };
        let mut text = String::with_capacity(text_key_len + uid.len() + entries);
        let counted = |text: &mut String, count: usize| narrow(count).unwrap_or_else(|| wide(text, count));
        let (inline_key, key_len) = inline_key.unwrap_or_else(|| {
            let key_len = counted(&mut text, text_key_len);
            if !namespace.is_empty() {
                text.push_str(namespace);
                text.push('/');
            }
            text.push_str(name);
            (InlineKey::EMPTY, key_len)
        });
        let uid_len = counted(&mut text, uid.len());
        text.push_str(uid);
        push_entry(&mut text, &["", deletion]);
        push_generation(&mut text, identity.generation);
        let owner_count = counted(&mut text, owners.len());
        for (uid, is_controller) in owners {
            push_entry(&mut text, &[if *is_controller { CONTROLLER } else { NO_CONTROLLER }, uid]);
        }
        let label_count = counted(&mut text, labels.len());
        for (key, value) in labels {
            match label_keys.character_of(key) {
                Some(character) => text.push(character),
                None => push_entry(&mut text, &["", key]),
            }
            push_entry(&mut text, &["", value]);
        }
        IdentityStrings { key_len, uid_len, owners: owner_count, labels: label_count, inline_key, text }
    }

    /// Adds the prefetched fields: for each path its values, or `None` if it could not be read.
    pub(crate) fn add_prefetched(&mut self, values: impl Iterator<Item = Option<Vec<Value>>>) {
        let mut entries = String::new();
        for values in values {
            entries.clear();
            let push = |entry: &[&str; 2]| push_entry(&mut entries, entry);
            match values.and_then(|values| prefetched::for_each_entry(&values, push)) {
                Some(()) => push_entry(&mut self.text, &[VALUES, &entries]),
                None => push_entry(&mut self.text, &[IN_BODY, ""]),
            }
        }
    }

    /// The same in as little memory as possible.
    pub(crate) fn without_spare_capacity(self) -> IdentityStrings {
        let IdentityStrings { key_len, uid_len, owners, labels, inline_key, text } = self;
        let text = without_spare_capacity(text);
        IdentityStrings { key_len, uid_len, owners, labels, inline_key, text }
    }
}

impl<T: Deref<Target = str>> IdentityStrings<T> {
    pub(crate) fn key(&self) -> &str {
        match self.key_len {
            length if length <= InlineKey::LEN_MAX => self.inline_key.text(length.into()),
            WIDE => self.wide_key_and_uid().0,
            length => &self.text[..length.into()],
        }
    }

    /// The bytes of the key.
    #[inline]
    pub(super) fn key_bytes(&self) -> &[u8] {
        match self.key_len {
            length if length <= InlineKey::LEN_MAX => self.inline_key.bytes(length.into()),
            _ => self.key().as_bytes(),
        }
    }

    /// The length of the key in the text; 0 if the key is inline.
    fn text_key_len(&self) -> u16 {
        if self.key_len <= InlineKey::LEN_MAX { 0 } else { self.key_len }
    }

    pub(crate) fn uid(&self) -> &str {
        match (self.text_key_len(), self.uid_len) {
            (WIDE, _) | (_, WIDE) => self.wide_key_and_uid().1,
            (key, uid) => &self.text[key.into()..][..uid.into()],
        }
    }

    pub(super) fn deletion_timestamp(&self) -> Option<&str> {
        self.entries().next().filter(|text| !text.is_empty())
    }

    pub(super) fn generation(&self) -> Option<i64> {
        let entry = self.entries().nth(1)?;
        Entries(entry).number().map(u64::cast_signed)
    }

    /// The uids of the owners, each with whether it is the controller.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&str, bool)> {
        let (entries, count) = self.owner_entries();
        entries.take(count).map(|entry| (&entry[1..], entry.starts_with(CONTROLLER)))
    }

    /// The uid of the owner that controls it.
    pub(crate) fn controller_uid(&self) -> Option<&str> {
        self.owners().find(|(_, is_controller)| *is_controller).map(|(uid, _)| uid)
    }

    /// Sorted by key.
    pub(super) fn labels<'a>(
        &'a self,
        keys: &'a LabelKeyInterner,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let (mut entries, count) = self.label_entries();
        (0..count).map_while(move |_| Some((entries.next_key(keys)?, entries.next()?)))
    }

    /// The value of one label.
    pub(super) fn label<'a>(&'a self, keys: &LabelKeyInterner, key: &str) -> Option<&'a str> {
        let character = keys.known_character_of(key);
        let (mut entries, count) = self.label_entries();
        (0..count).find_map(|_| {
            let is_it = match entries.skip_interned() {
                Some(interned) => Some(interned) == character,
                None => entries.next()? == key,
            };
            let value = entries.next()?;
            is_it.then_some(value)
        })
    }

    /// The prefetched entries of the path with this number.
    pub(super) fn prefetched(&self, path_number: usize) -> Option<impl Iterator<Item = &str>> {
        let (mut entries, count) = self.label_entries();
        for _ in 0..count {
            if entries.skip_interned().is_none() {
                entries.next()?;
            }
            entries.next()?;
        }
        entries.nth(path_number)?.strip_prefix(VALUES).map(Entries)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.text.len()
    }

    /// The entries from the first owner on, and the number of owners.
    fn owner_entries(&self) -> (Entries<'_>, usize) {
        let mut entries = self.entries();
        // The deletion timestamp and the generation.
        entries.next();
        entries.next();
        let count = entries.count_of(self.owners);
        (entries, count)
    }

    /// The entries from the first label on, and the number of labels.
    fn label_entries(&self) -> (Entries<'_>, usize) {
        let (mut entries, owners) = self.owner_entries();
        for _ in 0..owners {
            entries.next();
        }
        let count = entries.count_of(self.labels);
        (entries, count)
    }

    fn entries(&self) -> Entries<'_> {
        match (self.text_key_len(), self.uid_len) {
            (WIDE, _) | (_, WIDE) => self.wide_key_and_uid().2,
            (key, uid) => Entries(&self.text[usize::from(key) + usize::from(uid)..]),
        }
    }

    /// Key, if it is in the text, uid and the entries, if the length of the key or uid is [`WIDE`].
    #[cold]
    fn wide_key_and_uid(&self) -> (&str, &str, Entries<'_>) {
        let mut rest = Entries(&self.text);
        let mut text = |length| {
            let length = rest.count_of(length);
            let (text, behind) = rest.0.split_at(length);
            rest = Entries(behind);
            text
        };
        let (key, uid) = (text(self.text_key_len()), text(self.uid_len));
        (key, uid, rest)
    }
}

impl LabelKeyInterner {
    /// The character of a key, which is interned if there is room.
    fn character_of(&self, key: &str) -> Option<char> {
        if key.len() > LABEL_KEY_BYTES_MAX {
            return None;
        }
        interned(self.0.number_or_add(key)?)
    }

    fn known_character_of(&self, key: &str) -> Option<char> {
        interned(self.0.number(key)?)
    }

    fn key(&self, character: char) -> Option<&str> {
        let number = u32::from(character).checked_sub(u32::from(FIRST_INTERNED))?;
        self.0.get(usize::try_from(number).ok()?).map(String::as_str)
    }
}

fn interned(number: usize) -> Option<char> {
    char::from_u32(u32::from(FIRST_INTERNED) + u32::try_from(number).ok()?)
}

/// Copies a text with spare capacity: that is cheaper than to let the allocator shrink it.
fn without_spare_capacity(text: String) -> Box<str> {
    if text.len() == text.capacity() { text.into_boxed_str() } else { text.as_str().into() }
}

/// A count that fits into the 16 bits beside the text.
fn narrow(count: usize) -> Option<u16> {
    u16::try_from(count).ok().filter(|count| *count != WIDE)
}

/// Writes a count that does not fit into 16 bits.
#[cold]
fn wide(text: &mut String, count: usize) -> u16 {
    push_number(text, count as u64);
    WIDE
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn every_text_is_read_back_whatever_its_length() {
        for length in [0, 1, 63, 64, 65, 4_095, 4_096, 300_000] {
            let long: Cow<'_, str> = "é".repeat(length).into();
            let identity = Identity {
                namespace: "shop".into(),
                name: "web-0".into(),
                uid: "u-1".into(),
                deletion_timestamp: Some("2026-01-01T00:00:00Z".into()),
                generation: Some(7),
                labels: vec![("a".into(), long.clone()), (long.clone(), "".into())],
                owners: vec![("o-1".into(), false), (long.clone(), true)],
                ..Identity::default()
            };
            let keys = LabelKeyInterner::default();
            let strings = IdentityStrings::new(&identity, &keys);
            assert_eq!((strings.key(), strings.uid()), ("shop/web-0", "u-1"));
            assert_eq!(strings.deletion_timestamp(), Some("2026-01-01T00:00:00Z"));
            assert_eq!(strings.generation(), Some(7));
            assert_eq!(strings.owners().collect::<Vec<_>>(), [("o-1", false), (&*long, true)]);
            assert_eq!(strings.labels(&keys).collect::<Vec<_>>(), [("a", &*long), (&*long, "")]);
            assert_eq!((strings.label(&keys, "a"), strings.label(&keys, &long)), (Some(&*long), Some("")));
            assert_eq!(keys.known_character_of(&long).is_some(), long.len() <= LABEL_KEY_BYTES_MAX);
        }
    }

    #[test]
    fn prefetched_fields_are_read_back_path_by_path_and_hide_no_label() {
        let (keys, labels) = (LabelKeyInterner::default(), vec![("app".into(), "web".into())]);
        let identity = Identity { name: "web-0".into(), labels, ..Identity::default() };
        let mut strings = IdentityStrings::new(&identity, &keys);
        let long = vec![Value::from("x".repeat(200))];
        let read = [Some(vec!["node-1".into(), 7.into()]), None, Some(vec![]), Some(long)];
        strings.add_prefetched(read.into_iter());
        let texts = |number| {
            strings.prefetched(number).map(|entries| entries.map(prefetched::text).collect::<Vec<_>>())
        };
        assert_eq!(texts(0).unwrap(), ["node-1", "7"]);
        assert_eq!((texts(1), texts(2), texts(3), texts(4)), (None, Some(vec![]), None, None));
        assert_eq!(strings.labels(&keys).collect::<Vec<_>>(), [("app", "web")]);
    }

    #[test]
    fn an_object_without_anything_but_its_name_has_nothing_else() {
        let keys = LabelKeyInterner::default();
        let identity = Identity { name: "node-1".into(), ..Identity::default() };
        let strings = IdentityStrings::new(&identity, &keys);
        assert_eq!((strings.key(), strings.uid(), strings.deletion_timestamp()), ("node-1", "", None));
        assert_eq!((strings.owners().count(), strings.labels(&keys).count()), (0, 0));
        assert_eq!(strings.generation(), None);
        assert_eq!(strings.memory_bytes(), 2, "an inline key is a part of its object");
        assert_eq!(strings.key_bytes(), b"node-1");
    }

    #[test]
    fn every_generation_is_read_back() {
        let keys = LabelKeyInterner::default();
        for generation in [0, 1, 63, 64, 4_095, 4_096, i64::from(u16::MAX), -1, i64::MIN, i64::MAX] {
            let labels = vec![("app".into(), "web".into())];
            let generation = Some(generation);
            let identity = Identity { name: "web-0".into(), generation, labels, ..Identity::default() };
            let strings = IdentityStrings::new(&identity, &keys);
            assert_eq!(strings.generation(), generation);
            assert_eq!(strings.label(&keys, "app"), Some("web"));
        }
    }

    // holds: X35
    #[test]
    fn no_length_and_no_count_is_too_large_to_be_stored() {
        let keys = LabelKeyInterner::default();
        let sizes = [0, 1, 65_534, 65_535, 65_536, 70_000];
        let text = |size: usize, what: &str| what.repeat(size);
        for (key, uid, owners, labels) in [
            (70_000, 36, 1, 2),
            (65_535, 65_535, 0, 0),
            (1, 70_000, 65_535, 1),
            (65_534, 65_534, 65_534, 65_534),
            (5, 36, 1, 65_535),
        ]
        .into_iter()
        .chain(sizes.map(|size| (1, 1, size, size)))
        {
            let identity = Identity {
                namespace: "shop".into(),
                name: text(key, "n").into(),
                uid: text(uid, "u").into(),
                deletion_timestamp: Some("2026".into()),
                owners: (0..owners).map(|n| (format!("o-{n}").into(), n + 1 == owners)).collect(),
                labels: (0..labels).map(|n| (format!("k-{n}").into(), format!("v-{n}").into())).collect(),
                ..Identity::default()
            };
            let mut strings = IdentityStrings::new(&identity, &keys);
            strings.add_prefetched([Some(vec!["node-1".into()])].into_iter());
            let key = format!("shop/{}", identity.name);
            assert_eq!(strings.key(), key);
            assert_eq!(strings.key_bytes(), key.as_bytes());
            assert_eq!((strings.uid(), strings.deletion_timestamp()), (&*identity.uid, Some("2026")));
            let owned = |(uid, is_controller): (&str, bool)| (Cow::from(uid.to_owned()), is_controller);
            assert_eq!(strings.owners().map(owned).collect::<Vec<_>>(), identity.owners);
            let label = |(key, value): (&str, &str)| (Cow::from(key.to_owned()), Cow::from(value.to_owned()));
            assert_eq!(strings.labels(&keys).map(label).collect::<Vec<_>>(), identity.labels);
            if let Some((last, value)) = identity.labels.last() {
                assert_eq!(strings.label(&keys, last), Some(&**value));
            }
            assert_eq!(
                strings.prefetched(0).map(|kept| kept.map(prefetched::text).collect::<Vec<_>>()),
                Some(vec!["node-1"])
            );
        }
    }

    #[test]
    fn a_label_key_without_a_number_is_stored_as_text() {
        let keys = LabelKeyInterner::default();
        let label = |n: usize| (Cow::from(format!("key-{n}")), Cow::from(format!("value-{n}")));
        let labels: Vec<_> = (0..LABEL_KEYS_MAX + 3).map(label).collect();
        let identity = Identity { name: "web-0".into(), labels, ..Identity::default() };
        let strings = IdentityStrings::new(&identity, &keys);
        let read = strings.labels(&keys).map(|(key, value)| (key.into(), value.into())).collect::<Vec<_>>();
        assert_eq!(read, identity.labels);
        for (key, value) in &identity.labels {
            assert_eq!(strings.label(&keys, key), Some(&**value));
        }
        assert_eq!(strings.label(&keys, "key"), None);
        let again = IdentityStrings::new(&Identity { labels: vec![label(0)], ..Identity::default() }, &keys);
        assert_eq!(again.memory_bytes(), 2 + "\u{80}".len() + 1 + "value-0".len());
    }
}
