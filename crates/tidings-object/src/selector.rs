//! Label selectors, in the syntax of Kubernetes: `app=web,tier!=db,env in (a,b),!legacy`; and
//! [field selectors](FieldSelector).
//!
//! `matches` takes a function that looks up one label or field, so that callers never decode an object for it.

mod field;
mod parse;
mod syntax;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

use crate::{ParseError, ParseTarget};

pub use field::{FieldOperator, FieldRequirement, FieldSelector};

/// A label selector. The empty selector matches everything.
///
/// ```
/// use tidings_object::LabelSelector;
///
/// let selector = LabelSelector::parse("app=web, env in (prod, test), !legacy")?;
/// let labels = [("app", "web"), ("env", "test")];
/// assert!(selector.matches(|key| labels.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)));
/// assert_eq!(selector.to_string(), "app=web,env in (prod,test),!legacy");
/// # Ok::<(), tidings_object::ParseError>(())
/// ```
///
/// A map of labels becomes the selector that requires all of them. A selector can also be built of
/// [`Requirement`]s, or converted from the `LabelSelector` in the spec of a Kubernetes object:
///
/// ```
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
/// use tidings_object::{LabelSelector, Operator, Requirement};
///
/// let selector = LabelSelector::from_iter([("app", "web"), ("tier", "front")]);
/// assert_eq!(selector.to_string(), "app=web,tier=front");
///
/// let zones = Requirement::new("zone", Operator::In(vec!["a".into(), "b".into()]))?;
/// assert_eq!(LabelSelector::all_of([zones]).to_string(), "zone in (a,b)");
///
/// let spec = meta::LabelSelector {
///     match_labels: Some([("app".into(), "web".into())].into()),
///     match_expressions: None,
/// };
/// assert_eq!(LabelSelector::try_from(&spec)?.to_string(), "app=web");
/// # Ok::<(), tidings_object::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

/// One requirement on one label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// The key of the label.
    pub key: String,
    /// What the requirement demands of the value.
    pub operator: Operator,
}

/// What a [`Requirement`] demands of the value of a label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

impl LabelSelector {
    /// The selector that matches everything.
    pub fn everything() -> Self {
        LabelSelector::default()
    }

    /// The selector that matches nothing. Kubernetes has no syntax for it, so this one contradicts itself.
    pub fn nothing() -> Self {
        let key = "nothing".to_owned();
        LabelSelector::all_of([
            Requirement { key: key.clone(), operator: Operator::Exists },
            Requirement { key, operator: Operator::DoesNotExist },
        ])
    }

    /// Parses the syntax of Kubernetes. Requirements are sorted by key, and values are sorted.
    pub fn parse(text: &str) -> Result<LabelSelector, ParseError> {
        parse::requirements(text).map(|requirements| LabelSelector { requirements })
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

    /// Whether it is known to match nothing, whatever the labels are.
    pub fn is_nothing(&self) -> bool {
        self.requirements.iter().any(|one| match &one.operator {
            Operator::In(values) => values.is_empty(),
            Operator::Exists => self
                .requirements
                .iter()
                .any(|other| other.key == one.key && other.operator == Operator::DoesNotExist),
            _ => false,
        })
    }

    /// Whether some labels match. `label` looks up the value of one label.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(label(&requirement.key)))
    }
}

impl Requirement {
    /// A requirement whose key and values have the syntax of labels.
    pub fn new(key: impl Into<String>, operator: Operator) -> Result<Requirement, ParseError> {
        let requirement = Requirement { key: key.into(), operator };
        syntax::check(&requirement)?;
        Ok(requirement)
    }

    /// Whether a label with this value, or without any, meets the requirement.
    pub fn matches(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match &self.operator {
            Operator::In(values) => value.is_some_and(|value| values.iter().any(|v| v == value)),
            Operator::NotIn(values) => !value.is_some_and(|value| values.iter().any(|v| v == value)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan(bound) => number().is_some_and(|number| number > *bound),
            Operator::LessThan(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

/// Requires every label of the map, as Go's `labels.SelectorFromSet`. The labels are not checked: a server rejects a
/// request whose selector has an invalid key or value.
impl From<BTreeMap<String, String>> for LabelSelector {
    fn from(labels: BTreeMap<String, String>) -> Self {
        labels.into_iter().collect()
    }
}

/// Requires every one of the labels. They are not checked; see `From<BTreeMap>`.
impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for LabelSelector {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(labels: I) -> Self {
        let requirement = |(key, value): (K, V)| Requirement {
            key: key.into(),
            operator: Operator::In(vec![value.into()]),
        };
        let mut requirements: Vec<_> = labels.into_iter().map(requirement).collect();
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        LabelSelector { requirements }
    }
}

/// The selector in the spec of a Kubernetes object. An empty one selects everything.
impl TryFrom<&meta::LabelSelector> for LabelSelector {
    type Error = ParseError;

    fn try_from(selector: &meta::LabelSelector) -> Result<Self, ParseError> {
        let mut requirements = Vec::new();
        for (key, value) in selector.match_labels.iter().flatten() {
            let operator = Operator::In(vec![value.clone()]);
            requirements.push(Requirement { key: key.clone(), operator });
        }
        for expression in selector.match_expressions.iter().flatten() {
            let mut values = expression.values.clone().unwrap_or_default();
            values.sort();
            values.dedup();
            let operator = match (&*expression.operator, values.is_empty()) {
                ("In", false) => Operator::In(values),
                ("NotIn", false) => Operator::NotIn(values),
                ("Exists", true) => Operator::Exists,
                ("DoesNotExist", true) => Operator::DoesNotExist,
                ("In" | "NotIn", true) => return Err(invalid(&expression.operator, "values")),
                ("Exists" | "DoesNotExist", false) => {
                    return Err(invalid(&expression.operator, "no values"));
                }
                _ => return Err(invalid(&expression.operator, "In, NotIn, Exists or DoesNotExist")),
            };
            requirements.push(Requirement { key: expression.key.clone(), operator });
        }
        requirements.iter().try_for_each(syntax::check)?;
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(LabelSelector { requirements })
    }
}

/// The error that a whole text is invalid.
fn invalid(text: &str, expected: &'static str) -> ParseError {
    ParseError::new(ParseTarget::LabelSelector, text, 0, expected)
}

impl FromStr for LabelSelector {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
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

#[cfg(test)]
mod tests;
