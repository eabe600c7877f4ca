//! References from objects of the controller's kind to objects of another kind: which owners a change concerns.
//!
//! References are read from the bytes of the owners into indexes of the controller's own cache. A change of a
//! referenced object is then one lookup. An owner that changes its reference is re-indexed when it arrives, and it
//! requests itself, so that no mapper has to remember what it referred to before.
//!
//! ```text
//! Foo a  .spec.secretRef.name = s      index "s" -> a
//! Secret s changes                     requests a
//! Foo a  .spec.secretRef.name = t      index "t" -> a; a requests itself
//! Secret s changes                     requests nothing
//! ```

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use serde_json::Value;
use tidings_informer::indexer::{Index, Reader};
use tidings_informer::{Notification, SharedInformer};
use tidings_object::{FieldPath, Key, LabelSelector, RawObject, Scope};

use super::RequestMap;
use crate::request::Request;

/// Where the references of an owner are.
pub(crate) enum ReferenceForm {
    /// Names of objects in the owner's namespace.
    Names(FieldPath),
    /// Objects with the fields `name` and `namespace`. Without a namespace it is the owner's.
    Objects(FieldPath),
    /// A name, and a namespace elsewhere.
    NameAndNamespace(FieldPath, FieldPath),
    /// A label selector for objects in the owner's namespace.
    Selector(FieldPath),
    /// Keys from a function, under this name.
    Function(String, Arc<KeysOf>),
}

/// The keys that an owner refers to.
pub(crate) type KeysOf = dyn Fn(&RawObject) -> Vec<String> + Send + Sync;

/// The references of the objects in one cache.
#[derive(Clone)]
pub(crate) struct ReferenceIndex {
    owners: Reader,
    forms: Arc<[(String, Arc<ReferenceForm>)]>,
    /// The scope of the referenced kind.
    scope: Scope,
}

impl ReferenceForm {
    /// The paths that the schema of the owner must have.
    pub(crate) fn paths(&self) -> Vec<&FieldPath> {
        match self {
            ReferenceForm::Names(path) | ReferenceForm::Objects(path) | ReferenceForm::Selector(path) => {
                vec![path]
            }
            ReferenceForm::NameAndNamespace(name, namespace) => vec![name, namespace],
            ReferenceForm::Function(..) => Vec::new(),
        }
    }

    /// Two controllers of one kind with the same reference share its index.
    fn index_name(&self) -> String {
        match self {
            ReferenceForm::Names(path) => format!("tidings-controller/name at {path}"),
            ReferenceForm::Objects(path) => format!("tidings-controller/object at {path}"),
            ReferenceForm::NameAndNamespace(name, namespace) => {
                format!("tidings-controller/name at {name} in {namespace}")
            }
            ReferenceForm::Selector(path) => format!("tidings-controller/selector at {path}"),
            ReferenceForm::Function(name, _) => format!("tidings-controller/references of {name}"),
        }
    }

    /// The index of an owner's references. Selectors have none: the selector of each owner in the
    /// namespace is compared.
    fn index(self: &Arc<Self>, name: &str, scope: Scope) -> Option<Index> {
        match &**self {
            // The intake reads this field when an object arrives.
            ReferenceForm::Names(path) => Some(Index::field(name, &path.to_string())),
            ReferenceForm::Selector(_) => None,
            _ => {
                let form = Arc::clone(self);
                Some(Index::raw(name, move |owner| form.values(owner, scope)))
            }
        }
    }

    /// What the index has for an owner. A field that can't be read is no reference; the informer has reported it.
    fn values(&self, owner: &RawObject, scope: Scope) -> Vec<String> {
        match self {
            ReferenceForm::Names(path) => {
                let value = owner.field_at(path).unwrap_or_default();
                value.texts().map(|text| text.into_owned()).collect()
            }
            ReferenceForm::Objects(path) => objects_at(owner, path, scope),
            ReferenceForm::NameAndNamespace(name, namespace) => name_and_namespace_at(owner, name, namespace),
            ReferenceForm::Selector(_) => Vec::new(),
            ReferenceForm::Function(_, keys) => keys(owner),
        }
    }
}

impl ReferenceIndex {
    /// Adds the indexes to the controller's own cache.
    pub(crate) fn new(own: &SharedInformer<()>, forms: Vec<ReferenceForm>, scope: Scope) -> Self {
        let forms: Vec<_> = forms.into_iter().map(|form| (form.index_name(), Arc::new(form))).collect();
        for (name, form) in &forms {
            if let Some(index) = form.index(name, scope) {
                // An error if another controller has added it, which serves as well, or if the informer has stopped.
                let _ = own.add_index(index);
            }
        }
        ReferenceIndex { owners: own.reader().clone(), forms: forms.into(), scope }
    }

    /// Requests the owners that refer to the object that changed, before or after the change.
    pub(crate) fn into_map<K: 'static>(self) -> RequestMap<K> {
        Box::new(move |notification| {
            let mut requests = Vec::new();
            self.referrers(notification.object(), &mut requests);
            if let Notification::Updated { old, .. } | Notification::Deleted { old, .. } = notification
                && !old.labels().iter().eq(notification.object().labels().iter())
            {
                self.referrers(old, &mut requests);
            }
            requests.sort();
            requests.dedup();
            requests
        })
    }

    /// Whether any owner refers to this object.
    pub(crate) fn is_referenced(&self, object: &RawObject) -> bool {
        let mut requests = Vec::new();
        self.referrers(object, &mut requests);
        !requests.is_empty()
    }

    fn referrers(&self, object: &RawObject, into: &mut Vec<Request>) {
        for (name, form) in &*self.forms {
            match &**form {
                ReferenceForm::Selector(path) => {
                    let in_namespace = match object.namespace() {
                        Some(namespace) => self.owners.namespace(namespace),
                        None => self.owners.list(),
                    };
                    let selecting = in_namespace.iter().filter(|owner| selects(owner, path, object));
                    into.extend(selecting.map(|owner| Request::from(owner.key())));
                }
                ReferenceForm::Names(_) => {
                    let is_same_namespace =
                        |key: &Key| self.scope == Scope::Cluster || key.namespace() == object.namespace();
                    let found = self.owners_with(name, form, object.name());
                    into.extend(found.into_iter().filter(is_same_namespace).map(Request::from));
                }
                _ => into.extend(
                    self.owners_with(name, form, object.key().as_str()).into_iter().map(Request::from),
                ),
            }
        }
    }

    /// The owners that an index has under a value. While the index is being built, every owner is read.
    fn owners_with(&self, index: &str, form: &ReferenceForm, value: &str) -> Vec<Key> {
        self.owners.index_keys(index, value).unwrap_or_else(|_| {
            let refers =
                |owner: &RawObject| form.values(owner, self.scope).iter().any(|other| other == value);
            let owners = self.owners.list();
            owners.iter().filter(|owner| refers(owner)).map(|owner| owner.key().to_key()).collect()
        })
    }
}

fn objects_at(owner: &RawObject, path: &FieldPath, scope: Scope) -> Vec<String> {
    let Ok(value) = owner.field_at(path) else { return Vec::new() };
    let key = |reference: &Value| {
        let text = |name: &str| reference.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let namespace = text("namespace").or(owner.namespace()).filter(|_| scope == Scope::Namespaced);
        Some(Key::new(namespace, text("name")?).ok()?.to_string())
    };
    // A path that ends at a list means its items.
    let items = value.values().iter().flat_map(|value| match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    });
    items.filter_map(key).collect()
}

fn name_and_namespace_at(owner: &RawObject, name: &FieldPath, namespace: &FieldPath) -> Vec<String> {
    let text = |path| owner.field_at(path).ok()?.text().map(|text| text.into_owned());
    let Some(name) = text(name) else { return Vec::new() };
    let namespace = text(namespace).or_else(|| owner.namespace().map(str::to_owned));
    Key::new(namespace.as_deref(), &name).map(|key| vec![key.to_string()]).unwrap_or_default()
}

/// Whether the selector of an owner matches an object: `matchLabels` and `matchExpressions`, or a map of labels as in a
/// Service. An empty selector matches nothing.
fn selects(owner: &RawObject, path: &FieldPath, object: &RawObject) -> bool {
    let Ok(value) = owner.field_at(path) else { return false };
    let matches = |selector: &Value| {
        let fields = selector.as_object()?;
        let is_full = fields.contains_key("matchLabels") || fields.contains_key("matchExpressions");
        let selector = match is_full {
            true => {
                let selector: meta::LabelSelector = serde_json::from_value(selector.clone()).ok()?;
                LabelSelector::try_from(&selector).ok()?
            }
            false => {
                let labels =
                    fields.iter().map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
                labels.collect::<Option<Vec<_>>>()?.into_iter().collect()
            }
        };
        Some(!selector.is_everything() && selector.matches(|label| object.labels().value(label)))
    };
    value.values().iter().any(|selector| matches(selector) == Some(true))
}
