//! Label selectors, as Kubernetes writes them: `app=web,tier!=db,env in (a,b),!legacy`; and
//! [field selectors](FieldSelector).
//!
//! Matching asks a look-up for the labels it needs, so that nothing has to be decoded.

mod field;
mod parse;
mod syntax;

use std::fmt;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

pub use field::{FieldOperator, FieldRequirement, FieldSelector, FieldSelectorError};

/// A parsed label selector. The empty one matches everything.
///
/// ```
/// use tidings_object::LabelSelector;
///
/// let selector = LabelSelector::parse("app=web, env in (prod, test), !legacy")?;
/// let labels = [("app", "web"), ("env", "test")];
/// assert!(selector.matches(|key| labels.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)));
/// assert_eq!(selector.to_string(), "app=web,env in (prod,test),!legacy");
/// # Ok::<(), tidings_object::SelectorError>(())
/// ```
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
#[error("label selector {text:?} at byte {at}: expected {expected}")]
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

    /// The selector that matches nothing: it contradicts itself, as only such a text does.
    pub fn nothing() -> Self {
        let key = "nothing".to_owned();
        LabelSelector::all_of([
            Requirement { key: key.clone(), operator: Operator::Exists },
            Requirement { key, operator: Operator::DoesNotExist },
        ])
    }

    /// Reads a selector as Kubernetes writes it. Requirements come out sorted by key, values sorted.
    pub fn parse(text: &str) -> Result<LabelSelector, SelectorError> {
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

    /// Whether it is known to match nothing, whatever the labels.
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

    /// Whether labels, given by their look-up, match.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(label(&requirement.key)))
    }
}

impl Requirement {
    /// Whether a label, absent or with this value, is as required.
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

/// The selector that an object's spec carries. An empty one selects everything.
impl TryFrom<&meta::LabelSelector> for LabelSelector {
    type Error = SelectorError;

    fn try_from(selector: &meta::LabelSelector) -> Result<Self, SelectorError> {
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
                ("In" | "NotIn", true) => return Err(refused(&expression.operator, "values")),
                ("Exists" | "DoesNotExist", false) => return Err(refused(&expression.operator, "no values")),
                _ => return Err(refused(&expression.operator, "In, NotIn, Exists or DoesNotExist")),
            };
            requirements.push(Requirement { key: expression.key.clone(), operator });
        }
        requirements.iter().try_for_each(syntax::check)?;
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(LabelSelector { requirements })
    }
}

fn refused(text: &str, expected: &'static str) -> SelectorError {
    SelectorError { text: text.to_owned(), at: 0, expected }
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

#[cfg(test)]
mod tests;
