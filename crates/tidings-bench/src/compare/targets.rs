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
    /// The bound that must not be missed by more than a factor of two: CI checks it. A target may be more ambitious.
    pub(crate) guard: Bound,
    /// The ratio of the medians. `None` if a value that it needs was not measured.
    pub(crate) measured: Option<f64>,
    /// The ratio of our worst run to the best run of the peer.
    pub(crate) worst: Option<f64>,
}

/// A ratio of two figures.
#[derive(Clone, Copy, Debug, Default)]
struct Ratio {
    median: Option<f64>,
    worst: Option<f64>,
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
    /// The part of the better peer's CPU that a sync may take: one of this many, and one of this many for CI.
    sync_cpu: (f64, f64),
    /// The same for an update of which the identity is read.
    update_cpu: (f64, f64),
}

const WIRES: [Wire; 2] = [
    Wire {
        name: "JSON",
        ours: TIDINGS_JSON,
        client_go: CLIENT_GO_JSON,
        peers: [CLIENT_GO_JSON, KUBE_RS_LIST, KUBE_RS_STREAM],
        sync_cpu: (6.0, 3.0),
        update_cpu: (6.0, 4.0),
    },
    Wire {
        name: "protobuf",
        ours: TIDINGS_PROTOBUF,
        client_go: CLIENT_GO_PROTOBUF,
        peers: [CLIENT_GO_PROTOBUF, KUBE_RS_LIST, KUBE_RS_STREAM],
        sync_cpu: (10.0, 6.0),
        update_cpu: (8.0, 4.0),
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
    targets.push(decoding(figures));
    targets
}

/// Decoding is compared between the wires: protobuf has no names to parse.
fn decoding(figures: &Figures) -> Target {
    let decode = |contestant: &str| figures.median(contestant, "get_decode_ns");
    Target {
        title: "decoding protobuf into k8s-openapi".to_owned(),
        requirement: "at most half of JSON's time".to_owned(),
        bound: Bound::AtMost(0.5),
        guard: Bound::AtMost(1.0),
        measured: ratio(decode(TIDINGS_PROTOBUF), decode(TIDINGS_JSON)),
        worst: None,
    }
}

impl Target {
    pub(crate) fn is_met(&self) -> Option<bool> {
        self.measured.map(|measured| self.bound.holds(measured, 1.0))
    }

    /// Whether the target is missed by more than a factor of two, which noise can't explain.
    pub(crate) fn is_below_half(&self) -> bool {
        self.measured.is_some_and(|measured| !self.guard.holds(measured, 2.0))
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
        let resident = self.ours("resident_bytes");
        let kube_rs = [KUBE_RS_LIST, KUBE_RS_STREAM];
        vec![
            self.part_of_better_peer("CPU to sync", self.wire.sync_cpu, "sync_cpu_s"),
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
                self.to_best_of(&kube_rs, "resident_bytes"),
            ),
            self.target(
                "memory peak in sync",
                "at most 1.3 times the resident memory",
                Bound::AtMost(1.3),
                Ratio::of(ratio(self.ours("sync_peak_bytes"), resident)),
            ),
        ]
    }

    fn updates(&self) -> Vec<Target> {
        let no_worse = |title, figure| {
            let requirement = "no worse than the better peer's";
            self.target(title, requirement, Bound::AtMost(NO_WORSE), self.to_better_peer(figure))
        };
        let whole = |title, guard, figure| {
            let requirement = "at most 0.8 of the better peer's";
            let target = self.target(title, requirement, Bound::AtMost(0.8), self.to_better_peer(figure));
            Target { guard: Bound::AtMost(guard), ..target }
        };
        vec![
            self.part_of_better_peer(
                "CPU per update, identity only",
                self.wire.update_cpu,
                "update_cpu_identity_us",
            ),
            whole("CPU per update, new object read whole", 1.0, "update_cpu_new_us"),
            whole("CPU per update, old and new read whole", 1.3, "update_cpu_both_us"),
            self.rate(),
            no_worse("latency p50 at 2,000/s", "latency_p50_us"),
            no_worse("latency p99 at 2,000/s", "latency_p99_us"),
            no_worse("latency max at 2,000/s", "latency_max_us"),
        ]
    }

    fn rate(&self) -> Target {
        let (figure, ours) = ("updates_per_s", [self.wire.ours]);
        let measured = Ratio {
            median: ratio(self.ours(figure), self.figures.largest(&self.wire.peers, figure)),
            worst: ratio(
                self.figures.least_of_all_runs(&ours, figure),
                self.figures.largest_of_all_runs(&self.wire.peers, figure),
            ),
        };
        let requirement = "at least 6 times the better peer's";
        let target = self.target("updates/s, one handler", requirement, Bound::AtLeast(6.0), measured);
        Target { guard: Bound::AtLeast(3.0), ..target }
    }

    fn reads(&self) -> Vec<Target> {
        // Decoded objects do not depend on the wire, so client-go is measured on one wire only.
        let kept = |title: &str, figure: &str| {
            let measured = self.to_best_of(&[CLIENT_GO_JSON, CLIENT_GO_PROTOBUF], figure);
            self.target(title, "no worse than client-go's", Bound::AtMost(NO_WORSE), measured)
        };
        let get = kept("get of a kept object", "get_kept_ns");
        let get = Target { requirement: "at most client-go's".to_owned(), bound: Bound::AtMost(1.0), ..get };
        let extra = self.ours("get_cold_ns").zip(self.ours("get_decode_ns"));
        let field = "namespace_1000_one_field";
        vec![
            get,
            kept("by index", "by_index_kept_ns"),
            kept("by namespace", "by_namespace_kept_ns"),
            kept("by label", "by_label_kept_ns"),
            self.target(
                "get of an object that is not kept",
                "at most its decode plus 3 us (here: of these 3 us)",
                Bound::AtMost(1.0),
                Ratio::of(extra.map(|(cold, decode)| (cold - decode) / COLD_GET_EXTRA_NS)),
            ),
            kept("one field of 1,000, kept", &format!("{field}_kept_ns")),
            self.target(
                "one field of 1,000, cold, through `field()`",
                "at most 1/4 of whole objects",
                Bound::AtMost(0.25),
                Ratio::of(ratio(
                    self.ours(&format!("{field}_cold_field_ns")),
                    self.ours(&format!("{field}_cold_whole_ns")),
                )),
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
                Ratio::of(peak),
            ),
            self.target(
                &format!("{title}, notifications"),
                "none",
                Bound::AtMost(0.0),
                Ratio::of(self.ours("relist_notifications")),
            ),
        ]
    }

    fn many(&self) -> Target {
        let measured = self.ours("many_bytes").map(|bytes| bytes / MANY_BYTES_MAX);
        let requirement = "at most 40 KiB each, connections aside (here: of these 40 KiB)";
        self.target(
            "1,000 informers of ten small objects",
            requirement,
            Bound::AtMost(1.0),
            Ratio::of(measured),
        )
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
                Ratio::of(sync.map(|ratio| ratio / 10.0)),
            ),
            self.target(
                "growth of an update, 1M to 10k",
                "at most 1.5 times",
                Bound::AtMost(1.5),
                Ratio::of(update),
            ),
        ]
    }

    /// A part of the better peer's figure: one of `parts.0`, and for CI one of `parts.1`.
    fn part_of_better_peer(&self, title: &str, parts: (f64, f64), figure: &str) -> Target {
        let requirement = format!("at most 1/{} of the better peer's", parts.0);
        let bound = Bound::AtMost(1.0 / parts.0);
        let target = self.target(title, &requirement, bound, self.to_better_peer(figure));
        Target { guard: Bound::AtMost(1.0 / parts.1), ..target }
    }

    fn target(&self, title: &str, requirement: &str, bound: Bound, measured: Ratio) -> Target {
        Target {
            title: format!("{title}, {}", self.wire.name),
            requirement: requirement.to_owned(),
            bound,
            guard: bound,
            measured: measured.median,
            worst: measured.worst,
        }
    }

    fn ours(&self, figure: &str) -> Option<f64> {
        self.figures.median(self.wire.ours, figure)
    }

    fn to_better_peer(&self, figure: &str) -> Ratio {
        self.to_best_of(&self.wire.peers, figure)
    }

    fn to_client_go(&self, figure: &str) -> Ratio {
        self.to_best_of(&[self.wire.client_go], figure)
    }

    fn to_best_of(&self, peers: &[&str], figure: &str) -> Ratio {
        Ratio {
            median: ratio(self.ours(figure), self.figures.least(peers, figure)),
            worst: ratio(
                self.figures.largest_of_all_runs(&[self.wire.ours], figure),
                self.figures.least_of_all_runs(peers, figure),
            ),
        }
    }
}

impl Ratio {
    /// A ratio of our own figures, which has no worst case.
    fn of(median: Option<f64>) -> Ratio {
        Ratio { median, worst: None }
    }
}

fn ratio(ours: Option<f64>, theirs: Option<f64>) -> Option<f64> {
    let (ours, theirs) = ours.zip(theirs)?;
    (theirs > 0.0).then(|| ours / theirs)
}

#[cfg(test)]
mod tests;
