//! Sets of fields, in the format FieldsV1 of `metadata.managedFields`.
//!
//! A set is a tree. A node is either a member of the set or only leads to members. Its children are the fields, list
//! items and set values below it. Path elements are kept as FieldsV1 writes them, so that decoding and encoding changes
//! nothing:
//!
//! ```text
//! {"f:spec": {"f:containers": {"k:{\"name\":\"a\"}": {".": {}, "f:image": {}}}}}
//! members: .spec.containers[name="a"] (because of "."), .spec.containers[name="a"].image
//! ```

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// A set of fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldSet {
    is_member: bool,
    children: BTreeMap<PathElement, FieldSet>,
}

/// One element of a path, as FieldsV1 writes it: `f:name`, `k:{"name":"a"}` or `v:"x"`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathElement(String);

impl PathElement {
    pub(super) fn field(name: &str) -> Self {
        Self(format!("f:{name}"))
    }

    pub(super) fn value(value: &Value) -> Self {
        Self(format!("v:{value}"))
    }

    /// `None` if the item has none of the keys.
    pub(super) fn keys<'a>(keys: impl IntoIterator<Item = (&'a str, Value)>) -> Option<Self> {
        let keys: BTreeMap<_, _> = keys.into_iter().collect();
        let spelled = serde_json::to_string(&keys).ok()?;
        (!keys.is_empty()).then(|| Self(format!("k:{spelled}")))
    }

    /// The name, if this is a field.
    pub(super) fn field_name(&self) -> Option<&str> {
        self.0.strip_prefix("f:")
    }

    /// The form in error messages: `.name`, `[name="a"]`, `[="x"]`.
    fn display(&self) -> String {
        match self.0.split_at_checked(2) {
            Some(("f:", name)) => format!(".{name}"),
            Some(("k:", keys)) => match serde_json::from_str::<BTreeMap<String, Value>>(keys) {
                Ok(keys) => {
                    let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                    format!("[{}]", keys.join(","))
                }
                Err(_) => format!("[{keys}]"),
            },
            Some(("v:", value)) => format!("[={value}]"),
            _ => format!("[{}]", self.0.trim_start_matches("i:")),
        }
    }
}

impl FieldSet {
    /// Decodes FieldsV1; `None` if it is malformed.
    pub(super) fn from_fields_v1(fields: &Value) -> Option<Self> {
        let mut set = Self::default();
        for (element, below) in fields.as_object()? {
            if element == "." {
                set.is_member = true;
                continue;
            }
            let mut child = Self::from_fields_v1(below)?;
            child.is_member |= child.children.is_empty();
            set.children.insert(PathElement(element.clone()), child);
        }
        Some(set)
    }

    /// Encodes as FieldsV1.
    pub(super) fn to_fields_v1(&self) -> Value {
        let mut fields = Map::new();
        if self.is_member && !self.children.is_empty() {
            fields.insert(".".to_owned(), Value::Object(Map::new()));
        }
        for (element, child) in &self.children {
            fields.insert(element.0.clone(), child.to_fields_v1());
        }
        Value::Object(fields)
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.is_member && self.children.values().all(Self::is_empty)
    }

    /// The paths of all members, for error messages.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect_paths("", &mut paths);
        paths
    }

    fn collect_paths(&self, prefix: &str, paths: &mut Vec<String>) {
        if self.is_member {
            paths.push(prefix.to_owned());
        }
        for (element, child) in &self.children {
            child.collect_paths(&format!("{prefix}{}", element.display()), paths);
        }
    }

    pub(super) fn insert(&mut self) {
        self.is_member = true;
    }

    pub(super) fn is_member(&self) -> bool {
        self.is_member
    }

    pub(super) fn child_mut(&mut self, element: PathElement) -> &mut Self {
        self.children.entry(element).or_default()
    }

    pub(super) fn child(&self, element: &PathElement) -> Option<&Self> {
        self.children.get(element)
    }

    pub(super) fn children(&self) -> impl Iterator<Item = (&PathElement, &Self)> {
        self.children.iter()
    }

    pub(super) fn union(mut self, other: &Self) -> Self {
        self.is_member |= other.is_member;
        for (element, theirs) in &other.children {
            let ours = self.children.remove(element).unwrap_or_default();
            self.children.insert(element.clone(), ours.union(theirs));
        }
        self
    }

    /// The members of this set that are not in `other`.
    pub(super) fn difference(&self, other: &Self) -> Self {
        let children = self.children.iter().map(|(element, ours)| match other.children.get(element) {
            Some(theirs) => (element.clone(), ours.difference(theirs)),
            None => (element.clone(), ours.clone()),
        });
        Self { is_member: self.is_member && !other.is_member, children: children.collect() }
            .without_empty_nodes()
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        let children = self.children.iter().filter_map(|(element, ours)| {
            Some((element.clone(), ours.intersection(other.children.get(element)?)))
        });
        Self { is_member: self.is_member && other.is_member, children: children.collect() }
            .without_empty_nodes()
    }

    pub(super) fn without_empty_nodes(mut self) -> Self {
        self.children = std::mem::take(&mut self.children)
            .into_iter()
            .map(|(element, child)| (element, child.without_empty_nodes()))
            .filter(|(_, child)| !child.is_empty())
            .collect();
        self
    }

    /// Without the fields that the server sets and that have no manager.
    pub(super) fn without_server_fields(mut self) -> Self {
        const SERVER_METADATA: [&str; 9] = [
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        ];
        self.is_member = false;
        self.children.remove(&PathElement::field("apiVersion"));
        self.children.remove(&PathElement::field("kind"));
        if let Some(metadata) = self.children.get_mut(&PathElement::field("metadata")) {
            metadata.is_member = false;
            for name in SERVER_METADATA {
                metadata.children.remove(&PathElement::field(name));
            }
        }
        self.without_empty_nodes()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_v1_is_encoded_as_it_was_decoded() {
        let fields = json!({"f:metadata": {"f:labels": {".": {}, "f:a": {}}}, "f:spec": {"f:containers": {
            "k:{\"name\":\"x\"}": {".": {}, "f:image": {}}}, "f:finalizers": {"v:\"a/b\"": {}}}});
        let set = FieldSet::from_fields_v1(&fields).expect("this is FieldsV1");
        assert_eq!(set.to_fields_v1(), fields);
        assert_eq!(
            set.paths(),
            [
                ".metadata.labels",
                ".metadata.labels.a",
                ".spec.containers[name=\"x\"]",
                ".spec.containers[name=\"x\"].image",
                ".spec.finalizers[=\"a/b\"]",
            ]
        );
    }

    #[test]
    fn sets_follow_the_laws_of_sets() {
        let set = |fields: Value| FieldSet::from_fields_v1(&fields).expect("this is FieldsV1");
        let left = set(json!({"f:a": {"f:b": {}, "f:c": {}}, "f:d": {}}));
        let right = set(json!({"f:a": {"f:b": {}}, "f:e": {}}));
        assert_eq!(left.intersection(&right), set(json!({"f:a": {"f:b": {}}})));
        assert_eq!(left.difference(&right), set(json!({"f:a": {"f:c": {}}, "f:d": {}})));
        assert_eq!(left.difference(&right).union(&left.intersection(&right)), left);
        assert!(left.difference(&left).is_empty());
    }
}
