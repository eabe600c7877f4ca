//! Walks an object's bytes along a path in one pass, and builds only what stands at its end.

use serde::de::Error as _;
use serde_json::Value;

use super::Step;
use crate::json::{Cursor, JsonError};

pub(super) fn values(steps: &[Step<'_>], json: &[u8]) -> Result<Vec<Value>, serde_json::Error> {
    let mut found = Vec::new();
    let walked = Cursor::new(json).and_then(|mut cursor| {
        walk(&mut cursor, steps, &mut found)?;
        cursor.end()
    });
    walked.map_err(serde_json::Error::custom)?;
    found.into_iter().filter(|text| *text != "null").map(serde_json::from_str).collect()
}

/// Adds the text of each value to `found`. It recurses once a step, and a path's steps are bounded.
fn walk<'a>(cursor: &mut Cursor<'a>, steps: &[Step<'_>], found: &mut Vec<&'a str>) -> Result<(), JsonError> {
    match steps.split_first() {
        None => {
            let start = cursor.at();
            cursor.skip_value()?;
            found.push(cursor.since(start));
            Ok(())
        }
        Some((Step::Member(name), rest)) if cursor.peek() == b'{' => {
            let found_before = found.len();
            cursor.members(|cursor, key| {
                if key.says(name) {
                    // A duplicate takes the place of what stood under the key before.
                    found.truncate(found_before);
                    walk(cursor, rest, found)
                } else {
                    cursor.skip_value()
                }
            })
        }
        Some((Step::Each, rest)) if cursor.peek() == b'[' => cursor.items(|cursor| walk(cursor, rest, found)),
        Some(_) => cursor.skip_value(),
    }
}
