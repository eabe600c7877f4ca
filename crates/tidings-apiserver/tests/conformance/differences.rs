//! The intended differences from a real server: `differences.yaml`, each with a reason.

use serde::Deserialize;
use serde_json::Value;

use crate::compare::Difference;
use crate::scenario::{Area, Scenario};

/// An intended difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownDifference {
    /// The area; all if absent.
    area: Option<String>,
    /// The scenario; all if absent.
    scenario: Option<String>,
    /// The path in the response. `*` matches any text.
    at: String,
    /// The value of a real server; any value if absent.
    expected: Option<Value>,
    #[expect(dead_code, reason = "for people")]
    reason: String,
}

pub(crate) fn all() -> Vec<KnownDifference> {
    serde_yaml::from_str(include_str!("differences.yaml")).unwrap()
}

impl KnownDifference {
    pub(crate) fn is(&self, area: &Area, scenario: &Scenario, difference: &Difference) -> bool {
        self.area.as_ref().is_none_or(|name| *name == area.name)
            && self.scenario.as_ref().is_none_or(|name| *name == scenario.name)
            && matches(&self.at, &difference.at)
            && (self.expected.is_none() || self.expected == difference.expected)
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
