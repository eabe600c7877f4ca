//! The scenarios in which older releases differ from the recorded one. A listed scenario must differ: an entry that no longer
//! applies fails.

/// Whether the areas that need these feature gates are compared with this release. A server does not start with a gate
/// that it does not know. 1.36 knows this one, but the responses have been compared with 1.37 only.
pub(super) fn has_gates(release: &str, gates: &[String]) -> bool {
    gates.iter().all(|gate| gate == "ShardedListAndWatch" && release == "1.37")
}

/// A scenario in which these releases differ.
struct Known {
    releases: &'static [&'static str],
    scenario: &'static str,
    reason: &'static str,
}

/// Why this release differs in this scenario, if it is listed.
pub(super) fn known_difference(release: &str, scenario: &str) -> Option<&'static str> {
    let known = KNOWN.iter().find(|known| known.scenario == scenario && known.releases.contains(&release));
    known.map(|known| known.reason)
}

const KNOWN: &[Known] = &[
    Known {
        releases: &["1.34"],
        scenario: "deletes: the options of a deletion are parsed",
        reason: "malformed options are a 500",
    },
    Known {
        releases: &["1.36", "1.35", "1.34"],
        scenario: "tables: columns of kinds",
        reason: "definitions have only name and time; in 1.34 service accounts have a column of secrets",
    },
    Known {
        releases: &["1.36", "1.35", "1.34"],
        scenario: "defaults: defaults of workloads",
        reason: "a StatefulSet has no default of maxUnavailable",
    },
    Known {
        releases: &["1.36", "1.35", "1.34"],
        scenario: "writes: names and metadata are validated",
        reason: "an owner without a name is an invalid value, and the cause does not have its index",
    },
    Known {
        releases: &["1.35", "1.34"],
        scenario: "definitions: a definition is served once it is established",
        reason: "a patch of a custom resource's status takes over the managed fields of its labels",
    },
    Known {
        releases: &["1.36", "1.35", "1.34"],
        scenario: "discovery: groups and versions",
        reason: "the version document has the release",
    },
    Known {
        releases: &["1.36", "1.35", "1.34"],
        scenario: "discovery: resources",
        reason: "kinds that are stable or new in the recorded release",
    },
];
