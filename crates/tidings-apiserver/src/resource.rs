//! What a served resource is: its names, its scope, its verbs, and what can be selected on.
//!
//! A [`ResourceDef`] describes one resource in one version. Several versions of one group-kind share their stored
//! objects through [`ResourceDef::storage`]. Nothing here reads or writes objects.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

pub(crate) mod builtin;

/// Text that is static for built-in kinds and owned for custom ones.
pub(crate) type CowStr = Cow<'static, str>;

/// One resource in one version, as discovery tells it.
#[derive(Clone, Debug)]
pub struct ResourceDef {
    /// API group; empty for the core group.
    pub group: CowStr,
    /// Version inside the group, such as `v1`.
    pub version: CowStr,
    /// Kind of one object, such as `Pod`.
    pub kind: CowStr,
    /// Kind of a list of them, such as `PodList`.
    pub list_kind: CowStr,
    /// Name in paths, such as `pods`.
    pub plural: CowStr,
    /// Name of one in commands, such as `pod`.
    pub singular: CowStr,
    /// Abbreviations that commands take, such as `po`.
    pub short_names: Vec<CowStr>,
    /// Groups of resources that commands know, such as `all`.
    pub categories: Vec<CowStr>,
    /// Where objects live.
    pub scope: ResourceScope,
    /// What can be asked below one object's path.
    pub subresources: Vec<Subresource>,
    /// What can be asked of the resource itself.
    pub verbs: Vec<Verb>,
    /// Fields a `fieldSelector` may name, besides `metadata.name` and `metadata.namespace`.
    pub selectable_fields: Vec<SelectableField>,
    /// Which objects these are: equal for all versions of one group-kind, as `group/plural`.
    pub storage: CowStr,
    /// Whether `metadata.generation` counts changes outside `metadata` and `status`.
    pub generation: Generation,
    /// Where the definition came from.
    pub origin: ResourceOrigin,
}

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceScope {
    /// Objects have a namespace.
    Namespaced,
    /// Objects belong to the whole cluster.
    Cluster,
}

/// Whether a kind counts its changes in `metadata.generation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Set to 1 at creation and raised with each change outside `metadata` and `status`.
    Counted,
    /// Left out, as for ConfigMaps and Secrets.
    Absent,
}

/// Something asked below one object's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Name in the path, such as `status`.
    pub name: CowStr,
    /// Kind that discovery tells; the parent's for `status`.
    pub kind: CowStr,
    /// Group of that kind when it differs from the parent's, such as `autoscaling` for `scale`.
    pub group: CowStr,
    /// Version of that kind when it differs from the parent's.
    pub version: CowStr,
    /// What can be asked of it.
    pub verbs: Vec<Verb>,
}

/// What can be asked of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verb {
    /// Create one object.
    Create,
    /// Delete one object.
    Delete,
    /// Delete all selected objects.
    DeleteCollection,
    /// Read one object.
    Get,
    /// Read all selected objects.
    List,
    /// Change parts of one object.
    Patch,
    /// Replace one object.
    Update,
    /// Hear of changes.
    Watch,
}

/// A field that a `fieldSelector` may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectableField {
    /// Name in the selector, such as `spec.nodeName`.
    pub name: CowStr,
    /// Where its value is found in the object; usually the name split at its dots.
    pub path: Vec<CowStr>,
    /// What an absent value counts as: empty text, or `false` and `0` for flags and numbers.
    pub absent: CowStr,
}

/// Where a resource's definition came from.
#[derive(Clone, Debug)]
pub enum ResourceOrigin {
    /// Kubernetes' own: JSON has struct order, and list items carry no `kind` and `apiVersion`.
    Builtin,
    /// A CustomResourceDefinition: JSON has sorted keys, and list items carry `kind` and `apiVersion`.
    Custom(Arc<CustomOrigin>),
}

/// What a CustomResourceDefinition says about one of its versions.
#[derive(Clone, Debug, Default)]
pub struct CustomOrigin {
    /// Name of the definition, as `plural.group`.
    pub definition: String,
    /// The version's `openAPIV3Schema`.
    pub schema: Option<Value>,
    /// The version's `additionalPrinterColumns`.
    pub printer_columns: Vec<PrinterColumn>,
    /// Paths of the `scale` subresource, when there is one.
    pub scale: Option<ScalePaths>,
    /// What clients of this version are warned with, if it is deprecated.
    pub deprecation: Option<String>,
}

/// One column a CustomResourceDefinition adds to Table answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrinterColumn {
    /// Heading.
    pub name: String,
    /// OpenAPI type, such as `string`, `integer` or `date`.
    pub column_type: String,
    /// OpenAPI format, often empty.
    pub format: String,
    /// What `kubectl explain` would say of it.
    pub description: String,
    /// 0 is always shown; greater is shown by `-o wide`.
    pub priority: i64,
    /// Where the value is found, such as `.spec.replicas`.
    pub json_path: String,
}

/// Where a custom resource keeps what its `scale` subresource shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScalePaths {
    /// Such as `.spec.replicas`.
    pub spec_replicas: String,
    /// Such as `.status.replicas`.
    pub status_replicas: String,
    /// Such as `.status.selector`; may be absent.
    pub label_selector: Option<String>,
}

impl ResourceDef {
    /// `group/version`, or the version alone for the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// `plural.group`, or the plural alone for the core group: how error messages name it.
    pub fn group_resource(&self) -> String {
        if self.group.is_empty() {
            self.plural.to_string()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// Whether objects have a namespace.
    pub fn is_namespaced(&self) -> bool {
        self.scope == ResourceScope::Namespaced
    }

    /// Whether a CustomResourceDefinition made it.
    pub fn is_custom(&self) -> bool {
        matches!(self.origin, ResourceOrigin::Custom(_))
    }

    /// What its CustomResourceDefinition says, if one made it.
    pub fn custom(&self) -> Option<&CustomOrigin> {
        match &self.origin {
            ResourceOrigin::Builtin => None,
            ResourceOrigin::Custom(origin) => Some(origin),
        }
    }

    /// The subresource of that name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }

    /// Whether `status` is written apart from the rest.
    pub fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    /// Whether the resource itself takes this verb.
    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }
}

impl Verb {
    /// Every verb, in the order in which discovery tells them.
    pub const ALL: [Self; 8] = [
        Self::Create,
        Self::Delete,
        Self::DeleteCollection,
        Self::Get,
        Self::List,
        Self::Patch,
        Self::Update,
        Self::Watch,
    ];

    /// As discovery writes it, such as `deletecollection`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }
}

impl SelectableField {
    /// A field whose path is its name and whose absence counts as empty text.
    pub fn plain(name: impl Into<CowStr>) -> Self {
        let name = name.into();
        let path = name.split('.').map(|part| CowStr::Owned(part.to_owned())).collect();
        Self { name, path, absent: CowStr::Borrowed("") }
    }
}
