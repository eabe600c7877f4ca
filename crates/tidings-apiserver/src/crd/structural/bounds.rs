//! Validates enums, bounds and patterns of one value.

use regex::RegexBuilder;
use serde_json::Value;

use crate::status::StatusCause;

/// The largest size of a compiled pattern, in bytes. Larger patterns are not checked.
const PATTERN_BYTES_MAX: usize = 256 * 1024;

/// Checks one value without its fields or items.
pub(super) fn check(schema: &Value, value: &Value, path: &str, causes: &mut Vec<StatusCause>) {
    check_enumeration(schema, value, path, causes);
    let mut refuse = |why: String| {
        causes.push(StatusCause::invalid(path, format!("Invalid value: {value}: {path} in body {why}")));
    };
    let (least, most, count, what) = match value {
        Value::Number(number) => {
            check_number(schema, number.as_f64().unwrap_or_default(), &mut refuse);
            return;
        }
        Value::String(text) => {
            if let Some(pattern) = schema["pattern"].as_str().filter(|pattern| !is_match(pattern, text)) {
                refuse(format!("should match '{pattern}'"));
            }
            ("minLength", "maxLength", text.chars().count(), "chars long")
        }
        Value::Array(items) => ("minItems", "maxItems", items.len(), "items"),
        Value::Object(map) => ("minProperties", "maxProperties", map.len(), "properties"),
        _ => return,
    };
    if let Some(least) = schema[least].as_u64().filter(|least| (count as u64) < *least) {
        refuse(format!("should have at least {least} {what}"));
    }
    if let Some(most) = schema[most].as_u64().filter(|most| count as u64 > *most) {
        causes.push(if value.is_string() {
            StatusCause::field(
                "FieldValueTooLong",
                path,
                format!("Too long: may not be more than {most} bytes"),
            )
        } else {
            StatusCause::field(
                "FieldValueTooMany",
                path,
                format!("Too many: {count}: must have at most {most} {what}"),
            )
        });
    }
}

/// Checks that a value is in `enum`.
pub(super) fn check_enumeration(schema: &Value, value: &Value, path: &str, causes: &mut Vec<StatusCause>) {
    if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
        let allowed: Vec<_> = allowed.iter().map(Value::to_string).collect();
        let message = format!("Unsupported value: {value}: supported values: {}", allowed.join(", "));
        causes.push(StatusCause::field("FieldValueNotSupported", path, message));
    }
}

fn check_number(schema: &Value, number: f64, refuse: &mut impl FnMut(String)) {
    if let Some(least) = schema["minimum"].as_f64() {
        if schema["exclusiveMinimum"] == true && number <= least {
            refuse(format!("should be greater than {least}"));
        } else if number < least {
            refuse(format!("should be greater than or equal to {least}"));
        }
    }
    if let Some(most) = schema["maximum"].as_f64() {
        if schema["exclusiveMaximum"] == true && number >= most {
            refuse(format!("should be less than {most}"));
        } else if number > most {
            refuse(format!("should be less than or equal to {most}"));
        }
    }
    if let Some(step) = schema["multipleOf"].as_f64().filter(|step| *step > 0.0)
        && (number / step).fract() != 0.0
    {
        refuse(format!("should be a multiple of {step}"));
    }
}

/// Whether a text matches. A pattern that this regex engine does not support, such as look-around, matches everything.
fn is_match(pattern: &str, text: &str) -> bool {
    let compiled = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build();
    compiled.map_or(true, |pattern| pattern.is_match(text))
}
