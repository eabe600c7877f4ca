//! The controllers in the model: their last reconciles with causes and writes, and the loops that they reported.
//!
//! It has keys, versions and the paths of fields, and no values.

use serde::{Deserialize, Serialize};

/// One controller.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ControllerStatus {
    /// Its name.
    pub name: String,
    /// Its last reconciles, the newest last. Only in the response to `/controllers`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reconciles: Vec<ReconcileStatus>,
    /// The last loops that it reported, the newest last.
    pub loops: Vec<LoopStatus>,
}

/// A reconcile that has ended: causes, result, writes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ReconcileStatus {
    /// Its number, within the controller.
    pub id: u64,
    /// The key of its request.
    pub key: String,
    /// How long ago it ended.
    pub age_seconds: f64,
    /// How long it took.
    pub duration_seconds: f64,
    /// How it ended, such as `success` or `error`.
    pub result: String,
    /// What requested it.
    pub causes: Vec<CauseStatus>,
    /// The number of further causes.
    pub omitted_causes: u64,
    /// What it wrote.
    pub writes: Vec<WriteStatus>,
}

/// What requested a reconcile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct CauseStatus {
    /// The reason, such as `updated` or `requeue_after`.
    pub reason: String,
    /// The resource that changed; none if the controller itself made the request.
    pub resource: Option<String>,
    /// The key of the object that changed.
    pub key: Option<String>,
    /// Its version before the change.
    pub old_version: Option<String>,
    /// Its version after the change.
    pub version: Option<String>,
    /// How many changes were merged into this one.
    pub count: u64,
    /// The paths that an update changed; none if they are not known any more.
    pub fields: Option<Vec<String>>,
    /// The number of the reconcile of this controller that made the change.
    pub written_by: Option<u64>,
}

/// A write of a reconcile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct WriteStatus {
    /// The resource.
    pub resource: String,
    /// The key of the object.
    pub key: String,
    /// The version that was written; none if the object was deleted.
    pub version: Option<String>,
    /// The numbers of the reconciles that this change has requested.
    pub requested: Vec<u64>,
}

/// A loop: a controller wakes itself again and again for one request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LoopStatus {
    /// The key of the request.
    pub key: String,
    /// How many reconciles only the controller's own writes requested.
    pub wakes: u64,
    /// In which time.
    pub within_seconds: f64,
    /// How long ago it was reported.
    pub age_seconds: f64,
    /// The objects that keep changing.
    pub objects: Vec<LoopObjectStatus>,
}

/// An object that a controller keeps changing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LoopObjectStatus {
    /// The resource.
    pub resource: String,
    /// Its key.
    pub key: String,
    /// The paths that keep changing.
    pub fields: Vec<String>,
}
