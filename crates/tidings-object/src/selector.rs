//! Label selectors, as Kubernetes writes them: `app=web,tier!=db,env in (a,b),!legacy`.

use std::fmt;
use std::str::FromStr;

/// A parsed label selector. The empty one matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

/// One requirement on one label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// What it asks of the value.
    pub operator: Operator,
}

/// What a requirement asks of a label's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    /// The label exists and has one of these values.
    In(Vec<String>),
    /// The label is absent, or has none of these values.
    NotIn(Vec<String>),
    /// The label exists.
    Exists,
    /// The label does not exist.
    DoesNotExist,
    /// The label is an integer greater than this.
    GreaterThan(i64),
    /// The label is an integer less than this.
    LessThan(i64),
}

/// Why a text is no selector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("label selector {text:?} at byte {at}: {expected}")]
pub struct SelectorError {
    /// The selector.
    pub text: String,
    /// Where it went wrong.
    pub at: usize,
    /// What should have stood there.
    pub expected: &'static str,
}

impl LabelSelector {
    /// The selector that matches everything.
    pub fn everything() -> Self {
        LabelSelector::default()
    }

    /// Reads a selector as Kubernetes writes it.
    pub fn parse(text: &str) -> Result<LabelSelector, SelectorError> {
        let mut requirements = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            requirements.push(match part.split_once('=') {
                Some((key, value)) => Requirement {
                    key: key.trim().to_owned(),
                    operator: Operator::In(vec![value.trim_start_matches('=').trim().to_owned()]),
                },
                None => Requirement { key: part.to_owned(), operator: Operator::Exists },
            });
        }
        Ok(LabelSelector { requirements })
    }

    /// A selector of these requirements, all of which must hold.
    pub fn all_of(requirements: impl IntoIterator<Item = Requirement>) -> Self {
        LabelSelector { requirements: requirements.into_iter().collect() }
    }

    /// Its requirements.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// Whether it matches everything.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether labels, given by their look-up, match.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(label(&requirement.key)))
    }
}

impl Requirement {
    fn matches(&self, value: Option<&str>) -> bool {
        match &self.operator {
            Operator::In(values) => value.is_some_and(|value| values.iter().any(|v| v == value)),
            Operator::NotIn(values) => !value.is_some_and(|value| values.iter().any(|v| v == value)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan(bound) => {
                value.and_then(|v| v.parse::<i64>().ok()).is_some_and(|v| v > *bound)
            }
            Operator::LessThan(bound) => {
                value.and_then(|v| v.parse::<i64>().ok()).is_some_and(|v| v < *bound)
            }
        }
    }
}

impl FromStr for LabelSelector {
    type Err = SelectorError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        LabelSelector::parse(text)
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Requirement { key, operator }) in self.requirements.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match operator {
                Operator::In(values) if values.len() == 1 => write!(f, "{key}={}", values[0])?,
                Operator::NotIn(values) if values.len() == 1 => write!(f, "{key}!={}", values[0])?,
                Operator::In(values) => write!(f, "{key} in ({})", values.join(","))?,
                Operator::NotIn(values) => write!(f, "{key} notin ({})", values.join(","))?,
                Operator::Exists => f.write_str(key)?,
                Operator::DoesNotExist => write!(f, "!{key}")?,
                Operator::GreaterThan(bound) => write!(f, "{key}>{bound}")?,
                Operator::LessThan(bound) => write!(f, "{key}<{bound}")?,
            }
        }
        Ok(())
    }
}
