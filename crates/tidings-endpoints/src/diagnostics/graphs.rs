//! One graph of derived collections.

use serde_json::{Value, json};
use tidings_derived::{CollectionReads, CollectionStats, GraphReport};

pub(crate) fn graph(report: &GraphReport) -> Value {
    let mut unsynced = report.unsynced();
    let collections = report.collections.iter().map(|stats| {
        let at = unsynced.iter().position(|unsynced| unsynced.collection == stats.name);
        collection(stats, at.map(|at| unsynced.swap_remove(at).reason))
    });
    let collections: Vec<_> = collections.collect();
    json!({
        "name": report.name,
        "failure": report.failure,
        "rounds": report.rounds,
        "workSeconds": report.round_nanos as f64 / 1e9,
        "collections": collections,
    })
}

fn collection(stats: &CollectionStats, unsynced_because: Option<String>) -> Value {
    json!({
        "name": stats.name,
        "operator": stats.operator,
        "isSynced": stats.is_synced,
        "unsyncedBecause": unsynced_because,
        "values": stats.values,
        "evaluations": stats.evaluations,
        "unchanged": stats.unchanged,
        "failures": stats.failures,
        "failingKeys": stats.failing_keys,
        "duplicateKeys": stats.duplicate_keys,
        "changes": stats.changes,
        "workSeconds": stats.work_nanos as f64 / 1e9,
        "reads": stats.reads.iter().map(reads).collect::<Vec<_>>(),
    })
}

fn reads(reads: &CollectionReads) -> Value {
    json!({ "collection": reads.collection, "parts": reads.parts })
}
