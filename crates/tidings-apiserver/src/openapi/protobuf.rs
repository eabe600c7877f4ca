//! Encodes the OpenAPI v2 document as protobuf, which older clients require.
//!
//! The messages are those of `OpenAPIv2.proto` in gnostic, as far as our documents use them. Extensions are YAML text,
//! and JSON is valid YAML.

use serde_json::Value;
use tidings_protobuf::wire::{write_bytes, write_double, write_number};

pub(super) fn encode(document: &Value) -> Vec<u8> {
    let mut out = MessageWriter::default();
    out.text(1, &document["swagger"]);
    out.message(2, |info| {
        info.text(1, &document["info"]["title"]);
        info.text(2, &document["info"]["version"]);
    });
    out.message(8, |paths| {
        for (path, item) in fields(&document["paths"]) {
            paths.message(2, |named| {
                named.string(1, path);
                named.message(2, |out| path_item(out, item));
            });
        }
    });
    out.message(9, |definitions| named_schemas(definitions, &document["definitions"]));
    out.0
}

#[derive(Default)]
struct MessageWriter(Vec<u8>);

impl MessageWriter {
    fn string(&mut self, field: u32, text: &str) {
        write_bytes(field, text.as_bytes(), &mut self.0);
    }

    fn text(&mut self, field: u32, value: &Value) {
        if let Some(text) = value.as_str() {
            self.string(field, text);
        }
    }

    fn boolean(&mut self, field: u32, value: bool) {
        write_number(field, i64::from(value), &mut self.0);
    }

    fn integer(&mut self, field: u32, value: &Value) {
        if let Some(number) = value.as_i64() {
            write_number(field, number, &mut self.0);
        }
    }

    fn double(&mut self, field: u32, value: &Value) {
        if let Some(number) = value.as_f64() {
            write_double(field, number, &mut self.0);
        }
    }

    fn message(&mut self, field: u32, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        write_bytes(field, &inner.0, &mut self.0);
    }

    /// A gnostic `Any`, with the value as YAML.
    fn any(&mut self, field: u32, value: &Value) {
        self.message(field, |any| any.string(2, &value.to_string()));
    }

    /// All `x-` fields of an object.
    fn extensions(&mut self, field: u32, object: &Value) {
        for (name, value) in fields(object).filter(|(name, _)| name.starts_with("x-")) {
            self.message(field, |named| {
                named.string(1, name);
                named.any(2, value);
            });
        }
    }
}

fn fields(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

fn path_item(out: &mut MessageWriter, item: &Value) {
    for (method, field) in [("get", 2), ("put", 3), ("post", 4), ("delete", 5), ("patch", 8)] {
        if let Some(operation) = item.get(method) {
            out.message(field, |out| write_operation(out, operation));
        }
    }
}

fn write_operation(out: &mut MessageWriter, operation: &Value) {
    out.text(5, &operation["operationId"]);
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        // ParametersItem, Parameter, NonBodyParameter, QueryParameterSubSchema.
        out.message(8, |item| {
            item.message(1, |any| {
                any.message(2, |non_body| {
                    non_body.message(3, |query| {
                        query.text(2, &parameter["in"]);
                        query.text(4, &parameter["name"]);
                        query.text(6, &parameter["type"]);
                        query.boolean(20, true);
                    });
                });
            });
        });
    }
    out.message(9, |responses| {
        for (code, response) in fields(&operation["responses"]) {
            responses.message(1, |named| {
                named.string(1, code);
                named.message(2, |value| value.message(1, |out| write_response(out, response)));
            });
        }
    });
    out.extensions(13, operation);
}

fn write_response(out: &mut MessageWriter, response: &Value) {
    out.text(1, &response["description"]);
    out.message(2, |item| item.message(1, |schema| write_schema(schema, &response["schema"])));
}

fn named_schemas(out: &mut MessageWriter, schemas: &Value) {
    for (name, schema) in fields(schemas) {
        out.message(1, |named| {
            named.string(1, name);
            named.message(2, |out| write_schema(out, schema));
        });
    }
}

/// The recursion is as deep as the schema, and the JSON parser bounds that.
fn write_schema(out: &mut MessageWriter, schema: &Value) {
    out.text(1, &schema["$ref"]);
    out.text(2, &schema["format"]);
    out.text(3, &schema["title"]);
    out.text(4, &schema["description"]);
    if let Some(default) = schema.get("default") {
        out.any(5, default);
    }
    out.double(7, &schema["maximum"]);
    out.double(9, &schema["minimum"]);
    out.integer(11, &schema["maxLength"]);
    out.integer(12, &schema["minLength"]);
    out.text(13, &schema["pattern"]);
    out.integer(14, &schema["maxItems"]);
    out.integer(15, &schema["minItems"]);
    for required in schema["required"].as_array().into_iter().flatten() {
        out.text(19, required);
    }
    for value in schema["enum"].as_array().into_iter().flatten() {
        out.any(20, value);
    }
    match &schema["additionalProperties"] {
        Value::Bool(is_open) => out.message(21, |item| item.boolean(2, *is_open)),
        values @ Value::Object(_) => {
            out.message(21, |item| item.message(1, |schema| write_schema(schema, values)));
        }
        _ => {}
    }
    if schema["type"].is_string() {
        out.message(22, |item| item.text(1, &schema["type"]));
    }
    if schema["items"].is_object() {
        out.message(23, |items| items.message(1, |out| write_schema(out, &schema["items"])));
    }
    if schema["properties"].is_object() {
        out.message(25, |properties| named_schemas(properties, &schema["properties"]));
    }
    out.extensions(31, schema);
}
