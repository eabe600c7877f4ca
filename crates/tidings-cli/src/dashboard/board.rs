//! What the dashboard shows: an informer for each resource, with indexes to filter by, and queues.

use kube_core::dynamic::DynamicObject;
use serde_json::{Value, json};
use tidings::workqueue::QueueMetrics;
use tidings::{Index, InformerOptions, ResourceKind, Scope, SharedInformer, SharedInformerFactory};

use crate::cluster::resource;
use crate::failure::{Done, Failure};
use crate::query;

/// What is looked at when nothing else is asked for.
const USUAL: [&str; 3] = ["pods", "nodes", "deployments.apps"];
/// What people ask of pods most often.
const INDEXES_OF_PODS: [(&str, &str); 2] = [("node", ".spec.nodeName"), ("phase", ".status.phase")];

/// The informers and queues that are shown.
pub(super) struct Board {
    pub(super) factory: SharedInformerFactory,
    pub(super) shown: Vec<Shown>,
    pub(super) queues: QueueMetrics,
}

/// The informer of one resource.
pub(super) struct Shown {
    pub(super) resource: String,
    pub(super) informer: SharedInformer<DynamicObject>,
}

/// What was asked for, as it was written.
pub(super) struct Wanted<'a> {
    pub(super) resources: &'a [String],
    pub(super) namespaces: &'a [String],
    pub(super) indexes: &'a [String],
}

impl Board {
    /// Finds the resources and makes their informers. Nothing is listed yet.
    pub(super) async fn over(factory: SharedInformerFactory, wanted: &Wanted<'_>) -> Done<Board> {
        let mut board = Board { factory, shown: Vec::new(), queues: QueueMetrics::new() };
        let names: Vec<&str> = match wanted.resources {
            [] => USUAL.to_vec(),
            some => some.iter().map(String::as_str).collect(),
        };
        for name in names {
            let resource = resource::find(board.factory.client(), name).await?;
            if board.find(&resource.to_string()).is_none() {
                board.add(resource, wanted)?;
            }
        }
        Ok(board)
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

    fn add(&mut self, resource: ResourceKind, wanted: &Wanted<'_>) -> Done {
        let mut options = InformerOptions::new();
        if resource.scope == Scope::Namespaced && !wanted.namespaces.is_empty() {
            options = options.namespaces(wanted.namespaces).map_err(Failure::usage)?;
        }
        let informer = self.factory.dynamic_with(resource.clone(), options)?;
        // The values of an index are proposed to whoever filters: of what Secrets hold there must be none.
        let wanted = if resource.kind == "Secret" { &[] } else { wanted.indexes };
        let mut indexes = wanted.iter().map(|text| query::index(text)).collect::<Done<Vec<_>>>()?;
        if (&*resource.group, &*resource.plural) == ("", "pods") {
            let asked_for: Vec<String> = indexes.iter().map(|index| index.name().to_owned()).collect();
            let usual =
                INDEXES_OF_PODS.iter().filter(|(name, _)| !asked_for.iter().any(|other| other == name));
            indexes.extend(usual.map(|(name, path)| Index::field(*name, path)));
        }
        for index in indexes {
            informer.add_index(index).map_err(Failure::usage)?;
        }
        self.shown.push(Shown { resource: resource.to_string(), informer });
        Ok(())
    }
}
