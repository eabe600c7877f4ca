//! The performance targets: each is a bound on a ratio of one run.
//!
//! "The better peer" is the better of the measured peers of the same wire. kube-rs supports JSON only, and counts as a
//! peer on both wires. "No worse" means at most 1.1 times, by medians.

use serde::{Deserialize, Serialize};

use super::contestant::{
    CLIENT_GO_JSON, CLIENT_GO_PROTOBUF, KUBE_RS_LIST, KUBE_RS_STREAM, TIDINGS_JSON, TIDINGS_PROTOBUF,
};
use super::figures::Figures;

/// The factor of "no worse".
const NO_WORSE: f64 = 1.1;

/// How many nanoseconds a get of an object that is not decoded may take in addition to decoding.
const COLD_GET_EXTRA_NS: f64 = 3_000.0;

/// The memory limit of each of many informers.
const MANY_BYTES_MAX: f64 = 40.0 * 1024.0;

/// The tolerance for "linear", from a hundred thousand objects to a million.
const LINEAR: f64 = 1.25;

/// A target and the measured ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) title: String,
    /// The requirement in words.
    pub(crate) requirement: String,
    pub(crate) bound: Bound,
    /// `None` if a value that it needs was not measured.
    pub(crate) measured: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

/// The contestants of one wire.
struct Wire {
    name: &'static str,
    ours: &'static str,
    client_go: &'static str,
    peers: [&'static str; 3],
    /// The fraction of the better peer's CPU that a sync may take.
    sync_cpu: (f64, &'static str),
}

const WIRES: [Wire; 2] = [
    Wire {
        name: "JSON",
        ours: TIDINGS_JSON,
        client_go: CLIENT_GO_JSON,
        peers: [CLIENT_GO_JSON, KUBE_RS_LIST, KUBE_RS_STREAM],
        sync_cpu: (1.0 / 3.0, "at most 1/3 of the better peer's"),
    },
    Wire {
        name: "protobuf",
        ours: TIDINGS_PROTOBUF,
        client_go: CLIENT_GO_PROTOBUF,
        peers: [CLIENT_GO_PROTOBUF, KUBE_RS_LIST, KUBE_RS_STREAM],
        sync_cpu: (1.0 / 6.0, "at most 1/6 of the better peer's"),
    },
];

/// All targets, measured or not.
pub(crate) fn targets(figures: &Figures) -> Vec<Target> {
    let mut targets = Vec::new();
    for wire in &WIRES {
        let over = WireTargets { figures, wire };
        targets.extend(over.sync());
        targets.extend(over.updates());
        targets.extend(over.reads());
        targets.extend(over.relist());
        targets.push(over.many());
        targets.extend(over.growth());
    }
    targets
}

impl Target {
    pub(crate) fn is_met(&self) -> Option<bool> {
        self.measured.map(|measured| self.bound.holds(measured, 1.0))
    }

    /// Whether the target is missed by more than a factor of two, which noise can't explain.
    pub(crate) fn is_below_half(&self) -> bool {
        self.measured.is_some_and(|measured| !self.bound.holds(measured, 2.0))
    }
}

impl Bound {
    /// Whether the value is within the bound, with this factor as tolerance.
    fn holds(self, value: f64, slack: f64) -> bool {
        match self {
            Bound::AtMost(limit) => value <= limit * slack,
            Bound::AtLeast(limit) => value >= limit / slack,
        }
    }
}

struct WireTargets<'a> {
    figures: &'a Figures,
    wire: &'a Wire,
}

impl WireTargets<'_> {
    fn sync(&self) -> Vec<Target> {
        let (limit, requirement) = self.wire.sync_cpu;
        let resident = self.ours("resident_bytes");
        vec![
            self.target("CPU to sync", requirement, Bound::AtMost(limit), self.to_better_peer("sync_cpu_s")),
            self.target(
                "resident memory after sync",
                "at most 1/12 of client-go's",
                Bound::AtMost(1.0 / 12.0),
                self.to_client_go("resident_bytes"),
            ),
            self.target(
                "resident memory after sync",
                "at most 1/30 of kube-rs's",
                Bound::AtMost(1.0 / 30.0),
                ratio(resident, self.figures.least(&[KUBE_RS_LIST, KUBE_RS_STREAM], "resident_bytes")),
            ),
            self.target(
                "memory peak in sync",
                "at most 1.3 times the resident memory",
                Bound::AtMost(1.3),
                ratio(self.ours("sync_peak_bytes"), resident),
            ),
        ]
    }

    fn updates(&self) -> Vec<Target> {
        let cpu = |title, requirement, limit, figure| {
            self.target(title, requirement, Bound::AtMost(limit), self.to_better_peer(figure))
        };
        let no_worse = "no worse than the better peer's";
        let fastest = self.figures.largest(&self.wire.peers, "updates_per_s");
        vec![
            cpu(
                "CPU per update, identity only",
                "at most 1/4 of the better peer's",
                0.25,
                "update_cpu_identity_us",
            ),
            cpu(
                "CPU per update, new object read whole",
                "at most the better peer's",
                1.0,
                "update_cpu_new_us",
            ),
            cpu(
                "CPU per update, old and new read whole",
                "at most 1.3 times the better peer's",
                1.3,
                "update_cpu_both_us",
            ),
            self.target(
                "updates/s, one handler",
                "at least 3 times the better peer's",
                Bound::AtLeast(3.0),
                ratio(self.ours("updates_per_s"), fastest),
            ),
            cpu("latency p50 at 2,000/s", no_worse, NO_WORSE, "latency_p50_us"),
            cpu("latency p99 at 2,000/s", no_worse, NO_WORSE, "latency_p99_us"),
        ]
    }

    fn reads(&self) -> Vec<Target> {
        // Decoded objects do not depend on the wire, so client-go is measured on one wire only.
        let kept = |title: &str, figure: &str| {
            let theirs = self.figures.least(&[CLIENT_GO_JSON, CLIENT_GO_PROTOBUF], figure);
            let measured = ratio(self.ours(figure), theirs);
            self.target(title, "no worse than client-go's", Bound::AtMost(NO_WORSE), measured)
        };
        let extra = self.ours("get_cold_ns").zip(self.ours("get_decode_ns"));
        let field = "namespace_1000_one_field";
        vec![
            kept("get of a kept object", "get_kept_ns"),
            kept("by index", "by_index_kept_ns"),
            kept("by namespace", "by_namespace_kept_ns"),
            kept("by label", "by_label_kept_ns"),
            self.target(
                "get of an object that is not kept",
                "at most its decode plus 3 us (here: of these 3 us)",
                Bound::AtMost(1.0),
                extra.map(|(cold, decode)| (cold - decode) / COLD_GET_EXTRA_NS),
            ),
            kept("one field of 1,000, kept", &format!("{field}_kept_ns")),
            self.target(
                "one field of 1,000, cold, through `field()`",
                "at most 1/4 of whole objects",
                Bound::AtMost(0.25),
                ratio(
                    self.ours(&format!("{field}_cold_field_ns")),
                    self.ours(&format!("{field}_cold_whole_ns")),
                ),
            ),
        ]
    }

    fn relist(&self) -> Vec<Target> {
        let title = "relist of unchanged objects";
        let peak = ratio(self.ours("relist_peak_bytes"), self.ours("resident_bytes"));
        vec![
            self.target(
                &format!("{title}, CPU"),
                "at most 1/5 of client-go's",
                Bound::AtMost(0.2),
                self.to_client_go("relist_cpu_s"),
            ),
            self.target(
                &format!("{title}, memory peak"),
                "at most 1.3 times the resident memory",
                Bound::AtMost(1.3),
                peak,
            ),
            self.target(
                &format!("{title}, notifications"),
                "none",
                Bound::AtMost(0.0),
                self.ours("relist_notifications"),
            ),
        ]
    }

    fn many(&self) -> Target {
        let measured = self.ours("many_bytes").map(|bytes| bytes / MANY_BYTES_MAX);
        let requirement = "at most 40 KiB each, connections aside (here: of these 40 KiB)";
        self.target("1,000 informers of ten small objects", requirement, Bound::AtMost(1.0), measured)
    }

    fn growth(&self) -> Vec<Target> {
        let sync = ratio(self.ours("growth_sync_cpu_1000000_s"), self.ours("growth_sync_cpu_100000_s"));
        let update =
            ratio(self.ours("growth_update_cpu_1000000_us"), self.ours("growth_update_cpu_10000_us"));
        vec![
            self.target(
                "growth of a sync, 1M to 100k",
                "linear: an object costs at most 1.25 times as much",
                Bound::AtMost(LINEAR),
                sync.map(|ratio| ratio / 10.0),
            ),
            self.target("growth of an update, 1M to 10k", "at most 1.5 times", Bound::AtMost(1.5), update),
        ]
    }

    fn target(&self, title: &str, requirement: &str, bound: Bound, measured: Option<f64>) -> Target {
        Target {
            title: format!("{title}, {}", self.wire.name),
            requirement: requirement.to_owned(),
            bound,
            measured,
        }
    }

    fn ours(&self, figure: &str) -> Option<f64> {
        self.figures.median(self.wire.ours, figure)
    }

    fn to_better_peer(&self, figure: &str) -> Option<f64> {
        ratio(self.ours(figure), self.figures.least(&self.wire.peers, figure))
    }

    fn to_client_go(&self, figure: &str) -> Option<f64> {
        ratio(self.ours(figure), self.figures.median(self.wire.client_go, figure))
    }
}

fn ratio(ours: Option<f64>, theirs: Option<f64>) -> Option<f64> {
    let (ours, theirs) = ours.zip(theirs)?;
    (theirs > 0.0).then(|| ours / theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(rows: &[(&str, &str, f64)]) -> Vec<Target> {
        let mut figures = Figures::default();
        for (contestant, figure, value) in rows {
            figures.take(contestant, figure, *value);
        }
        targets(&figures).into_iter().filter(|target| target.measured.is_some()).collect()
    }

    #[test]
    fn a_sync_is_compared_with_the_better_peer() {
        let rows = [
            (TIDINGS_JSON, "sync_cpu_s", 3.0),
            (CLIENT_GO_JSON, "sync_cpu_s", 12.0),
            (KUBE_RS_STREAM, "sync_cpu_s", 8.0),
        ];
        let targets = measured(&rows);
        assert_eq!(targets.len(), 1);
        assert_eq!((targets[0].measured, targets[0].is_met()), (Some(3.0 / 8.0), Some(false)));
        assert!(!targets[0].is_below_half());
    }

    #[test]
    fn twice_the_bar_is_below_half_of_it() {
        let at = |value| Target {
            title: String::new(),
            requirement: String::new(),
            bound: Bound::AtMost(1.0 / 3.0),
            measured: Some(value),
        };
        assert_eq!((at(0.33).is_met(), at(0.33).is_below_half()), (Some(true), false));
        assert_eq!((at(0.60).is_met(), at(0.60).is_below_half()), (Some(false), false));
        assert_eq!((at(0.70).is_met(), at(0.70).is_below_half()), (Some(false), true));
    }

    #[test]
    fn more_updates_are_better() {
        let rate =
            |ours| [(TIDINGS_JSON, "updates_per_s", ours), (CLIENT_GO_JSON, "updates_per_s", 10_000.0)];
        assert_eq!(measured(&rate(30_000.0))[0].is_met(), Some(true));
        assert_eq!(measured(&rate(20_000.0))[0].is_met(), Some(false));
        assert!(!measured(&rate(20_000.0))[0].is_below_half());
        assert!(measured(&rate(14_000.0))[0].is_below_half());
    }

    #[test]
    fn a_single_notification_of_a_relist_is_one_too_many() {
        let notified = |count| measured(&[(TIDINGS_JSON, "relist_notifications", count)]);
        assert_eq!((notified(0.0)[0].is_met(), notified(0.0)[0].is_below_half()), (Some(true), false));
        assert_eq!((notified(1.0)[0].is_met(), notified(1.0)[0].is_below_half()), (Some(false), true));
    }

    #[test]
    fn a_cold_get_may_take_three_microseconds_more_than_decoding() {
        let targets =
            measured(&[(TIDINGS_JSON, "get_cold_ns", 43_000.0), (TIDINGS_JSON, "get_decode_ns", 41_500.0)]);
        assert_eq!((targets[0].measured, targets[0].is_met()), (Some(0.5), Some(true)));
    }

    #[test]
    fn what_was_not_measured_is_neither_met_nor_missed() {
        let all = targets(&Figures::default());
        assert!(all.iter().all(|target| target.is_met().is_none() && !target.is_below_half()));
        assert!(all.len() > 40, "only {} targets", all.len());
    }
}
