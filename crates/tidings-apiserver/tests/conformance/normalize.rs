//! Normalizes what differs between any two servers: versions, uids, times, generated names, messages.
//!
//! Versions keep their order and equality within a scenario. The third version among those of all objects becomes
//! `<v3>`. The version of a list becomes `<v3+>` if it is at least that and before `<v4>`, because other writes
//! increase it on a real server. Versions of CustomResourceDefinitions are treated as those of lists, because a real
//! server updates their status at any time.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, AnswerBody};

/// The normalized responses: equal for servers that behave equally.
pub(crate) fn normalize(mut answers: Vec<Answer>, namespace: &str) -> Vec<Value> {
    let mut seen = WatchInput::new(namespace);
    for answer in &mut answers {
        answer.each(|body| seen.keep_own(body));
        answer.each(|body| seen.collect(body));
    }
    seen.versions.sort_unstable();
    seen.versions.dedup();
    for answer in &mut answers {
        answer.each(|body| seen.replace(body));
        if let AnswerBody::Events(events) = &mut answer.body {
            // The number of equal bookmarks depends on timing.
            events.dedup_by(|one, other| one["type"] == "BOOKMARK" && one == other);
        }
    }
    // Without the first response, which is that of creating the namespace.
    answers.iter().skip(1).map(Answer::to_json).collect()
}

impl Answer {
    fn each(&mut self, mut work: impl FnMut(&mut Value)) {
        match &mut self.body {
            AnswerBody::Json(body) => work(body),
            AnswerBody::Events(events) => {
                let mut all = Value::Array(std::mem::take(events));
                work(&mut all);
                if let Value::Array(all) = all {
                    *events = all;
                }
            }
            AnswerBody::Nothing | AnswerBody::Text => {}
        }
    }
}

/// The versions, uids and generated names in the responses of a scenario.
struct WatchInput {
    namespace: String,
    versions: Vec<u64>,
    uids: BTreeMap<String, usize>,
    generated: BTreeMap<String, String>,
    uid: Regex,
    time: Regex,
    age: Regex,
}

impl WatchInput {
    fn new(namespace: &str) -> Self {
        let uid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
        let time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z";
        Self {
            namespace: namespace.to_owned(),
            versions: Vec::new(),
            uids: BTreeMap::new(),
            generated: BTreeMap::new(),
            uid: Regex::new(uid).unwrap(),
            time: Regex::new(time).unwrap(),
            age: Regex::new(r"^(\d+[smhdy])+$").unwrap(),
        }
    }

    /// Drops list items and events of objects that other scenarios or the server itself created.
    fn keep_own(&self, value: &mut Value) {
        match value {
            Value::Array(items) => {
                items.retain(|item| !self.is_foreign(item) && !self.is_foreign(&item["object"]));
                items.iter_mut().for_each(|item| self.keep_own(item));
            }
            Value::Object(fields) => fields.values_mut().for_each(|field| self.keep_own(field)),
            _ => {}
        }
    }

    fn is_foreign(&self, object: &Value) -> bool {
        let metadata = &object["metadata"];
        let is_own = |part: &Value| part.as_str().is_some_and(|text| text.contains(&self.namespace));
        metadata["uid"].is_string()
            && metadata["resourceVersion"].is_string()
            && !is_own(&metadata["namespace"])
            && !is_own(&metadata["name"])
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(fields) => {
                let is_definition = fields.get("kind").is_some_and(|kind| kind == "CustomResourceDefinition");
                if let (Some(Value::Object(metadata)), false) = (fields.get("metadata"), is_definition) {
                    self.collect_metadata(metadata);
                }
                fields.values().for_each(|field| self.collect(field));
            }
            _ => {}
        }
    }

    fn collect_metadata(&mut self, metadata: &Map<String, Value>) {
        let text = |name: &str| metadata.get(name).and_then(Value::as_str);
        if let (Some(_), Some(version)) = (text("uid"), text("resourceVersion")) {
            self.versions.extend(version.parse::<u64>());
        }
        if let (Some(prefix), Some(name)) = (text("generateName"), text("name"))
            && name.strip_prefix(prefix).is_some_and(|suffix| suffix.len() == 5)
        {
            self.generated.insert(name.to_owned(), format!("{prefix}<generated>"));
        }
    }

    fn replace(&mut self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace(item)),
            Value::Object(fields) => {
                let is_object = fields.get("uid").is_some_and(Value::is_string);
                // Sorted by name, so that the numbers of uids do not depend on the order of fields.
                let mut names: Vec<String> = fields.keys().cloned().collect();
                names.sort_unstable();
                for name in names {
                    if name == "columnDefinitions" {
                        without_descriptions(&mut fields[&name]);
                    }
                    let field = fields.get_mut(&name).expect("the name is a key of this map");
                    match (name.as_str(), field.as_str()) {
                        ("resourceVersion", Some(text)) => {
                            let version = if is_object { self.exact(text) } else { self.at_least(text) };
                            *field = json!(version);
                        }
                        ("cells", _) => self.without_ages(field),
                        ("continue", Some(token)) => *field = self.token(token),
                        ("storageVersionHash", Some(_)) => *field = json!("<hash>"),
                        ("message", Some(text)) if !text.is_empty() => *field = json!("<message>"),
                        _ => self.replace(field),
                    }
                    if let ("causes", Value::Array(causes)) = (name.as_str(), field) {
                        // A real server may report a cause several times, and in any order.
                        let mut unique = Vec::new();
                        causes.retain(|cause| {
                            !unique.contains(cause) && {
                                unique.push(cause.clone());
                                true
                            }
                        });
                        causes.sort_by_key(|cause| cause["field"].to_string() + &cause["reason"].to_string());
                    }
                    let own = self.text(&name);
                    if own != name
                        && let Some(field) = fields.remove(&name)
                    {
                        fields.insert(own, field);
                    }
                }
            }
            Value::String(text) => *text = self.text(text),
            _ => {}
        }
    }

    /// Replaces ages, which depend on the time.
    fn without_ages(&mut self, cells: &mut Value) {
        self.replace(cells);
        for cell in cells.as_array_mut().into_iter().flatten() {
            if cell.as_str().is_some_and(|text| self.age.is_match(text)) {
                *cell = json!("<age>");
            }
        }
    }

    fn exact(&self, text: &str) -> String {
        let at = text.parse().ok().and_then(|version| self.versions.binary_search(&version).ok());
        at.map_or_else(|| self.at_least(text), |at| format!("<v{}>", at + 1))
    }

    fn at_least(&self, text: &str) -> String {
        match text.parse::<u64>() {
            Ok(0) | Err(_) => text.to_owned(),
            Ok(version) => format!("<v{}+>", self.versions.partition_point(|seen| *seen <= version)),
        }
    }

    fn token(&self, token: &str) -> Value {
        let token = token.trim_end_matches('=');
        let decoded = URL_SAFE_NO_PAD.decode(token).or_else(|_| STANDARD_NO_PAD.decode(token)).ok();
        let decoded = decoded.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let Some(mut decoded) = decoded else {
            return json!(if token.is_empty() { "" } else { "<token>" });
        };
        if let Some(version) = decoded["rv"].as_u64() {
            decoded["rv"] = json!(self.at_least(&version.to_string()));
        }
        if let Some(start) = decoded["start"].as_str() {
            decoded["start"] = json!(start.replace(&self.namespace, "<ns>"));
        }
        decoded
    }

    fn text(&mut self, text: &str) -> String {
        if let Some(name) = self.generated.get(text) {
            return name.clone();
        }
        let mut text = text.replace(&self.namespace, "<ns>");
        let found: Vec<String> = self.uid.find_iter(&text).map(|uid| uid.as_str().to_owned()).collect();
        for uid in found {
            let count = self.uids.len() + 1;
            let number = *self.uids.entry(uid.clone()).or_insert(count);
            text = text.replace(&uid, &format!("<uid{number}>"));
        }
        let time = self.time.replace_all(&text, |parts: &regex::Captures<'_>| match parts.get(1) {
            Some(fraction) => format!("<time{}>", "0".repeat(fraction.as_str().len() - 1)),
            None => "<time>".to_owned(),
        });
        time.into_owned()
    }
}

/// Removes the descriptions of table columns, which this server does not have.
fn without_descriptions(columns: &mut Value) {
    for column in columns.as_array_mut().into_iter().flatten() {
        if let Some(column) = column.as_object_mut() {
            column.remove("description");
        }
    }
}
