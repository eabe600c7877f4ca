//! The subset of JSONPath that printer columns use: `.a.b`, `['a.b']`, `[0]`, `[*]`, `[?(@.type=="Ready")]`.
//!
//! A path with other syntax finds nothing. The work is bounded by the length of the path and the size of the object.

use serde_json::Value;

/// The largest number of steps in a path.
const STEPS_MAX: usize = 64;

enum PathStep {
    Field(String),
    Index(i64),
    All,
    Equal { path: Vec<String>, value: String, is_equal: bool },
}

/// All values at a path.
pub(super) fn find<'a>(path: &str, object: &'a Value) -> Vec<&'a Value> {
    let Some(steps) = parse(path) else { return Vec::new() };
    let mut found = vec![object];
    for step in &steps {
        found = found.into_iter().flat_map(|value| below(value, step)).collect();
    }
    found
}

fn below<'a>(value: &'a Value, step: &PathStep) -> Vec<&'a Value> {
    match (step, value) {
        (PathStep::Field(name), Value::Object(map)) => map.get(name).into_iter().collect(),
        (PathStep::Index(index), Value::Array(items)) => {
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let index = if *index < 0 { index.saturating_add(length) } else { *index };
            usize::try_from(index).ok().and_then(|index| items.get(index)).into_iter().collect()
        }
        (PathStep::All, Value::Array(items)) => items.iter().collect(),
        (PathStep::All, Value::Object(map)) => map.values().collect(),
        (PathStep::Equal { path, value, is_equal }, Value::Array(items)) => items
            .iter()
            .filter(|item| {
                let found = path.iter().try_fold(*item, |at, name| at.get(name));
                let text = found.map(|found| found.as_str().map_or_else(|| found.to_string(), str::to_owned));
                (text.as_deref() == Some(value)) == *is_equal
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn parse(path: &str) -> Option<Vec<PathStep>> {
    let path = path.trim().trim_start_matches('{').trim_end_matches('}');
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == STEPS_MAX {
            return None;
        }
        if let Some(inner) = rest.strip_prefix('[') {
            let end = bracket_end(inner)?;
            steps.push(bracket(&inner[..end])?);
            rest = &inner[end + 1..];
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let (name, left) = field(name);
            rest = left;
            match name.as_str() {
                "" if steps.is_empty() && rest.is_empty() => {}
                "" => return None,
                "*" => steps.push(PathStep::All),
                _ => steps.push(PathStep::Field(name)),
            }
        }
    }
    Some(steps)
}

/// A name up to the next `.` or `[`. A backslash escapes the next character.
fn field(text: &str) -> (String, &str) {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '.' | '[' => return (name, &text[at..]),
            '\\' => name.extend(letters.next().map(|(_, escaped)| escaped)),
            _ => name.push(letter),
        }
    }
    (name, "")
}

/// The index of the closing bracket. Brackets in quotes do not count.
fn bracket_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, ']') => return Some(at),
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
    }
    None
}

fn unquoted(text: &str) -> Option<&str> {
    let text = text.trim();
    ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

fn bracket(inner: &str) -> Option<PathStep> {
    if let Some(filter) = inner.strip_prefix("?(").and_then(|filter| filter.strip_suffix(')')) {
        let (path, value, is_equal) = match filter.split_once("==") {
            Some((path, value)) => (path, value, true),
            None => {
                let (path, value) = filter.split_once("!=")?;
                (path, value, false)
            }
        };
        let path = path.trim().strip_prefix("@.")?.split('.').map(str::to_owned).collect();
        let value = unquoted(value).unwrap_or_else(|| value.trim()).to_owned();
        return Some(PathStep::Equal { path, value, is_equal });
    }
    match (unquoted(inner), inner.trim()) {
        (Some(name), _) => Some(PathStep::Field(name.to_owned())),
        (None, "*") => Some(PathStep::All),
        (None, index) => index.parse().ok().map(PathStep::Index),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_find_their_values() {
        let object = json!({"spec": {"a.b": 1, "list": [{"type": "Ready", "status": "True"}, {"type": "X"}],
            "n": [1, 2, 3]}});
        for (path, expected) in [
            (".spec.n", json!([[1, 2, 3]])),
            (".spec.n[0]", json!([1])),
            (".spec.n[-1]", json!([3])),
            (".spec.n[*]", json!([1, 2, 3])),
            (".spec['a.b']", json!([1])),
            (".spec.a\\.b", json!([1])),
            ("{.spec.list[0].type}", json!(["Ready"])),
            (".spec.list[?(@.type==\"Ready\")].status", json!(["True"])),
            (".spec.list[?(@.type=='Ready')].status", json!(["True"])),
            (".spec.list[?(@.type!='Ready')].type", json!(["X"])),
            (".spec.nothing", json!([])),
            (".spec..n", json!([])),
            (".spec.n[", json!([])),
            (".spec.n[9999999999999999999]", json!([])),
        ] {
            assert_eq!(json!(find(path, &object)), expected, "{path}");
        }
    }
}
