//! References to objects of another kind, as options of a controller.

use std::fmt;
use std::sync::Arc;

use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use serde::de::DeserializeOwned;
use tidings_object::{FieldPath, Key, Kind, ParseError, ResourceKind, Scope};

use super::source::{ControllerSource, SourceRole, WatchSpec, watch_options};
use crate::enqueue::ReferenceForm;
use crate::error::ControllerError;

/// A kind that objects of the controller's kind refer to: a change of a referenced object requests all that refer to
/// it. See [`refers_to`](super::ControllerBuilder::refers_to).
///
/// References are read from the bytes of the objects; nothing is decoded. A kind can have several.
///
/// ```
/// use k8s_openapi::api::apps::v1::Deployment;
/// use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
/// use tidings_controller::{Controller, Reference};
/// use tidings_object::Key;
///
/// let builder = Controller::for_kind::<Deployment>("deployment")
///     .refers_to::<ConfigMap>(".spec.template.spec.volumes[*].configMap.name")
///     .refers_to_with(
///         Reference::<Secret>::new()
///             .at(".spec.template.spec.volumes[*].secret.secretName")
///             .objects_at(".spec.template.spec.imagePullSecrets"), // objects with a name
///     )
///     .refers_to_with(Reference::<Pod>::new().selected_by(".spec.selector"));
/// ```
pub struct Reference<V> {
    watch: WatchSpec<V>,
    forms: Vec<Result<ReferenceForm, (String, ParseError)>>,
    keeps_bodies: bool,
}

/// A reference without its type.
pub(crate) struct ReferenceSpec {
    pub(super) forms: Vec<Result<ReferenceForm, (String, ParseError)>>,
    /// The owner's kind.
    pub(super) owner: ResourceKind,
    pub(super) keeps_bodies: bool,
}

impl<R: Kind + 'static> Reference<R> {
    /// Watches whole objects of a kind.
    pub fn new() -> Self {
        Reference::over(WatchSpec::full())
    }

    /// Watches the metadata of a kind. The server sends nothing else.
    pub fn metadata() -> Reference<PartialObjectMeta<R>> {
        Reference::over(WatchSpec::metadata())
    }

    /// Watches the metadata of a kind, and keeps the bodies of referenced objects only.
    /// [`Context::get`](crate::Context::get) reads such an object from the server when it is first needed and after
    /// each change. A controller that refers to 10 of 10,000 Secrets keeps the bodies of 10.
    pub fn with_referenced_bodies() -> Reference<PartialObjectMeta<R>> {
        let mut reference = Reference::metadata();
        reference.keeps_bodies = true;
        reference
    }
}

impl Reference<DynamicObject> {
    /// Watches whole objects of a resource that is known only at run time.
    pub fn resource(resource: impl Into<ResourceKind>) -> Self {
        Reference::over(WatchSpec::of(resource.into()))
    }
}

impl<V: 'static> Reference<V> {
    fn over(watch: WatchSpec<V>) -> Self {
        Reference { watch, forms: Vec::new(), keeps_bodies: false }
    }

    /// The path of a name, or of several below `[*]`. The objects are in the namespace of the one that refers to them,
    /// or in cluster scope.
    #[must_use]
    pub fn at(self, path: &str) -> Self {
        self.form(path, ReferenceForm::Names)
    }

    /// The paths of a name and of its namespace. Without a namespace it is that of the object that refers to it. Use
    /// [`objects_at`](Self::objects_at) for lists.
    #[must_use]
    pub fn at_in(mut self, name: &str, namespace: &str) -> Self {
        self.forms.push(match (parsed(name), parsed(namespace)) {
            (Ok(name), Ok(namespace)) => Ok(ReferenceForm::NameAndNamespace(name, namespace)),
            (Err(error), _) | (_, Err(error)) => Err(error),
        });
        self
    }

    /// The path of an object, or of a list of objects, with the fields `name` and, if it differs, `namespace`, such as
    /// Kubernetes' `SecretReference` and `ObjectReference`.
    #[must_use]
    pub fn objects_at(self, path: &str) -> Self {
        self.form(path, ReferenceForm::Objects)
    }

    /// The path of a label selector: `matchLabels` and `matchExpressions`, or a map of labels as in a Service. It
    /// refers to all objects of the same namespace that match. An empty selector refers to nothing. A change is
    /// compared with the selector of every object of the controller's kind in that namespace.
    #[must_use]
    pub fn selected_by(self, path: &str) -> Self {
        self.form(path, ReferenceForm::Selector)
    }

    /// The keys that a function of the object returns. It decodes every object of the controller's kind once.
    #[must_use]
    pub fn by<K>(mut self, keys: impl Fn(&K) -> Vec<Key> + Send + Sync + 'static) -> Self
    where
        K: DeserializeOwned + Send + Sync + 'static,
    {
        let keys = move |owner: &tidings_object::RawObject| {
            let owner = owner.decoded::<K>().ok();
            owner.map(|owner| keys(&owner)).unwrap_or_default().iter().map(Key::to_string).collect()
        };
        self.forms.push(Ok(ReferenceForm::Function(String::new(), Arc::new(keys))));
        self
    }

    fn form(mut self, path: &str, form: impl FnOnce(FieldPath) -> ReferenceForm) -> Self {
        self.forms.push(parsed(path).map(form));
        self
    }

    pub(super) fn into_source(self, owner: ResourceKind) -> ControllerSource {
        let Reference { watch, forms, keeps_bodies } = self;
        watch.into_source(SourceRole::Referenced(ReferenceSpec { forms, owner, keeps_bodies }))
    }
}

watch_options!(Reference);

impl ReferenceSpec {
    /// The parsed references to a resource.
    pub(super) fn into_forms(
        self,
        controller: &str,
        referenced: &ResourceKind,
    ) -> Result<Vec<ReferenceForm>, ControllerError> {
        let fail = |path: String, reason: String| ControllerError::Reference {
            controller: controller.to_owned(),
            path,
            reason: format!("they refer to {referenced}: {reason}"),
        };
        if self.forms.is_empty() {
            return Err(fail(String::new(), "it has no path: add one with `.at(…)`".to_owned()));
        }
        let mut forms = Vec::new();
        for (at, form) in self.forms.into_iter().enumerate() {
            let mut form = form.map_err(|(path, error)| fail(path, error.to_string()))?;
            if let ReferenceForm::Function(name, _) = &mut form {
                // Two functions never share an index.
                *name = format!("{controller} to {referenced} {at}");
            }
            if let ReferenceForm::Names(path) = &form
                && (self.owner.scope, referenced.scope) == (Scope::Cluster, Scope::Namespaced)
            {
                let reason = format!(
                    "a name in {} has no namespace: use `.at_in(name, namespace)` or `.objects_at(…)`",
                    self.owner
                );
                return Err(fail(path.to_string(), reason));
            }
            forms.push(form);
        }
        Ok(forms)
    }
}

fn parsed(path: &str) -> Result<FieldPath, (String, ParseError)> {
    FieldPath::parse(path).map_err(|error| (path.to_owned(), error))
}

impl<R: Kind + 'static> Default for Reference<R> {
    fn default() -> Self {
        Reference::new()
    }
}

impl<V> fmt::Debug for Reference<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reference").field("paths", &self.forms.len()).finish_non_exhaustive()
    }
}
