//! The syntax of names, label keys and label values.
//!
//! Each check returns why a text is not valid, or `None` if it is valid.

use crate::resource::ResourceDef;

const SUBDOMAIN_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;
/// The largest part of `generateName` in a generated name, in bytes.
const GENERATED_PREFIX_BYTES_MAX: usize = 58;
const GENERATED_SUFFIX_LETTERS: usize = 5;
/// Without vowels and similar characters, so that no words are generated. The same as in Kubernetes.
const GENERATED_ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// Checks the name of an object of this resource.
pub(crate) fn object_name(def: &ResourceDef, name: &str) -> Option<&'static str> {
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("", "Namespace" | "Service") => dns_label(name),
        ("rbac.authorization.k8s.io", _) | ("networking.k8s.io", "IPAddress") => path_segment(name),
        _ => dns_subdomain(name),
    }
}

/// Checks for a lowercase RFC 1123 subdomain.
pub(crate) fn dns_subdomain(name: &str) -> Option<&'static str> {
    if name.len() > SUBDOMAIN_BYTES_MAX {
        return Some("must be no more than 253 characters");
    }
    let is_part = |part: &str| !part.is_empty() && is_bounded(part, is_lower_or_digit, |byte| byte == b'-');
    (!name.split('.').all(is_part)).then_some(
        "a lowercase RFC 1123 subdomain has only lower case letters, digits, '-' and '.', and each part starts and \
         ends with a letter or digit",
    )
}

/// Checks for a lowercase RFC 1123 label.
pub(crate) fn dns_label(name: &str) -> Option<&'static str> {
    if name.len() > LABEL_BYTES_MAX {
        return Some("must be no more than 63 characters");
    }
    (!is_bounded(name, is_lower_or_digit, |byte| byte == b'-')).then_some(
        "a lowercase RFC 1123 label has only lower case letters, digits and '-', and starts and ends with a letter or \
         digit",
    )
}

/// Checks for a DNS-1035 label.
pub(crate) fn dns_1035_label(name: &str) -> Option<&'static str> {
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        return Some("a DNS-1035 label starts with a letter");
    }
    dns_label(name)
}

/// Checks for a segment of a URL path.
pub(crate) fn path_segment(name: &str) -> Option<&'static str> {
    match name {
        "." | ".." => Some("may not be '.' or '..'"),
        _ if name.contains(['/', '%']) => Some("may not contain '/' or '%'"),
        _ => None,
    }
}

/// Checks for a name with an optional prefix, such as a label key.
pub(crate) fn qualified_name(name: &str) -> Option<&'static str> {
    let short = match name.split_once('/') {
        None => name,
        Some(("", _)) => return Some("prefix part must be non-empty"),
        Some((prefix, short)) => {
            if let Some(why) = dns_subdomain(prefix) {
                return Some(why);
            }
            short
        }
    };
    if short.is_empty() {
        return Some("name part must be non-empty");
    }
    if short.len() > LABEL_BYTES_MAX {
        return Some("name part must be no more than 63 characters");
    }
    (!is_bounded(short, |byte| byte.is_ascii_alphanumeric(), |byte| b"-_.".contains(&byte))).then_some(
        "name part has only letters, digits, '-', '_' and '.', and starts and ends with a letter or digit",
    )
}

/// Checks for a label value.
pub(crate) fn label_value(value: &str) -> Option<&'static str> {
    if value.len() > LABEL_BYTES_MAX {
        return Some("must be no more than 63 characters");
    }
    let is_value = value.is_empty()
        || is_bounded(value, |byte| byte.is_ascii_alphanumeric(), |byte| b"-_.".contains(&byte));
    (!is_value).then_some(
        "a valid label is empty or has only letters, digits, '-', '_' and '.', and starts and ends with a letter or \
         digit",
    )
}

/// The name for a `generateName`, with a suffix from the random number.
pub(crate) fn generated(prefix: &str, mut random: u64) -> String {
    let end =
        (0..=prefix.len().min(GENERATED_PREFIX_BYTES_MAX)).rev().find(|&end| prefix.is_char_boundary(end));
    let mut name = prefix[..end.unwrap_or(0)].to_owned();
    let letters = GENERATED_ALPHABET.len() as u64;
    for _ in 0..GENERATED_SUFFIX_LETTERS {
        name.push(char::from(GENERATED_ALPHABET[usize::try_from(random % letters).unwrap_or(0)]));
        random /= letters;
    }
    name
}

fn is_lower_or_digit(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Whether a text is not empty, has `ends` bytes at both ends, and `ends` or `inner` bytes between.
fn is_bounded(text: &str, ends: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(&first), Some(&last)) => {
            ends(first) && ends(last) && bytes.iter().all(|&byte| ends(byte) || inner(byte))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(what: fn(&str) -> Option<&'static str>, good: &[&str], bad: &[&str]) {
        for name in good {
            assert_eq!(what(name), None, "{name:?}");
        }
        for name in bad {
            assert!(what(name).is_some(), "{name:?} was taken");
        }
    }

    #[test]
    fn names_follow_their_syntax() {
        let long = "a".repeat(254);
        check(
            dns_subdomain,
            &["a", "a-b.c-d", "1.2", &long[1..]],
            &["", "A", "a_b", "-a", "a-", "a..b", ".a", "a.", "a/b", "é", &long, "a b"],
        );
        check(dns_label, &["a", "1a-b", &long[..63]], &["", "a.b", "-", &long[..64]]);
        check(dns_1035_label, &["a1"], &["1a", "", "a.b"]);
        check(path_segment, &["system:node", "A b"], &[".", "..", "a/b", "50%"]);
        check(
            qualified_name,
            &["app", "App_1.x", "example.com/app", "a/B"],
            &["", "/a", "a/", "a/b/c", "-a", "Example.com/app", &long[..64]],
        );
        check(label_value, &["", "v1.2_x-Y"], &["-a", "a b", "a/b", &long[..64]]);
    }

    #[test]
    fn a_generated_name_keeps_its_prefix_and_fits() {
        assert_eq!(generated("web-", 0), "web-bbbbb");
        assert_ne!(generated("web-", 1), generated("web-", 2));
        assert_eq!(generated(&"x".repeat(100), 7).len(), 63);
        assert_eq!(generated(&"é".repeat(100), 7).len(), 63);
    }
}
