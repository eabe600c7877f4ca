//! How many pods a rollout may add and must keep. Numbers only: no object, no request.

use k8s_openapi::api::apps::v1::RollingUpdateDeployment;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// The limits of a rolling update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// How many pods more than wanted may exist.
    pub(super) surge: i64,
    /// How many pods fewer than wanted may be available.
    pub(super) unavailable: i64,
}

impl Limits {
    /// Resolves `maxSurge` and `maxUnavailable`, which are 25 % if not set: a share of the surge is rounded up, one of
    /// the unavailable pods down. If both are 0, one pod may be unavailable, because nothing could move otherwise.
    pub(super) fn of(update: Option<&RollingUpdateDeployment>, replicas: i64) -> Self {
        let quarter = IntOrString::String("25%".to_owned());
        let read = |value: Option<&IntOrString>| value.cloned().unwrap_or_else(|| quarter.clone());
        let surge = share(&read(update.and_then(|update| update.max_surge.as_ref())), replicas, Rounding::Up);
        let unavailable = read(update.and_then(|update| update.max_unavailable.as_ref()));
        let unavailable = share(&unavailable, replicas, Rounding::Down).min(replicas);
        let is_stuck = surge == 0 && unavailable == 0;
        Limits { surge, unavailable: if is_stuck { 1 } else { unavailable } }
    }

    /// No limits: all old pods are deleted before a new one is created.
    pub(super) fn none() -> Self {
        Limits { surge: 0, unavailable: 0 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    Up,
    Down,
}

/// A number, or a percentage of `whole`. A text that is not a percentage counts as 0.
pub(crate) fn share(value: &IntOrString, whole: i64, rounding: Rounding) -> i64 {
    match value {
        IntOrString::Int(number) => i64::from(*number).max(0),
        IntOrString::String(text) => {
            let percent: i64 = text.strip_suffix('%').and_then(|text| text.parse().ok()).unwrap_or(0);
            let hundredths = percent.max(0).saturating_mul(whole);
            if rounding == Rounding::Up { (hundredths + 99) / 100 } else { hundredths / 100 }
        }
    }
}

/// The part of `to_add` pods that one ReplicaSet gets when a Deployment is scaled in the middle of a rollout: as much
/// as keeps its share of all pods. `to_add` is negative when the Deployment shrinks.
///
/// Example: 10 pods as 8 old and 2 new, scaled to 20 with a surge of 5 (`before` 15, `after` 25): the old ReplicaSet
/// gets round(8 * 25 / 15) - 8 = 5 more, the new one round(2 * 25 / 15) - 2 = 1.
pub(super) fn proportion(size: i64, before: i64, after: i64, to_add: i64, added: i64) -> i64 {
    if size == 0 || to_add == 0 || to_add == added || before <= 0 {
        return 0;
    }
    // Rounded to the nearest integer, halves up.
    let ideal = (2 * size * after + before) / (2 * before) - size;
    let allowed = to_add - added;
    if to_add > 0 { ideal.min(allowed) } else { ideal.max(allowed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(surge: &str, unavailable: &str, replicas: i64) -> (i64, i64) {
        let value = |text: &str| match text.parse() {
            Ok(number) => IntOrString::Int(number),
            Err(_) => IntOrString::String(text.to_owned()),
        };
        let update = RollingUpdateDeployment {
            max_surge: Some(value(surge)),
            max_unavailable: Some(value(unavailable)),
        };
        let limits = Limits::of(Some(&update), replicas);
        (limits.surge, limits.unavailable)
    }

    #[test]
    fn percentages_round_in_favour_of_availability_and_never_stop_a_rollout() {
        assert_eq!(limits("25%", "25%", 10), (3, 2));
        assert_eq!(limits("25%", "25%", 3), (1, 0));
        assert_eq!(limits("0", "0", 3), (0, 1));
        assert_eq!(limits("0%", "10%", 3), (0, 1));
        assert_eq!(limits("2", "9", 5), (2, 5));
        assert_eq!(Limits::of(None, 4), Limits { surge: 1, unavailable: 1 });
    }

    #[test]
    fn a_scaled_rollout_keeps_the_proportions_of_its_sets() {
        assert_eq!(proportion(8, 15, 25, 10, 0), 5);
        assert_eq!(proportion(2, 15, 25, 10, 5), 1);
        assert_eq!(proportion(8, 25, 15, -10, 0), -3);
        assert_eq!(proportion(8, 15, 25, 3, 0), 3, "not more than is left to add");
        assert_eq!(proportion(0, 15, 25, 3, 0), 0);
    }
}
