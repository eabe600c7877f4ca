//! The commands that all subjects of the comparison read.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Command {
    Sync(Plan),
    Settle,
    Expect { updates: u64 },
    Latency { updates: u64 },
    LatencyUnderReaders { updates: u64, readers: usize },
    Reads,
    Relist { sentinel: String },
    Restart,
    Many { informers: usize },
    Connections { count: usize },
    Info,
}

/// What is synced, and with which handlers.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Plan {
    pub(crate) resource: Resource,
    pub(crate) handlers: usize,
    pub(crate) read: Read,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Resource {
    Pods,
    ConfigMaps,
    Secrets,
    Leases,
    Widgets,
}

/// What a handler reads of each notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Read {
    /// Namespace, name, version and one label.
    Identity,
    /// The new object.
    New,
    /// The old and the new object.
    Both,
}
