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
    pub(crate) body: AnswerBody,
    /// Only these parts of the body count, by JSON pointer; all if there are none.
    pub(crate) only: Vec<String>,
}

/// What an answer says.
#[derive(Clone, Debug)]
pub(crate) enum AnswerBody {
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
        let mut text = json!({"request": self.request, "code": self.code, "type": self.content_type});
        if let Some(seconds) = &self.retry_after {
            text["retryAfter"] = json!(seconds);
        }
        if self.warnings > 0 {
            text["warnings"] = json!(self.warnings);
        }
        match &self.body {
            AnswerBody::Nothing => {}
            AnswerBody::Json(body) if self.only.is_empty() => text["body"] = body.clone(),
            AnswerBody::Json(body) => {
                let part = |at: &String| {
                    (at.clone(), body.pointer(at).cloned().unwrap_or_else(|| json!("<absent>")))
                };
                text["body"] = self.only.iter().map(part).collect();
            }
            AnswerBody::Events(events) => text["events"] = json!(events),
            AnswerBody::Text => text["body"] = json!("<text>"),
        }
        text
    }
}
