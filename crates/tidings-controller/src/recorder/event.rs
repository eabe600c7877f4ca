//! An event as a controller passes it, and as the server accepts it: all texts are truncated to their limits.

use std::env;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use kube_core::Resource;

/// The limits of the server, in bytes.
const NOTE_BYTES_MAX: usize = 1024;
const REASON_BYTES_MAX: usize = 128;
const NAME_BYTES_MAX: usize = 253;

/// The namespace of events about objects without a namespace.
const CLUSTER_SCOPE_NAMESPACE: &str = "default";

/// An event to be recorded.
#[derive(Debug, Clone)]
#[must_use]
pub struct NewEvent {
    pub(super) type_: EventType,
    pub(super) reason: String,
    pub(super) action: String,
    pub(super) note: String,
    pub(super) related: Option<ObjectReference>,
}

/// The type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum EventType {
    /// Information.
    Normal,
    /// Something is wrong that a person should look at.
    Warning,
}

/// The controller and the replica that report an event.
#[derive(Debug, Clone)]
pub(super) struct Reporter {
    pub(super) controller: String,
    pub(super) instance: String,
}

impl NewEvent {
    /// An event of type `Normal`. The reason is one word in CamelCase, the note is a text for people. They are
    /// truncated to the limits of the server, 128 and 1024 bytes.
    pub fn normal(reason: impl Into<String>, note: impl Into<String>) -> Self {
        Self::new(EventType::Normal, reason.into(), note.into())
    }

    /// An event of type `Warning`.
    pub fn warning(reason: impl Into<String>, note: impl Into<String>) -> Self {
        Self::new(EventType::Warning, reason.into(), note.into())
    }

    fn new(type_: EventType, mut reason: String, mut note: String) -> Self {
        truncate(&mut reason, REASON_BYTES_MAX);
        truncate(&mut note, NOTE_BYTES_MAX);
        NewEvent { type_, reason, action: "Reconcile".to_owned(), note, related: None }
    }

    /// What the controller was doing, in CamelCase; `Reconcile` by default.
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.action = action.into();
        truncate(&mut self.action, REASON_BYTES_MAX);
        self
    }

    /// A second object that the event is about, such as the one that was created.
    pub fn related<K>(self, related: &K) -> Self
    where
        K: Resource,
        K::DynamicType: Default,
    {
        self.related_to(related.object_ref(&K::DynamicType::default()))
    }

    /// Like [`related`](Self::related), with a reference to the object.
    pub fn related_to(mut self, related: ObjectReference) -> Self {
        self.related = Some(related);
        self
    }

    /// Marks the note as one of several that differ.
    pub(super) fn combined(mut self) -> Self {
        self.note.insert_str(0, "(combined from similar events): ");
        truncate(&mut self.note, NOTE_BYTES_MAX);
        self
    }

    /// A key that is equal for events that differ only in their note.
    pub(super) fn similarity_key(&self, reporter: &Reporter, regarding: &ObjectReference) -> String {
        let related = self.related.as_ref().map(identity).unwrap_or_default();
        let Reporter { controller, instance } = reporter;
        [
            self.type_.as_str(),
            &self.reason,
            &self.action,
            controller,
            instance,
            &identity(regarding),
            &related,
        ]
        .join("\0")
    }

    /// The object for the server. Its name begins with the name of the regarded object.
    pub(super) fn into_event(
        self,
        reporter: &Reporter,
        regarding: ObjectReference,
        at: Timestamp,
        number: u64,
    ) -> Event {
        let namespace = regarding.namespace.clone().filter(|namespace| !namespace.is_empty());
        Event {
            metadata: ObjectMeta {
                name: Some(name(regarding.name.as_deref().unwrap_or_default(), number)),
                namespace: Some(namespace.unwrap_or_else(|| CLUSTER_SCOPE_NAMESPACE.to_owned())),
                ..ObjectMeta::default()
            },
            event_time: Some(MicroTime(at)),
            type_: Some(self.type_.as_str().to_owned()),
            reason: Some(self.reason),
            action: Some(self.action),
            note: Some(self.note),
            reporting_controller: Some(reporter.controller.clone()),
            reporting_instance: Some(reporter.instance.clone()),
            regarding: Some(regarding),
            related: self.related,
            ..Event::default()
        }
    }
}

impl EventType {
    fn as_str(self) -> &'static str {
        match self {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        }
    }
}

impl Reporter {
    /// A controller in this process.
    pub(super) fn of(controller: String) -> Self {
        let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let mut instance = set("POD_NAME").or_else(|| set("HOSTNAME")).unwrap_or_else(|| controller.clone());
        truncate(&mut instance, REASON_BYTES_MAX);
        Reporter { controller, instance }
    }
}

/// A key of the referenced object, without its version.
pub(super) fn identity(reference: &ObjectReference) -> String {
    let ObjectReference { api_version, field_path, kind, name, namespace, uid, resource_version: _ } =
        reference;
    [api_version, kind, namespace, name, uid, field_path]
        .map(|part| part.as_deref().unwrap_or_default())
        .join("\0")
}

/// A unique name for an event. Some names of objects, such as `system:node`, are not valid in it and are replaced.
fn name(regarding: &str, number: u64) -> String {
    let is_fit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    let is_end = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let suffix = format!(".{number:x}");
    let mut stem = regarding.to_owned();
    truncate(&mut stem, NAME_BYTES_MAX - suffix.len());
    let ends_well = stem.as_bytes().first().is_some_and(is_end) && stem.as_bytes().last().is_some_and(is_end);
    if !ends_well || !stem.bytes().all(is_fit) {
        stem = "event".to_owned();
    }
    stem + &suffix
}

/// Truncates a text at a character boundary.
fn truncate(text: &mut String, bytes_max: usize) {
    text.truncate(text.floor_char_boundary(bytes_max));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_truncated_at_a_character_boundary_to_the_limits_of_the_server() {
        let event = NewEvent::normal("R".repeat(500), "ä".repeat(600) + "x").action("A".repeat(500));
        assert_eq!(event.note.len(), 1024);
        assert_eq!((event.reason.len(), event.action.len()), (128, 128));
        let odd = NewEvent::normal("Reason", "x".to_owned() + &"ä".repeat(600));
        assert_eq!(odd.note.len(), 1023, "a character is removed as a whole");
        assert!(odd.combined().note.len() <= 1024);
    }

    #[test]
    fn an_event_has_a_valid_name_for_any_regarded_object() {
        let check = |regarding: &str, expected: &str| assert_eq!(name(regarding, 0xbeef), expected);
        check("web-0", "web-0.beef");
        check("system:node", "event.beef");
        check("", "event.beef");
        check("ends-", "event.beef");
        check("grün", "event.beef");
        assert_eq!(name(&"a".repeat(253), u64::MAX).len(), 253);
    }
}
