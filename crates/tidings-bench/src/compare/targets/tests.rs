//! Which ratios are computed, and when a target is met.

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
        guard: Bound::AtMost(1.0 / 3.0),
        measured: Some(value),
        worst: None,
    };
    assert_eq!((at(0.33).is_met(), at(0.33).is_below_half()), (Some(true), false));
    assert_eq!((at(0.60).is_met(), at(0.60).is_below_half()), (Some(false), false));
    assert_eq!((at(0.70).is_met(), at(0.70).is_below_half()), (Some(false), true));
}

#[test]
fn more_updates_are_better() {
    let rate = |ours| [(TIDINGS_JSON, "updates_per_s", ours), (CLIENT_GO_JSON, "updates_per_s", 10_000.0)];
    assert_eq!(measured(&rate(60_000.0))[0].is_met(), Some(true));
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

#[test]
fn the_worst_case_compares_our_worst_run_with_the_best_of_the_peers() {
    let targets = measured(&[
        (TIDINGS_JSON, "sync_cpu_s", 1.0),
        (TIDINGS_JSON, "sync_cpu_s", 3.0),
        (CLIENT_GO_JSON, "sync_cpu_s", 12.0),
        (CLIENT_GO_JSON, "sync_cpu_s", 8.0),
    ]);
    assert_eq!((targets[0].measured, targets[0].worst), (Some(2.0 / 10.0), Some(3.0 / 8.0)));
}
