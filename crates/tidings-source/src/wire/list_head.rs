//! The head of a list: its fields beside `items`. Checks that the list is the requested one.
//!
//! On every wire the fields are kept as JSON.

use serde_json::{Map, Value};
use tidings_object::{Projection, ResourceKind, Version};

use super::status;
use crate::{ListEnd, Sharded, StatusDetail};

/// The fields of one list beside its items.
#[derive(Debug)]
pub(crate) struct ListHead {
    kind: ListKind,
    fields: Map<String, Value>,
    has_items: bool,
}

/// The kind of list that was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListKind {
    api_versions: Vec<String>,
    kind: String,
    /// A custom resource definition can choose any name for its list kind, so that the name is not checked. The items
    /// of such a list state their own kind.
    is_any_kind: bool,
}

/// Why a list is not the requested one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ListHeadError {
    #[error("the server answered {0}")]
    Status(StatusDetail),
    #[error("the server sent a Table instead of a list: a proxy or a tweak changed the Accept header")]
    Table,
    #[error("expected {expected}, got {found}")]
    Kind { expected: String, found: String },
    #[error("the list has no items")]
    NoItems,
    #[error("the list has items twice")]
    ItemsTwice,
    #[error("the list has no metadata")]
    NoMetadata,
    #[error("the list has neither a kind nor a version")]
    Unidentified,
}

impl ListKind {
    /// The kind of the list of a resource.
    pub(crate) fn of(resource: &ResourceKind, projection: Projection) -> ListKind {
        match projection {
            Projection::Full => ListKind {
                api_versions: vec![resource.api_version().into_owned()],
                kind: format!("{}List", resource.kind),
                is_any_kind: resource.group.contains('.') && !resource.group.ends_with(".k8s.io"),
            },
            Projection::Metadata => ListKind {
                api_versions: vec!["meta.k8s.io/v1".to_owned(), "meta.k8s.io/v1beta1".to_owned()],
                kind: "PartialObjectMetadataList".to_owned(),
                is_any_kind: false,
            },
        }
    }
}

impl ListHead {
    pub(crate) fn new(kind: ListKind) -> ListHead {
        ListHead { kind, fields: Map::new(), has_items: false }
    }

    pub(crate) fn begin_items(&mut self) -> Result<(), ListHeadError> {
        if std::mem::replace(&mut self.has_items, true) {
            return Err(ListHeadError::ItemsTwice);
        }
        self.check_kind()
    }

    pub(crate) fn has_items(&self) -> bool {
        self.has_items
    }

    pub(crate) fn is_status(&self) -> bool {
        self.text("kind") == Some("Status")
    }

    /// Takes one field. A wrong kind is an error as soon as it is known, before any later item is used.
    pub(crate) fn take(&mut self, name: &str, value: Value) -> Result<(), ListHeadError> {
        self.fields.insert(name.to_owned(), value);
        match self.text("kind").and(self.text("apiVersion")) {
            Some(_) => self.check_kind(),
            None => Ok(()),
        }
    }

    /// Checks the head when the list is complete.
    ///
    /// A response that is not a list, such as `{"items":null}` from a proxy, must not empty a cache. Therefore `metadata`
    /// is required, which servers send even if it is empty, and a kind or a version. Aggregated API servers without
    /// versions still send the kind.
    pub(crate) fn check_complete(&self) -> Result<(), ListHeadError> {
        self.check_kind()?;
        if self.is_status() {
            let status = Value::Object(self.fields.clone());
            return Err(ListHeadError::Status(status::from_json(&status)));
        }
        if !self.has_items {
            return Err(ListHeadError::NoItems);
        }
        let Some(Value::Object(metadata)) = self.fields.get("metadata") else {
            return Err(ListHeadError::NoMetadata);
        };
        let has_version =
            metadata.get("resourceVersion").and_then(Value::as_str).is_some_and(|v| !v.is_empty());
        if self.text("kind").is_none() && !has_version {
            return Err(ListHeadError::Unidentified);
        }
        Ok(())
    }

    /// The metadata of the list.
    pub(crate) fn into_end(self) -> ListEnd {
        let metadata = self.fields.get("metadata");
        let field = |name: &str| metadata.and_then(|metadata| metadata.get(name));
        let text = |name: &str| field(name).and_then(Value::as_str).unwrap_or_default();
        ListEnd {
            version: Version::new(text("resourceVersion")),
            continue_token: Some(text("continue")).filter(|token| !token.is_empty()).map(str::to_owned),
            remaining_items: field("remainingItemCount").and_then(Value::as_u64),
            sharded: field("shardInfo").map(|info| {
                Sharded::ByServer(info.get("selector").and_then(Value::as_str).unwrap_or_default().to_owned())
            }),
        }
    }

    fn check_kind(&self) -> Result<(), ListHeadError> {
        let (kind, api_version) = (self.text("kind"), self.text("apiVersion"));
        let is_kind = match kind {
            Some("Status") => return Ok(()),
            Some("Table") => return Err(ListHeadError::Table),
            Some(kind) => self.kind.is_any_kind || kind == self.kind.kind,
            None => true,
        };
        let is_version =
            api_version.is_none_or(|found| self.kind.api_versions.iter().any(|expected| expected == found));
        if is_kind && is_version {
            return Ok(());
        }
        Err(ListHeadError::Kind {
            expected: format!("{} {}", self.kind.api_versions[0], self.kind.kind),
            found: format!("{} {}", shortened(api_version), shortened(kind)),
        })
    }

    /// A field that is a string and not empty.
    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }
}

fn shortened(name: Option<&str>) -> String {
    name.unwrap_or_default().chars().take(64).collect()
}
