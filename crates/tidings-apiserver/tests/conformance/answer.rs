//! The part of a response that is compared.

use serde_json::{Value, json};

/// A response before it is normalized.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The request as in the scenario.
    pub(crate) request: String,
    pub(crate) code: u16,
    pub(crate) content_type: String,
    pub(crate) retry_after: Option<String>,
    pub(crate) warnings: usize,
    pub(crate) body: AnswerBody,
    /// JSON pointers to the parts of the body that are compared; all if empty.
    pub(crate) only: Vec<String>,
}

/// The body of a response.
#[derive(Clone, Debug)]
pub(crate) enum AnswerBody {
    Nothing,
    Json(Value),
    /// The events of a watch.
    Events(Vec<Value>),
    /// Text that is not JSON.
    Text,
}

impl Answer {
    /// The format of the recorded files.
    pub(crate) fn to_json(&self) -> Value {
        let mut recorded = json!({"request": self.request, "code": self.code, "type": self.content_type});
        if let Some(seconds) = &self.retry_after {
            recorded["retryAfter"] = json!(seconds);
        }
        if self.warnings > 0 {
            recorded["warnings"] = json!(self.warnings);
        }
        match &self.body {
            AnswerBody::Nothing => {}
            AnswerBody::Json(body) if self.only.is_empty() => recorded["body"] = body.clone(),
            AnswerBody::Json(body) => {
                let part = |at: &String| {
                    (at.clone(), body.pointer(at).cloned().unwrap_or_else(|| json!("<absent>")))
                };
                recorded["body"] = self.only.iter().map(part).collect();
            }
            AnswerBody::Events(events) => recorded["events"] = json!(events),
            AnswerBody::Text => recorded["body"] = json!("<text>"),
        }
        recorded
    }
}
