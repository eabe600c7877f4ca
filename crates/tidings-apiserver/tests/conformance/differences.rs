//! Where this server is different on purpose: `differences.yaml`, with a reason each.

use serde::Deserialize;
use serde_json::Value;

use crate::compare::Difference;
use crate::scenario::{Area, Scenario};

/// A difference on purpose.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownDifference {
    /// The area, or all.
    area: Option<String>,
    /// The scenario, or all.
    scenario: Option<String>,
    /// Where in the answer; `*` stands for anything.
    at: String,
    /// What a real server answers there, or anything.
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
