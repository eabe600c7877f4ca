//! The informers that the dashboard shows, by resource name, with indexes to filter by.

use kube_core::dynamic::DynamicObject;
use serde_json::{Value, json};
use tidings::{Index, Scope, SharedInformer};

use crate::diagnostics_source::LocalInformers;
use crate::failure::{CliResult, Failure};
use crate::query;

/// Indexes that every informer of pods gets: the most common filters.
const INDEXES_OF_PODS: [(&str, &str); 2] = [("node", ".spec.nodeName"), ("phase", ".status.phase")];

/// The informers and queues that the dashboard shows.
pub(super) struct Catalog {
    pub(super) local: LocalInformers,
    pub(super) entries: Vec<CatalogEntry>,
}

/// The informer of one resource, under the name that the page uses.
pub(super) struct CatalogEntry {
    pub(super) resource: String,
    pub(super) informer: SharedInformer<DynamicObject>,
}

impl Catalog {
    /// Adds the indexes of `--index` and the default indexes to each informer.
    pub(super) fn of(local: LocalInformers, indexes: &[String]) -> CliResult<Catalog> {
        let mut entries = Vec::new();
        for informer in &local.informers {
            for index in indexes_of(informer, indexes)? {
                informer.add_index(index).map_err(Failure::usage)?;
            }
            entries
                .push(CatalogEntry { resource: informer.resource().to_string(), informer: informer.clone() });
        }
        Ok(Catalog { local, entries })
    }

    pub(super) fn find(&self, resource: &str) -> Option<&CatalogEntry> {
        self.entries.iter().find(|entry| entry.resource == resource)
    }

    /// Resources and their indexes as JSON, which the page loads first.
    pub(super) fn contents(&self) -> Value {
        let contents = self.entries.iter().map(|entry| {
            let resource = entry.informer.resource();
            json!({
                "resource": entry.resource, "kind": resource.kind,
                "isNamespaced": resource.scope == Scope::Namespaced,
                "indexes": entry.informer.reader().indexes(),
            })
        });
        contents.collect()
    }
}

fn indexes_of(informer: &SharedInformer<DynamicObject>, wanted: &[String]) -> CliResult<Vec<Index>> {
    let mut indexes = wanted.iter().map(|text| query::index(text)).collect::<CliResult<Vec<_>>>()?;
    let resource = informer.resource();
    // The page suggests index values while the user types. Data of Secrets must not appear there.
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
