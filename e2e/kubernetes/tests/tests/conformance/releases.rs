//! Where older releases answer otherwise than the recorded one. A scenario that stands here must differ: a line that no
//! longer applies fails.

/// A scenario that these releases answer in a way of their own.
struct Known {
    releases: &'static [&'static str],
    scenario: &'static str,
    reason: &'static str,
}

/// Why this release does not answer this scenario as it was recorded, if that is known.
pub(super) fn known_difference(release: &str, scenario: &str) -> Option<&'static str> {
    let known = KNOWN.iter().find(|known| known.scenario == scenario && known.releases.contains(&release));
    known.map(|known| known.reason)
}

const KNOWN: &[Known] = &[
    Known {
        releases: &["1.34"],
        scenario: "deletes: the options of a deletion are read",
        reason: "options that can't be read are a 500",
    },
    Known {
        releases: &["1.34"],
        scenario: "tables: columns of kinds",
        reason: "service accounts have a column of secrets",
    },
    Known {
        releases: &["1.35", "1.34"],
        scenario: "definitions: a definition is served once it is established",
        reason: "a patch of a custom resource's status takes over the managed fields of its labels",
    },
    Known {
        releases: &["1.35", "1.34"],
        scenario: "discovery: groups and versions",
        reason: "the version says which release it is",
    },
    Known {
        releases: &["1.35", "1.34"],
        scenario: "discovery: resources",
        reason: "kinds that are stable or new in the recorded release",
    },
];
