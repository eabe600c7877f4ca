//! A scan reads the same identity as a decoder, from any JSON.

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::*;
use crate::arbitrary;

/// The model: the identity by the same rules, read from the decoded tree.
fn from_tree(value: &Value) -> Identity<'static> {
    let text = |v: &Value| v.as_str().map(|s| Cow::Owned(s.to_owned()));
    let metadata = &value["metadata"];
    let labels = metadata["labels"].as_object().into_iter().flatten();
    let mut labels: Vec<_> = labels.filter_map(|(k, v)| Some((Cow::Owned(k.clone()), text(v)?))).collect();
    labels.sort();
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    Identity {
        kind: text(&value["kind"]),
        api_version: text(&value["apiVersion"]),
        namespace: text(&metadata["namespace"]).unwrap_or_default(),
        name: text(&metadata["name"]).unwrap_or_default(),
        uid: text(&metadata["uid"]).unwrap_or_default(),
        version: metadata["resourceVersion"].as_str().map(Version::new),
        generation: metadata["generation"].as_i64(),
        deletion_timestamp: text(&metadata["deletionTimestamp"]),
        labels,
        owners: owners
            .filter_map(|o| Some((text(&o["uid"])?, o["controller"].as_bool().unwrap_or(false))))
            .collect(),
        is_initial_events_end: metadata["annotations"]["k8s.io/initial-events-end"] == "true",
        ..Identity::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn the_identity_equals_that_of_the_decoded_tree(text in arbitrary::object_text()) {
        let tree: Value = serde_json::from_str(&text).unwrap();
        let scanned = Identity::from_json(text.as_bytes()).unwrap();
        let expected = Identity {
            rest_at: scanned.rest_at,
            rest_has_kind: scanned.rest_has_kind,
            rest_has_api_version: scanned.rest_has_api_version,
            ..from_tree(&tree)
        };
        prop_assert_eq!(scanned, expected);
    }

    #[test]
    fn the_rest_is_the_object_without_its_leading_type(text in arbitrary::object_text()) {
        let identity = Identity::from_json(text.as_bytes()).unwrap();
        let rest: Value = serde_json::from_str(&format!("{{{}", &text[identity.rest_at..])).unwrap();
        let mut tree: Value = serde_json::from_str(&text).unwrap();
        let members = tree.as_object_mut().unwrap();
        if !identity.rest_has_kind {
            members.remove("kind");
        }
        if !identity.rest_has_api_version {
            members.remove("apiVersion");
        }
        prop_assert_eq!(rest, tree);
    }

    #[test]
    fn a_part_of_an_object_is_never_accepted(text in arbitrary::object_text()) {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            prop_assert!(Identity::from_json(&text.as_bytes()[..end]).is_err(), "{}", &text[..end]);
        }
    }

    #[test]
    fn damage_is_either_refused_or_left_to_the_readers_of_the_body(
        mut text in arbitrary::object_text(),
        cuts in any::<[u16; 2]>(),
    ) {
        // Damages the text but keeps it valid UTF-8: removes a character, inserts one.
        let boundary = |text: &str, near: u16| {
            let near = near as usize % (text.len() + 1);
            (0..=near).rev().find(|at| text.is_char_boundary(*at)).unwrap()
        };
        let at = boundary(&text, cuts[0]);
        if at < text.len() {
            text.remove(at);
        }
        let damage = b"\"\\{}[],:0-.e \n\x01"[cuts[1] as usize % 15] as char;
        text.insert(boundary(&text, cuts[1]), damage);
        let is_object = text.trim_start_matches([' ', '\n', '\t', '\r']).starts_with('{');
        let is_well_formed = is_object && serde_json::from_str::<IgnoredAny>(&text).is_ok();
        let scanned = Identity::from_json(text.as_bytes());
        prop_assert!(scanned.is_ok() || !is_well_formed);
        if let Ok(identity) = scanned {
            let rest = format!("{{{}", &text[identity.rest_at..]);
            prop_assert!(Identity::from_json(rest.as_bytes()).is_ok(), "the rest is accepted again");
            prop_assert_eq!(serde_json::from_str::<IgnoredAny>(&rest).is_ok(), is_well_formed);
        }
    }

    #[test]
    fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Identity::from_json(&bytes);
    }
}

// holds: X14
#[test]
fn a_list_item_and_a_watch_frame_of_one_object_have_the_same_rest() {
    let item = br#"{"metadata":{"name":"a"},"spec":{}}"#;
    let rest = &item[Identity::from_json(item).unwrap().rest_at..];
    for head in [
        r#"{"kind":"Pod","apiVersion":"v1","#,
        r#"{"apiVersion":"v1","kind":"Pod","#,
        "{ \"kind\" : \"Pod\" ,\n\t\"apiVersion\":\"v1\" , ",
        r#"{"\u006bind":"Pod","apiVersion":"v1","#,
        r#"{"kind":"Pod","kind":"Pod","#,
        " {",
    ] {
        let frame = format!("{head}{}", r#""metadata":{"name":"a"},"spec":{}}"#);
        let at = Identity::from_json(frame.as_bytes()).unwrap().rest_at;
        assert_eq!(&frame.as_bytes()[at..], rest, "{frame}");
    }
}

#[test]
fn an_object_that_only_has_a_kind_has_an_empty_rest() {
    for (frame, rest) in [
        ("{}", "}"),
        (" { } ", "} "),
        (r#"{"kind":"Pod"}"#, "}"),
        (r#"{"kind":"Pod" , "apiVersion":"v1" }"#, "}"),
        (r#"{"kind":"Pod","a":1,"apiVersion":"v1"}"#, r#""a":1,"apiVersion":"v1"}"#),
        (r#"{"kind":null,"apiVersion":"v1"}"#, r#""kind":null,"apiVersion":"v1"}"#),
    ] {
        let at = Identity::from_json(frame.as_bytes()).unwrap().rest_at;
        assert_eq!(&frame[at..], rest, "{frame}");
    }
    let late = Identity::from_json(br#"{"kind":"Pod","a":1,"apiVersion":"v1"}"#).unwrap();
    assert_eq!((late.rest_has_kind, late.rest_has_api_version), (false, true));
}

#[test]
fn the_last_of_duplicate_keys_counts_even_when_it_is_of_the_wrong_type() {
    let frame = br#"{"metadata":{"name":"a","uid":"u"},
        "metadata":{"name":"b","labels":{"x":"1","x":2,"y":"1","y":"2"}}}"#;
    let identity = Identity::from_json(frame).unwrap();
    assert_eq!(identity.name, "b");
    assert_eq!(identity.uid, "");
    assert_eq!(identity.labels, [("y".into(), "2".into())]);
    let identity = Identity::from_json(br#"{"metadata":{"name":"a"},"metadata":3}"#).unwrap();
    assert_eq!(identity.name, "");
}

#[test]
fn an_error_has_the_offset_and_what_was_expected() {
    let error = Identity::from_json(br#"{"a":tru}"#).unwrap_err();
    assert_eq!(error.to_string(), "not well-formed JSON at byte 5: expected true");
    for not_an_object in ["", "[]", "\"a\"", "1", "null", "<html>", "{} {}"] {
        assert!(Identity::from_json(not_an_object.as_bytes()).is_err(), "{not_an_object}");
    }
}

#[test]
fn unescaped_text_is_borrowed_from_the_frame() {
    let identity =
        Identity::from_json(br#"{"kind":"Pod","metadata":{"name":"a","labels":{"k":"v"}}}"#).unwrap();
    assert!(matches!(identity.kind, Some(Cow::Borrowed(_))));
    assert!(matches!(identity.name, Cow::Borrowed(_)));
    assert!(matches!(identity.labels[0], (Cow::Borrowed(_), Cow::Borrowed(_))));
}
