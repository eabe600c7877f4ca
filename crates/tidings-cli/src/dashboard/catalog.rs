//! What the dashboard shows: informers of this program, with indexes to filter by, and queues.

use kube_core::dynamic::DynamicObject;
use serde_json::{Value, json};
use tidings::{Index, Scope, SharedInformer};

use crate::diagnostics_source::LocalInformers;
use crate::failure::{CliResult, Failure};
use crate::query;

/// What people ask of pods most often.
const INDEXES_OF_PODS: [(&str, &str); 2] = [("node", ".spec.nodeName"), ("phase", ".status.phase")];

/// The informers and queues that are shown.
pub(super) struct Catalog {
    pub(super) local: LocalInformers,
    /// The informers with the names that the page knows.
    pub(super) shown: Vec<Shown>,
}

/// The informer of one resource.
pub(super) struct Shown {
    pub(super) resource: String,
    pub(super) informer: SharedInformer<DynamicObject>,
}

impl Catalog {
    /// With these indexes, as they were written, and with those that everybody wants.
    pub(super) fn of(local: LocalInformers, indexes: &[String]) -> CliResult<Catalog> {
        let mut shown = Vec::new();
        for informer in &local.informers {
            for index in indexes_of(informer, indexes)? {
                informer.add_index(index).map_err(Failure::usage)?;
            }
            shown.push(Shown { resource: informer.resource().to_string(), informer: informer.clone() });
        }
        Ok(Catalog { local, shown })
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

fn indexes_of(informer: &SharedInformer<DynamicObject>, wanted: &[String]) -> CliResult<Vec<Index>> {
    let mut indexes = wanted.iter().map(|text| query::index(text)).collect::<CliResult<Vec<_>>>()?;
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
