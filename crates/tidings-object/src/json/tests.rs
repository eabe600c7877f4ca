//! The checking scanner accepts the same texts as serde_json, at any depth. The fast one finds the same ends.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::*;
use crate::arbitrary;

fn is_accepted(text: &[u8]) -> bool {
    JsonCursor::new(text)
        .and_then(|mut cursor| cursor.skip_checked().and_then(|()| cursor.expect_end()))
        .is_ok()
}

fn is_skipped(text: &[u8]) -> bool {
    JsonCursor::new(text)
        .and_then(|mut cursor| cursor.skip_value().and_then(|()| cursor.expect_end()))
        .is_ok()
}

#[test]
fn the_grammar_is_json_and_nothing_more() {
    let texts = [
        "{}",
        "[]",
        " [ ] ",
        "{\"a\":1}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1]]",
        "[1",
        "{\"a\":[}",
        "{\"a\":{]}",
        "01",
        "1",
        "-",
        "-0",
        "-01",
        "1.",
        ".5",
        "1.5e",
        "1e+",
        "1e-5",
        "1E9",
        "+1",
        "nul",
        "null",
        "nulll",
        "true",
        "tru",
        "false",
        "\"",
        "\"a",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u1234\"",
        "\"\\ud800\"",
        "\"\t\"",
        "\"\n\"",
        "\"\u{7f}\"",
        "\u{a0}1",
        "",
        " ",
        "1 1",
        "{} {}",
        "\u{feff}{}",
        "//c\n1",
        "NaN",
        "\"\\/\"",
        "1e999",
        "[[[[[[[[[[]]]]]]]]]]",
        "{\"a\":\"\\\\\"}",
        "\"12345678\\",
        "\"1234567\u{1}\"",
        "\"ééééééé\"",
    ];
    for text in texts {
        let expected = serde_json::from_str::<IgnoredAny>(text).is_ok();
        assert_eq!(is_accepted(text.as_bytes()), expected, "{text:?}");
        assert!(is_skipped(text.as_bytes()) || !expected, "{text:?}");
    }
    assert!(!is_accepted(b"\"\xff\""));
    assert!(!is_accepted(b"\"\xc3\""));
}

#[test]
fn any_depth_is_accepted_without_recursion() {
    let mut deep = b"[{\"a\":".repeat(200_000);
    assert!(!is_accepted(&deep) && !is_skipped(&deep));
    deep.extend(b"1");
    deep.extend(b"}]".repeat(200_000));
    assert!(is_accepted(&deep) && is_skipped(&deep));
    deep.pop();
    assert!(!is_accepted(&deep) && !is_skipped(&deep));
}

#[test]
fn a_skipped_container_must_end_with_its_bracket_and_outside_of_a_string() {
    for text in ["[}", "{]", "[", "{\"a\":[1}", "[\"]", "[\"\\\"]", "[[]"] {
        assert!(!is_skipped(text.as_bytes()), "{text}");
    }
    for left_to_readers in ["[1,]", "{a:1}", "[{]]", "{\"a\":tru}", "[\"\u{1}\"]"] {
        assert!(is_skipped(left_to_readers.as_bytes()), "{left_to_readers}");
    }
}

/// The end of the first value, and whether it is checked to be well-formed.
fn ends(text: &str) -> (Option<usize>, Option<usize>) {
    let cursor = JsonCursor::new(text.as_bytes()).expect("a string is UTF-8");
    let end = |skip: fn(&mut JsonCursor<'_>) -> Result<(), JsonError>| {
        let mut cursor = cursor.clone();
        skip(&mut cursor).ok().map(|()| cursor.offset())
    };
    (end(|cursor| cursor.skip_checked()), end(|cursor| cursor.skip_value()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_well_formed_value_ends_where_the_checking_scanner_ends(
        text in arbitrary::object_text(),
        tail in "[\\]}\",\\\\ ]{0,80}",
    ) {
        let (checked, skipped) = ends(&format!("{text}{tail}"));
        prop_assert_eq!(checked, Some(text.len()));
        prop_assert_eq!(skipped, checked);
    }

    #[test]
    fn in_any_text_the_fast_scanner_ends_where_the_checking_one_ends(
        text in "[\\[{](\"(a|\\\\\"|\\\\){0,9}\"|[\\[\\]{},:1 ]){0,60}",
    ) {
        let (checked, skipped) = ends(&text);
        prop_assert!(checked.is_none() || skipped == checked, "{checked:?} {skipped:?}");
    }
}
