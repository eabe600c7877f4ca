//! Evaluates expressions in CEL, the Common Expression Language, in the dialect of Kubernetes.
//!
//! The crate `kube-cel` does the work. What it does not cover is refused when a definition or a policy is written, and
//! never passed silently: `cel.bind`, `sortBy`, comprehensions with two variables, and the `authorizer`.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::KubeCelExt;
use kube_cel::cel::objects::{Key, Map};
use kube_cel::cel::{Context, Program, Value as CelValue};
use serde_json::Value;

/// The variables of an expression.
pub(crate) struct Scope {
    context: Context<'static>,
}

/// Functions that parse but can't be evaluated. The one-variable forms of `all`, `map` and the others are expanded by
/// the parser and never appear as functions.
const UNSUPPORTED_FUNCTIONS: [&str; 11] = [
    "sortBy",
    "bind",
    "all",
    "exists",
    "existsOne",
    "exists_one",
    "map",
    "filter",
    "transformList",
    "transformMap",
    "transformMapEntry",
];

/// Words that CEL reserves. Kubernetes escapes fields of these names as `__name__`.
const RESERVED: [&str; 19] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
];

/// Variables of Kubernetes' dialect that this server does not have.
const UNSUPPORTED_VARIABLES: [&str; 2] = ["authorizer", "cel"];

/// Why an expression can't be used: it does not parse, or uses what this server can't evaluate.
pub(crate) fn check(expression: &str) -> Result<(), String> {
    let program = compile(expression)?;
    let references = program.references();
    if let Some(unknown) =
        references.functions().into_iter().find(|name| UNSUPPORTED_FUNCTIONS.contains(name))
    {
        return Err(format!("compilation failed: this server can't evaluate the function '{unknown}'"));
    }
    if let Some(unknown) = UNSUPPORTED_VARIABLES.into_iter().find(|name| references.has_variable(name)) {
        return Err(format!("compilation failed: this server has no '{unknown}'"));
    }
    Ok(())
}

fn compile(expression: &str) -> Result<Program, String> {
    Program::compile(expression).map_err(|error| format!("compilation failed: {error}"))
}

impl Scope {
    pub(crate) fn new() -> Self {
        Self { context: Context::default().with_all() }
    }

    pub(crate) fn bind(&mut self, name: &str, value: &Value) {
        self.context.add_variable_from_value(name, to_cel(value));
    }

    /// Binds variables that are the fields of one variable, such as `variables.a`.
    pub(crate) fn bind_fields(&mut self, name: &str, fields: &HashMap<String, CelValue>) {
        let map = fields.iter().map(|(name, value)| (key(name), value.clone())).collect();
        self.context.add_variable_from_value(name, CelValue::Map(Map { map: Arc::new(map) }));
    }

    pub(crate) fn evaluate(&self, expression: &str) -> Result<CelValue, String> {
        compile(expression)?.execute(&self.context).map_err(|error| error.to_string())
    }

    /// Evaluates an expression that must be true or false.
    pub(crate) fn is_true(&self, expression: &str) -> Result<bool, String> {
        match self.evaluate(expression)? {
            CelValue::Bool(is_true) => Ok(is_true),
            other => Err(format!("the expression '{expression}' is {other:?} and not true or false")),
        }
    }

    /// Evaluates an expression that is a text; `None` if it is not.
    pub(crate) fn text(&self, expression: &str) -> Option<String> {
        match self.evaluate(expression) {
            Ok(CelValue::String(text)) => Some(text.to_string()),
            _ => None,
        }
    }
}

fn key(name: &str) -> Key {
    Key::String(Arc::new(name.to_owned()))
}

fn to_cel(value: &Value) -> CelValue {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(is_set) => CelValue::Bool(*is_set),
        Value::Number(number) => match number.as_i64() {
            Some(number) => CelValue::Int(number),
            None => CelValue::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => CelValue::String(Arc::new(text.clone())),
        Value::Array(items) => CelValue::List(Arc::new(items.iter().map(to_cel).collect())),
        Value::Object(fields) => {
            let mut map: HashMap<Key, CelValue> =
                fields.iter().map(|(name, value)| (key(name), to_cel(value))).collect();
            for name in RESERVED {
                if let Some(value) = fields.get(name) {
                    map.insert(key(&format!("__{name}__")), to_cel(value));
                }
            }
            CelValue::Map(Map { map: Arc::new(map) })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn expressions_of_the_dialect_are_evaluated() {
        let mut scope = Scope::new();
        scope.bind(
            "object",
            &json!({"spec": {"replicas": 3, "image": "a/b:1", "memory": "1Gi", "tags": ["x", "y"]}}),
        );
        for expression in [
            "object.spec.replicas <= 5",
            "object.spec.image.startsWith('a/')",
            "quantity(object.spec.memory).isGreaterThan(quantity('500Mi'))",
            "object.spec.tags.all(tag, tag.size() == 1)",
            "has(object.spec.image) && !has(object.spec.other)",
            "object.spec.tags.exists(tag, tag == 'y')",
            "'%s-%d'.format(['a', 1]) == 'a-1'",
        ] {
            assert_eq!(scope.is_true(expression), Ok(true), "{expression}");
            assert_eq!(check(expression), Ok(()), "{expression}");
        }
    }

    #[test]
    fn expressions_that_can_not_be_evaluated_are_refused() {
        for expression in [
            "object.spec.replicas <=",
            "object.tags.all(i, tag, tag == 'x')",
            "object.tags.sortBy(tag, tag.name).size() > 0",
            "cel.bind(a, object.b, a == 1)",
            "authorizer.group('apps').resource('deployments').check('create').allowed()",
        ] {
            assert!(check(expression).is_err(), "{expression}");
        }
    }
}
