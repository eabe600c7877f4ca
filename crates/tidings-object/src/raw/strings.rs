//! The texts of an object's identity in one allocation.
//!
//! The key stands first and the uid second, without anything between; then come entries, each behind its
//! length: the deletion timestamp, the owners, the labels in pairs, and what was read ahead, path by path.

use serde_json::Value;

use super::ahead;
use crate::identity::Identity;

/// Key, uid, deletion timestamp, owners and labels of one object, and what was read ahead of it.
#[derive(Clone)]
pub(crate) struct Strings {
    text: Box<str>,
    key_len: u16,
    uid_len: u16,
    owners: u16,
    labels: u16,
}

/// An owner's entry begins with one of these.
const CONTROLLER: &str = "!";
const NO_CONTROLLER: &str = ".";

/// What was read ahead begins with one of these: its values follow, or it is to be read from the body.
const VALUES: &str = "=";
const IN_BODY: &str = "?";

impl Strings {
    /// `None` if the key or the uid is longer than any that a server gives out, or the owners or labels are more.
    pub(crate) fn new(identity: &Identity<'_>) -> Option<Strings> {
        let Identity { namespace, name, uid, labels, owners, .. } = identity;
        let deletion = identity.deletion_timestamp.as_deref().unwrap_or_default();
        let entries: usize = deletion.len()
            + labels.iter().map(|(k, v)| k.len() + v.len() + 4).sum::<usize>()
            + owners.iter().map(|(uid, _)| uid.len() + 3).sum::<usize>();
        let mut text = String::with_capacity(namespace.len() + 1 + name.len() + uid.len() + 2 + entries);
        if !namespace.is_empty() {
            text.push_str(namespace);
            text.push('/');
        }
        text.push_str(name);
        let key_len = u16::try_from(text.len()).ok()?;
        text.push_str(uid);
        push_entry(&mut text, &["", deletion]);
        for (uid, is_controller) in owners {
            push_entry(&mut text, &[if *is_controller { CONTROLLER } else { NO_CONTROLLER }, uid]);
        }
        for (key, value) in labels {
            push_entry(&mut text, &["", key]);
            push_entry(&mut text, &["", value]);
        }
        Some(Strings {
            text: text.into_boxed_str(),
            key_len,
            uid_len: u16::try_from(uid.len()).ok()?,
            owners: u16::try_from(owners.len()).ok()?,
            labels: u16::try_from(labels.len()).ok()?,
        })
    }

    /// With what was read ahead: for each path its values, or `None` if it could not be read.
    pub(crate) fn with_ahead(&mut self, values: impl Iterator<Item = Option<Vec<Value>>>) {
        let mut text = String::new();
        for values in values {
            let mut entries = String::new();
            match values.and_then(|values| ahead::kept(&values)) {
                Some(kept) => {
                    kept.iter().for_each(|kept| push_entry(&mut entries, &["", kept]));
                    push_entry(&mut text, &[VALUES, &entries]);
                }
                None => push_entry(&mut text, &[IN_BODY, ""]),
            }
        }
        if !text.is_empty() {
            self.text = [&*self.text, &text].concat().into();
        }
    }

    pub(crate) fn key(&self) -> &str {
        &self.text[..self.key_len as usize]
    }

    pub(crate) fn uid(&self) -> &str {
        &self.text[self.key_len as usize..][..self.uid_len as usize]
    }

    pub(super) fn deletion_timestamp(&self) -> Option<&str> {
        self.entries().next().filter(|text| !text.is_empty())
    }

    /// The uids of the owners, each with whether it is the controller.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&str, bool)> {
        let owners = self.entries().skip(1).take(self.owners as usize);
        owners.map(|entry| (&entry[1..], entry.starts_with(CONTROLLER)))
    }

    /// Sorted by key.
    pub(super) fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut entries = self.entries();
        entries.pass(1 + usize::from(self.owners));
        (0..self.labels).map_while(move |_| Some((entries.next()?, entries.next()?)))
    }

    /// What was read ahead of the path with this number, as it is kept.
    pub(super) fn ahead(&self, path_number: usize) -> Option<impl Iterator<Item = &str>> {
        let mut entries = self.entries();
        entries.pass(1 + usize::from(self.owners) + 2 * usize::from(self.labels) + path_number);
        entries.next()?.strip_prefix(VALUES).map(Entries)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.text.len()
    }

    fn entries(&self) -> Entries<'_> {
        Entries(&self.text[self.key_len as usize + self.uid_len as usize..])
    }
}

struct Entries<'a>(&'a str);

impl Entries<'_> {
    fn pass(&mut self, entries: usize) {
        self.take(entries).for_each(drop);
    }
}

/// Lengths are written in digits of six bits, lowest first; this bit says that another follows. So each digit
/// is an ASCII character, and the whole stays text.
const ANOTHER_DIGIT: u8 = 0x40;

impl<'a> Iterator for Entries<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let (mut length, mut digits) = (0, 0);
        loop {
            let digit = *self.0.as_bytes().get(digits)?;
            length |= usize::from(digit & !ANOTHER_DIGIT) << (6 * digits);
            digits += 1;
            if digit & ANOTHER_DIGIT == 0 {
                break;
            }
        }
        let (entry, rest) = self.0[digits..].split_at(length);
        self.0 = rest;
        Some(entry)
    }
}

fn push_entry(text: &mut String, parts: &[&str; 2]) {
    let mut length = parts[0].len() + parts[1].len();
    while length >= ANOTHER_DIGIT as usize {
        text.push(char::from(length as u8 & (ANOTHER_DIGIT - 1) | ANOTHER_DIGIT));
        length >>= 6;
    }
    text.push(char::from(length as u8));
    text.push_str(parts[0]);
    text.push_str(parts[1]);
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn every_text_comes_back_whatever_its_length() {
        for length in [0, 1, 63, 64, 65, 4_095, 4_096, 300_000] {
            let long: Cow<'_, str> = "é".repeat(length).into();
            let identity = Identity {
                namespace: "shop".into(),
                name: "web-0".into(),
                uid: "u-1".into(),
                deletion_timestamp: Some("2026-01-01T00:00:00Z".into()),
                labels: vec![("a".into(), long.clone()), (long.clone(), "".into())],
                owners: vec![("o-1".into(), false), (long.clone(), true)],
                ..Identity::default()
            };
            let strings = Strings::new(&identity).unwrap();
            assert_eq!((strings.key(), strings.uid()), ("shop/web-0", "u-1"));
            assert_eq!(strings.deletion_timestamp(), Some("2026-01-01T00:00:00Z"));
            assert_eq!(strings.owners().collect::<Vec<_>>(), [("o-1", false), (&*long, true)]);
            assert_eq!(strings.labels().collect::<Vec<_>>(), [("a", &*long), (&*long, "")]);
        }
    }

    #[test]
    fn what_was_read_ahead_comes_back_path_by_path_and_hides_no_label() {
        let labels = vec![("app".into(), "web".into())];
        let mut strings =
            Strings::new(&Identity { name: "web-0".into(), labels, ..Identity::default() }).unwrap();
        let long = vec![Value::from("x".repeat(200))];
        let read = [Some(vec!["node-1".into(), 7.into()]), None, Some(vec![]), Some(long)];
        strings.with_ahead(read.into_iter());
        let ahead = |number| strings.ahead(number).map(|kept| kept.map(ahead::text).collect::<Vec<_>>());
        assert_eq!(ahead(0).unwrap(), ["node-1", "7"]);
        assert_eq!((ahead(1), ahead(2), ahead(3), ahead(4)), (None, Some(vec![]), None, None));
        assert_eq!(strings.labels().collect::<Vec<_>>(), [("app", "web")]);
    }

    #[test]
    fn an_object_without_anything_but_its_name_has_nothing_else() {
        let strings = Strings::new(&Identity { name: "node-1".into(), ..Identity::default() }).unwrap();
        assert_eq!((strings.key(), strings.uid(), strings.deletion_timestamp()), ("node-1", "", None));
        assert_eq!((strings.owners().count(), strings.labels().count()), (0, 0));
        assert_eq!(strings.memory_bytes(), "node-1".len() + 1);
    }

    #[test]
    fn a_key_that_no_server_gives_out_is_refused() {
        let identity = Identity { name: "x".repeat(70_000).into(), ..Identity::default() };
        assert!(Strings::new(&identity).is_none());
    }
}
