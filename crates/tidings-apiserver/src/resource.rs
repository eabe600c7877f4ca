//! Definitions of resources: names, scope, verbs, subresources and selectable fields.
//!
//! A [`ResourceDef`] describes one resource in one version. All versions of a kind have the same
//! [`ResourceDef::storage`], and so share their stored objects.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

pub(crate) mod builtin;

/// Text that is static for built-in kinds and owned for custom resources.
pub(crate) type CowStr = Cow<'static, str>;

/// One resource in one version.
#[derive(Clone, Debug)]
pub(crate) struct ResourceDef {
    /// Empty for the core group.
    pub group: CowStr,
    pub version: CowStr,
    /// Such as `Pod`.
    pub kind: CowStr,
    /// Such as `PodList`.
    pub list_kind: CowStr,
    /// The name in paths, such as `pods`.
    pub plural: CowStr,
    /// Such as `pod`.
    pub singular: CowStr,
    /// Such as `po`.
    pub short_names: Vec<CowStr>,
    /// Such as `all`.
    pub categories: Vec<CowStr>,
    pub scope: ResourceScope,
    pub subresources: Vec<Subresource>,
    /// The verbs of the resource itself.
    pub verbs: Vec<Verb>,
    /// The fields that a `fieldSelector` may use, besides `metadata.name` and `metadata.namespace`.
    pub selectable_fields: Vec<SelectableField>,
    /// The name under which the objects are stored, `group/plural`. The same for all versions of a kind.
    pub storage: CowStr,
    pub generation: Generation,
    pub origin: ResourceOrigin,
}

/// Whether objects have a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResourceScope {
    Namespaced,
    Cluster,
}

/// Whether a kind has `metadata.generation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// 1 at creation, and incremented by each change outside `metadata` and `status`.
    Counted,
    /// The field is absent, as for ConfigMaps and Secrets.
    Absent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subresource {
    /// Such as `status`.
    pub name: CowStr,
    /// The kind of its objects; the resource's own kind for `status`.
    pub kind: CowStr,
    /// The group of that kind if it is another one, such as `autoscaling` for `scale`.
    pub group: CowStr,
    /// The version of that kind if it is another one.
    pub version: CowStr,
    pub verbs: Vec<Verb>,
}

/// The verb of a request, as in Kubernetes' discovery and RBAC.
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
    /// Stream the changes of all selected objects.
    Watch,
}

/// A field that a `fieldSelector` may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SelectableField {
    /// The name in the selector, such as `spec.nodeName`.
    pub name: CowStr,
    /// The path of the value in the object. Usually the name, split at its dots.
    pub path: Vec<CowStr>,
    /// The value that an absent field counts as: empty, or `false` or `0` for booleans and numbers.
    pub absent: CowStr,
}

/// Where the definition of a resource comes from.
#[derive(Clone, Debug)]
pub(crate) enum ResourceOrigin {
    /// Built into Kubernetes. JSON has the order of the Go structs, and list items have no `kind` and `apiVersion`.
    Builtin,
    /// A CustomResourceDefinition. JSON has sorted keys, and list items have `kind` and `apiVersion`.
    Custom(Arc<CustomOrigin>),
}

/// One version of a CustomResourceDefinition.
#[derive(Clone, Debug, Default)]
pub(crate) struct CustomOrigin {
    /// The name of the definition, `plural.group`.
    pub definition: String,
    /// The version's `openAPIV3Schema`.
    pub schema: Option<Value>,
    /// The version's `additionalPrinterColumns`.
    pub printer_columns: Vec<PrinterColumn>,
    /// The paths of the `scale` subresource, if there is one.
    pub scale: Option<ScalePaths>,
    /// The warning for clients of a deprecated version.
    pub deprecation: Option<String>,
    /// The rules in CEL of the version's schema, if it has any.
    pub rules: Option<Arc<kube_cel::CompiledSchema>>,
    /// The name of the version in which objects are stored.
    pub storage_version: String,
    /// How a webhook converts between this version and the stored one; `None` if no conversion is needed.
    pub conversion: Option<WebhookConversion>,
}

/// The conversion of a custom resource by a webhook.
#[derive(Clone, Debug)]
pub(crate) struct WebhookConversion {
    /// The `clientConfig` of the webhook.
    pub client_config: Value,
    /// The resource in the stored version.
    pub storage: Arc<ResourceDef>,
}

/// One column that a CustomResourceDefinition adds to Table responses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrinterColumn {
    pub name: String,
    /// Such as `string`, `integer` or `date`.
    pub column_type: String,
    pub format: String,
    pub description: String,
    /// A column with priority 0 is always shown, others only by `-o wide`.
    pub priority: i64,
    /// Such as `.spec.replicas`.
    pub json_path: String,
}

/// The paths of the `scale` subresource of a custom resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScalePaths {
    /// Such as `.spec.replicas`.
    pub spec_replicas: String,
    /// Such as `.status.replicas`.
    pub status_replicas: String,
    /// Such as `.status.selector`.
    pub label_selector: Option<String>,
}

impl ResourceDef {
    /// `group/version`, or the version alone for the core group.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// `plural.group`, or the plural alone for the core group. Error messages use it.
    pub(crate) fn group_resource(&self) -> String {
        if self.group.is_empty() {
            self.plural.to_string()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.scope == ResourceScope::Namespaced
    }

    pub(crate) fn is_custom(&self) -> bool {
        matches!(self.origin, ResourceOrigin::Custom(_))
    }

    /// Its CustomResourceDefinition; `None` for built-in kinds.
    pub(crate) fn custom(&self) -> Option<&CustomOrigin> {
        match &self.origin {
            ResourceOrigin::Builtin => None,
            ResourceOrigin::Custom(origin) => Some(origin),
        }
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }

    /// Whether `status` is a subresource, which other writes can't change.
    pub(crate) fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    pub(crate) fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }
}

impl Verb {
    /// All verbs, in the order of discovery documents.
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

    /// The verb in lower case, such as `deletecollection`.
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
    /// A field whose path is its name, and whose absence counts as empty text.
    pub(crate) fn plain(name: impl Into<CowStr>) -> Self {
        let name = name.into();
        let path = name.split('.').map(|part| CowStr::Owned(part.to_owned())).collect();
        Self { name, path, absent: CowStr::Borrowed("") }
    }
}
