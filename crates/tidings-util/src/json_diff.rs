//! The fields that differ between two JSON values.

use serde_json::Value;

/// Values below this depth are compared as a whole.
const DEPTH_MAX: usize = 16;

/// A field that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<'a> {
    /// Its path: `.status.phase`, `.spec.ports[0]`, or `.metadata.labels['a.b/c']`. In quotes, `'` and `\` are escaped
    /// with `\`.
    pub path: String,
    /// The old value. `None` if the field is new.
    pub old: Option<&'a Value>,
    /// The new value. `None` if the field is gone.
    pub new: Option<&'a Value>,
}

/// The first `max` fields that differ, in the order of their paths. Fields at one of the `ignored` paths are left out.
/// Arrays are compared by position if they are equally long, otherwise as a whole.
pub fn differences<'a>(old: &'a Value, new: &'a Value, ignored: &[&str], max: usize) -> Vec<Difference<'a>> {
    let mut walk = Walk { ignored, max, found: Vec::new() };
    walk.compare(String::new(), Some(old), Some(new), 0);
    walk.found
}

struct Walk<'a, 'i> {
    ignored: &'i [&'i str],
    max: usize,
    found: Vec<Difference<'a>>,
}

impl<'a> Walk<'a, '_> {
    fn compare(&mut self, path: String, old: Option<&'a Value>, new: Option<&'a Value>, depth: usize) {
        if old == new || self.found.len() >= self.max || self.ignored.contains(&&*path) {
            return;
        }
        match (old, new) {
            (Some(Value::Object(before)), Some(Value::Object(after))) if depth < DEPTH_MAX => {
                let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
                names.sort_unstable();
                names.dedup();
                for name in names {
                    self.compare(member(&path, name), before.get(name), after.get(name), depth + 1);
                }
            }
            (Some(Value::Array(before)), Some(Value::Array(after)))
                if before.len() == after.len() && depth < DEPTH_MAX =>
            {
                for (at, (before, after)) in before.iter().zip(after).enumerate() {
                    self.compare(format!("{path}[{at}]"), Some(before), Some(after), depth + 1);
                }
            }
            _ => self.found.push(Difference { path, old, new }),
        }
    }
}

fn member(path: &str, name: &str) -> String {
    let is_plain =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_plain {
        return format!("{path}.{name}");
    }
    let escaped = name.replace('\\', "\\\\").replace('\'', "\\'");
    format!("{path}['{escaped}']")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(old: &Value, new: &Value, ignored: &[&str]) -> Vec<String> {
        differences(old, new, ignored, 20).into_iter().map(|difference| difference.path).collect()
    }

    #[test]
    fn each_field_that_differs_is_found_with_both_values() {
        let old = json!({ "same": "x", "list": [1, 2], "gone": "x", "short": [1], "deep": { "a": 1 } });
        let new = json!({ "same": "x", "list": [1, 3], "a.b/c'd": "x", "short": [], "deep": { "a": 2 } });
        let expected = ["['a.b/c\\'d']", ".deep.a", ".gone", ".list[1]", ".short"];
        assert_eq!(paths(&old, &new, &[]), expected);
        assert_eq!(paths(&old, &new, &[".deep", ".list[1]"]), ["['a.b/c\\'d']", ".gone", ".short"]);
        assert_eq!(paths(&old, &old, &[]), [""; 0]);
        let (before, after) = (json!(2), json!(3));
        let difference = Difference { path: ".list[1]".to_owned(), old: Some(&before), new: Some(&after) };
        assert!(differences(&old, &new, &[], 20).contains(&difference));
        let gone = differences(&old, &new, &[], 20).into_iter().find(|difference| difference.path == ".gone");
        assert_eq!(gone.map(|gone| (gone.old.cloned(), gone.new)), Some((Some(json!("x")), None)));
    }

    #[test]
    fn the_number_of_differences_and_the_depth_are_bounded() {
        let many = |n: i64| Value::Object((0..1000).map(|i| (format!("f{i:04}"), json!(n))).collect());
        assert_eq!(differences(&many(1), &many(2), &[], 16).len(), 16);
        let deep = |end: u32| (0..100).fold(json!(end), |inner, _| json!({ "d": inner }));
        let found = paths(&deep(1), &deep(2), &[]);
        assert_eq!((found.len(), found[0].matches(".d").count()), (1, DEPTH_MAX));
    }
}
