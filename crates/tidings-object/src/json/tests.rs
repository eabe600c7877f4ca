//! The scanner accepts the same texts as serde_json, at any depth.

use serde::de::IgnoredAny;

use super::*;

fn is_accepted(text: &[u8]) -> bool {
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
    }
    assert!(!is_accepted(b"\"\xff\""));
    assert!(!is_accepted(b"\"\xc3\""));
}

#[test]
fn any_depth_is_accepted_without_recursion() {
    let mut deep = b"[{\"a\":".repeat(200_000);
    assert!(!is_accepted(&deep));
    deep.extend(b"1");
    deep.extend(b"}]".repeat(200_000));
    assert!(is_accepted(&deep));
    deep.pop();
    assert!(!is_accepted(&deep));
}
