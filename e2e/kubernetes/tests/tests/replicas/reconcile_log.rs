//! A log of reconciles: a Secret for each reconciled version of an object, which is never changed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kube_client::api::PostParams;
use kube_client::{Api, Client};
use serde_json::json;
use tokio::time::Instant;

/// The log in a namespace.
pub(crate) struct ReconcileLog(Api<Secret>);

#[derive(Debug, Clone)]
pub(crate) struct LogEntry {
    /// The replica.
    pub(crate) by: String,
    /// The object and its version.
    seen: (String, String),
}

/// The lease must expire, and another replica must notice it: seconds, on a busy machine.
const REACH_MAX: Duration = Duration::from_secs(240);

const POLL_INTERVAL: Duration = Duration::from_millis(100);

impl ReconcileLog {
    pub(crate) fn new(client: &Client, namespace: &str) -> ReconcileLog {
        ReconcileLog(Api::namespaced(client.clone(), namespace))
    }

    /// Adds an entry.
    pub(crate) async fn append(&self, by: &str, name: &str, version: &str) -> Result<(), kube_client::Error> {
        let mark = json!({
            "metadata": { "generateName": "mark-" },
            "stringData": { "by": by, "name": name, "version": version },
        });
        let mark = serde_json::from_value(mark).map_err(kube_client::Error::SerdeError)?;
        self.0.create(&PostParams::default(), &mark).await.map(drop)
    }

    /// All entries, in the order of the server.
    pub(crate) async fn in_order(&self) -> Vec<LogEntry> {
        let list = self.0.list(&Default::default()).await.unwrap();
        let by_version: BTreeMap<u64, LogEntry> = list.items.into_iter().map(LogEntry::read).collect();
        by_version.into_values().collect()
    }

    /// Waits until each of these versions has been reconciled.
    pub(crate) async fn wait_for(&self, tasks: &[(String, String)]) {
        let deadline = Instant::now() + REACH_MAX;
        loop {
            let seen: BTreeSet<_> = self.in_order().await.into_iter().map(|mark| mark.seen).collect();
            let lost: Vec<_> = tasks.iter().filter(|task| !seen.contains(*task)).collect();
            if lost.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "no replica reconciled {lost:?} within {REACH_MAX:?}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

impl LogEntry {
    /// The version of an entry is the time of its creation, because entries are never changed.
    fn read(secret: Secret) -> (u64, LogEntry) {
        let data = secret.data.unwrap_or_default();
        let text = |name: &str| String::from_utf8(data[name].0.clone()).expect("a mark is text");
        let version = secret.metadata.resource_version.and_then(|version| version.parse().ok());
        let mark = LogEntry { by: text("by"), seen: (text("name"), text("version")) };
        (version.expect("the server numbers its versions"), mark)
    }
}
