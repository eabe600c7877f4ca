//! What the dashboard shows: informers of this program, with indexes to filter by, and queues.

use kube_core::dynamic::DynamicObject;
use serde_json::{Value, json};
use tidings::{Index, Scope, SharedInformer};

use crate::diagnosed::Here;
use crate::failure::{Done, Failure};
use crate::query;

/// What people ask of pods most often.
const INDEXES_OF_PODS: [(&str, &str); 2] = [("node", ".spec.nodeName"), ("phase", ".status.phase")];

/// The informers and queues that are shown.
pub(super) struct Board {
    pub(super) here: Here,
    /// The informers with the names that the page knows.
    pub(super) shown: Vec<Shown>,
}

/// The informer of one resource.
pub(super) struct Shown {
    pub(super) resource: String,
    pub(super) informer: SharedInformer<DynamicObject>,
}

impl Board {
    /// With these indexes, as they were written, and with those that everybody wants.
    pub(super) fn of(here: Here, indexes: &[String]) -> Done<Board> {
        let mut shown = Vec::new();
        for informer in &here.informers {
            for index in indexes_of(informer, indexes)? {
                informer.add_index(index).map_err(Failure::usage)?;
            }
            shown.push(Shown { resource: informer.resource().to_string(), informer: informer.clone() });
        }
        Ok(Board { here, shown })
    }

    /// The informer of a resource, by the name that the page knows.
    pub(super) fn find(&self, resource: &str) -> Option<&Shown> {
        self.shown.iter().find(|shown| shown.resource == resource)
    }

    /// What a page has to know before it can ask.
    pub(super) fn contents(&self) -> Value {
        let contents = self.shown.iter().map(|shown| {
            let resource = shown.informer.resource();
            json!({
                "resource": shown.resource, "kind": resource.kind,
                "isNamespaced": resource.scope == Scope::Namespaced,
                "indexes": shown.informer.reader().indexes(),
            })
        });
        contents.collect()
    }
}

fn indexes_of(informer: &SharedInformer<DynamicObject>, wanted: &[String]) -> Done<Vec<Index>> {
    let mut indexes = wanted.iter().map(|text| query::index(text)).collect::<Done<Vec<_>>>()?;
    let resource = informer.resource();
    // The values of an index are proposed to whoever filters: of what Secrets hold there must be none.
    if resource.kind == "Secret" {
        indexes.clear();
    }
    if (&*resource.group, &*resource.plural) == ("", "pods") {
        let is_free = |name: &str| !indexes.iter().any(|index| index.name() == name);
        let usual: Vec<_> = INDEXES_OF_PODS.into_iter().filter(|(name, _)| is_free(name)).collect();
        indexes.extend(usual.into_iter().map(|(name, path)| Index::field(name, path)));
    }
    Ok(indexes)
}
