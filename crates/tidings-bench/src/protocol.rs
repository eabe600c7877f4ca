//! The commands of the driver to the server and to the subjects: one JSON object per line. The programs of the peers,
//! in other languages, read the same lines.

use serde::{Deserialize, Serialize};

/// The label with the time of an update, in nanoseconds since 1970.
pub(crate) const SENT_LABEL: &str = "bench.example.com/sent";

/// The object whose update ends a relist.
pub(crate) const SENTINEL: &str = "bench/sentinel";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Resource {
    Pods,
    ConfigMaps,
    Secrets,
    Leases,
    Widgets,
}

/// What a handler reads of each notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Read {
    /// Namespace, name, version and one label.
    Identity,
    /// The whole new object.
    New,
    /// The whole old and the whole new object.
    Both,
}

/// The commands to a subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum SubjectCommand {
    Sync { resource: Resource, handlers: usize, read: Read },
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

/// The commands to the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum ServerCommand {
    /// Changes this many pods, as fast as possible or at a rate.
    Update { count: u64, per_second: Option<u64> },
    /// Ends all watches and drops the history, so that they can't continue.
    Expire,
    /// Changes one pod.
    Touch { key: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T>(command: &T, line: &str)
    where
        T: Serialize + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug,
    {
        assert_eq!(serde_json::to_string(command).expect("a command is JSON"), line);
        assert_eq!(&serde_json::from_str::<T>(line).expect("a line is a command"), command);
    }

    #[test]
    fn the_lines_are_those_that_the_peers_read() {
        check(
            &SubjectCommand::Sync { resource: Resource::ConfigMaps, handlers: 10, read: Read::Both },
            r#"{"do":"sync","resource":"configmaps","handlers":10,"read":"both"}"#,
        );
        check(
            &SubjectCommand::LatencyUnderReaders { updates: 5, readers: 200 },
            r#"{"do":"latency_under_readers","updates":5,"readers":200}"#,
        );
        check(&SubjectCommand::Settle, r#"{"do":"settle"}"#);
        check(
            &ServerCommand::Update { count: 3, per_second: None },
            r#"{"do":"update","count":3,"per_second":null}"#,
        );
        check(&ServerCommand::Touch { key: SENTINEL.to_owned() }, r#"{"do":"touch","key":"bench/sentinel"}"#);
    }
}
