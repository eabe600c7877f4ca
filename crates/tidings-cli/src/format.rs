//! Formats objects and notifications: as a line, a name, JSON or YAML. The data of Secrets is redacted.

use kube_core::dynamic::DynamicObject;
use serde::Serialize;
use serde_json::{Value, json};
use tidings::{Notification, Object};

use crate::diff;
use crate::redact::redacted;
use crate::safe_yaml::safe_yaml;

pub(crate) type CachedObject = Object<DynamicObject>;

/// The output formats of `watch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// One line of text.
    Line,
    /// One line of text with version and uid.
    Wide,
    /// One JSON object per line.
    Json,
    /// YAML documents.
    Yaml,
    /// resource/name.
    Name,
}

/// The object as JSON, with Secrets redacted. If it can't be decoded, the error.
pub(crate) fn value(object: &CachedObject) -> Value {
    let read = object.raw().json().map_err(|error| error.to_string());
    let read = read.and_then(|json| serde_json::from_slice(&json).map_err(|error| error.to_string()));
    match read {
        Ok(value) => redacted(value, &object.raw().origin().resource.kind),
        Err(error) => json!({ "unreadable": error }),
    }
}

/// A notification, ready to be formatted.
pub(crate) struct NotificationView<'a> {
    event: &'static str,
    object: &'a CachedObject,
    old: Option<&'a CachedObject>,
    is_initial: bool,
    is_final_state_unknown: bool,
}

impl<'a> NotificationView<'a> {
    pub(crate) fn of(event: &'a Notification<DynamicObject>) -> Self {
        let (event, object, old, is_initial, is_final_state_unknown) = match event {
            Notification::Added { object, is_initial } => ("add", object, None, *is_initial, false),
            Notification::Updated { old, new, .. } => ("update", new, Some(old), false, false),
            Notification::Deleted { object, is_final_state_unknown, .. } => {
                ("delete", object, None, false, *is_final_state_unknown)
            }
        };
        NotificationView { event, object, old, is_initial, is_final_state_unknown }
    }

    pub(crate) fn is_initial(&self) -> bool {
        self.is_initial
    }

    /// Formats the notification. `with_changes` adds the changed fields to a line. `with_objects` adds whole objects to
    /// JSON.
    pub(crate) fn format(&self, format: Format, with_changes: bool, with_objects: bool) -> String {
        match format {
            Format::Line | Format::Wide => self.line(format, with_changes),
            Format::Name => format!("{}/{}", self.object.raw().origin().resource, self.object.name()),
            Format::Json => serde_json::to_string(&self.json(with_objects))
                .expect("all keys are strings, and no value fails to serialize"),
            Format::Yaml => document(&value(self.object)),
        }
    }

    fn line(&self, format: Format, with_changes: bool) -> String {
        let mark = match self.event {
            "add" => "[ADD]",
            "update" => "[UPDATE]",
            _ => "[DELETE]",
        };
        let mut line = format!("{mark:<9} {}", self.object.key());
        if format == Format::Wide {
            line += &format!("  version={} uid={}", self.object.version(), self.object.uid());
        }
        if self.is_initial {
            line += "  (initial)";
        }
        if self.is_final_state_unknown {
            line += "  (final state unknown)";
        }
        if let (true, Some(old)) = (with_changes, self.old) {
            let (old, new) = (value(old), value(self.object));
            let changed: Vec<String> = diff::between(&old, &new).iter().map(ToString::to_string).collect();
            line += &format!("  {}", changed.join("; "));
        }
        line
    }

    fn json(&self, with_objects: bool) -> Line<'_> {
        Line {
            event: self.event,
            namespace: self.object.namespace(),
            name: self.object.name(),
            uid: self.object.uid(),
            resource_version: self.object.version().to_string(),
            initial: self.is_initial,
            final_state_unknown: self.is_final_state_unknown,
            objects: with_objects
                .then(|| Objects { object: value(self.object), old: self.old.map_or(Value::Null, value) }),
        }
    }
}

/// A notification as one line of JSON. The fields keep this order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    event: &'static str,
    namespace: Option<&'a str>,
    name: &'a str,
    uid: &'a str,
    resource_version: String,
    initial: bool,
    final_state_unknown: bool,
    #[serde(flatten)]
    objects: Option<Objects>,
}

/// The whole objects, for `--full`.
#[derive(Serialize)]
struct Objects {
    object: Value,
    old: Value,
}

/// One YAML document, without a line break at the end. It contains no terminal control characters.
pub(crate) fn document(value: &Value) -> String {
    format!("---\n{}", safe_yaml(value).trim_end())
}
