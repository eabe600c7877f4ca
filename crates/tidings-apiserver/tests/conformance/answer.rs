//! An answer, as far as it is compared.

use serde_json::{Value, json};

/// An answer before anything is made equal in it.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The request as it is written down.
    pub(crate) request: String,
    pub(crate) code: u16,
    pub(crate) content_type: String,
    pub(crate) retry_after: Option<String>,
    pub(crate) warnings: usize,
    pub(crate) body: Content,
    /// Only these parts of the body count, by JSON pointer; all if there are none.
    pub(crate) only: Vec<String>,
}

/// What an answer says.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Nothing,
    Json(Value),
    /// The events of a watch, and what follows them.
    Events(Vec<Value>),
    /// Text for people.
    Text,
}

impl Answer {
    /// As it is written down.
    pub(crate) fn to_json(&self) -> Value {
        let mut told = json!({"request": self.request, "code": self.code, "type": self.content_type});
        if let Some(seconds) = &self.retry_after {
            told["retryAfter"] = json!(seconds);
        }
        if self.warnings > 0 {
            told["warnings"] = json!(self.warnings);
        }
        match &self.body {
            Content::Nothing => {}
            Content::Json(body) if self.only.is_empty() => told["body"] = body.clone(),
            Content::Json(body) => {
                let part = |at: &String| {
                    (at.clone(), body.pointer(at).cloned().unwrap_or_else(|| json!("<absent>")))
                };
                told["body"] = self.only.iter().map(part).collect();
            }
            Content::Events(events) => told["events"] = json!(events),
            Content::Text => told["body"] = json!("<text>"),
        }
        told
    }
}
