//! What a list says of itself, in the words of JSON on either wire, and whether it is the list that was asked for.

use serde_json::{Map, Value};
use tidings_object::{Projection, ResourceKind, Version};

use crate::{ListEnd, Sharded, StatusDetail, status};

/// The fields of a list beside its items.
#[derive(Debug)]
pub(crate) struct Head {
    kind: ListKind,
    fields: Map<String, Value>,
    has_items: bool,
}

/// Which list was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListKind {
    api_versions: Vec<String>,
    kind: String,
    /// Custom resources may name their lists as they like; their items say their kind themselves.
    is_free: bool,
}

/// Why a list is not the one that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Wrong {
    #[error("the server answered {0}")]
    Status(StatusDetail),
    #[error("a Table in place of a list: some proxy or tweak changes what is accepted")]
    Table,
    #[error("expected {expected}, got {found}")]
    Kind { expected: String, found: String },
    #[error("a list without items")]
    NoItems,
    #[error("a list whose items come twice")]
    ItemsTwice,
    #[error("a list without metadata")]
    NoMetadata,
    #[error("a list that says neither its kind nor its version")]
    Nameless,
}

impl ListKind {
    /// The list of a resource.
    pub(crate) fn of(resource: &ResourceKind, projection: Projection) -> ListKind {
        match projection {
            Projection::Full => ListKind {
                api_versions: vec![resource.api_version().into_owned()],
                kind: format!("{}List", resource.kind),
                is_free: resource.group.contains('.') && !resource.group.ends_with(".k8s.io"),
            },
            Projection::Metadata => ListKind {
                api_versions: vec!["meta.k8s.io/v1".to_owned(), "meta.k8s.io/v1beta1".to_owned()],
                kind: "PartialObjectMetadataList".to_owned(),
                is_free: false,
            },
        }
    }
}

impl Head {
    pub(crate) fn new(kind: ListKind) -> Head {
        Head { kind, fields: Map::new(), has_items: false }
    }

    pub(crate) fn begin_items(&mut self) -> Result<(), Wrong> {
        if std::mem::replace(&mut self.has_items, true) {
            return Err(Wrong::ItemsTwice);
        }
        self.check_kind()
    }

    pub(crate) fn has_items(&self) -> bool {
        self.has_items
    }

    pub(crate) fn is_status(&self) -> bool {
        self.text("kind") == Some("Status")
    }

    /// Takes one field. A wrong kind is told as soon as it is known, before any item that follows.
    pub(crate) fn take(&mut self, name: &str, value: Value) -> Result<(), Wrong> {
        self.fields.insert(name.to_owned(), value);
        match self.text("kind").and(self.text("apiVersion")) {
            Some(_) => self.check_kind(),
            None => Ok(()),
        }
    }

    /// An answer that is no list must not empty a cache, such as `{"items":null}` from a proxy. Servers write `metadata`
    /// even when all in it is empty, and aggregated ones without versions still write the kind.
    pub(crate) fn check_whole(&self) -> Result<(), Wrong> {
        self.check_kind()?;
        if self.is_status() {
            let whole = Value::Object(self.fields.clone());
            return Err(Wrong::Status(status::from_json(&whole)));
        }
        if !self.has_items {
            return Err(Wrong::NoItems);
        }
        let Some(Value::Object(metadata)) = self.fields.get("metadata") else {
            return Err(Wrong::NoMetadata);
        };
        let has_version =
            metadata.get("resourceVersion").and_then(Value::as_str).is_some_and(|v| !v.is_empty());
        if self.text("kind").is_none() && !has_version {
            return Err(Wrong::Nameless);
        }
        Ok(())
    }

    /// The end of the page.
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

    fn check_kind(&self) -> Result<(), Wrong> {
        let (kind, api_version) = (self.text("kind"), self.text("apiVersion"));
        let is_kind = match kind {
            Some("Status") => return Ok(()),
            Some("Table") => return Err(Wrong::Table),
            Some(kind) => self.kind.is_free || kind == self.kind.kind,
            None => true,
        };
        let is_version =
            api_version.is_none_or(|found| self.kind.api_versions.iter().any(|expected| expected == found));
        if is_kind && is_version {
            return Ok(());
        }
        Err(Wrong::Kind {
            expected: format!("{} {}", self.kind.api_versions[0], self.kind.kind),
            found: format!("{} {}", short(api_version), short(kind)),
        })
    }

    /// Empty counts as absent.
    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }
}

fn short(name: Option<&str>) -> String {
    name.unwrap_or_default().chars().take(64).collect()
}
