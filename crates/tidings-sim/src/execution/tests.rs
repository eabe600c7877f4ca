//! Tests of single executions: which faults a plan gives, and that a plan repeats.

mod repeats;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::Api;
use kube_client::api::PostParams;
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Request};

use super::*;
use crate::explore::Exploration;

/// Gives each config map a secret. Two workers, so that they race.
async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    if context.get::<ConfigMap>(&request).await?.is_some() && context.get::<Secret>(&request).await?.is_none()
    {
        let secret: Secret = from_value(json!({ "metadata": { "name": request.name() } }))?;
        context.api::<Secret>().create(&secret).await?;
    }
    Ok(Action::await_change())
}

fn sim() -> Sim {
    let mut sim = Sim::new();
    sim.without(Rule::NoLeftovers, "not part of this test");
    sim.controller(|_| {
        Controller::for_kind::<ConfigMap>("copier").reads::<Secret>().workers(2).reconcile(reconcile)
    });
    sim.scenario(|client| async move {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        for name in ["a", "b", "c"] {
            let map =
                from_value(json!({ "metadata": { "name": name }, "data": { "x": "1" } })).expect("a map");
            maps.create(&PostParams::default(), &map).await?;
        }
        Ok::<_, kube_client::Error>(())
    });
    sim
}

// holds: Y3
#[test]
fn every_write_of_the_undisturbed_execution_is_a_crash_point_before_and_after_it() {
    let undisturbed = execute(sim(), Plan::default(), 1_000, Arc::default());
    let exploration = Exploration::of(&undisturbed, &BTreeMap::new(), 0);
    let writes = undisturbed.writes["copier"].len();
    assert_eq!(writes, 3);
    let plans: Vec<String> = exploration.singles.iter().map(Plan::to_string).collect();
    for write in 1..=writes {
        for fault in ["crash-before", "crash-after", "lost", "timed-out", "down"] {
            let plan = format!("{fault}:copier:{write}");
            assert_eq!(plans.iter().filter(|other| **other == plan).count(), 1, "{plan}");
        }
    }
    // Each crash happens: the process starts a second time.
    for plan in exploration.singles.iter().filter(|plan| plan.to_string().starts_with("crash")) {
        let outcome = execute(sim(), plan.clone(), 1_000, Arc::default());
        assert_eq!((outcome.injected, outcome.violation), (1, None), "{plan}");
        assert!(outcome.timeline.iter().any(|line| line.contains("starts again")), "{plan}");
    }
    assert_eq!(exploration.pairs.len(), writes * (writes - 1) / 2);
}

// holds: Y3
#[test]
fn a_process_sees_the_effect_of_a_write_that_times_out_before_it_sees_the_error() {
    let plan = "timed-out:copier:1,steps:1".parse().expect("it is a plan");
    let outcome = execute(sim(), plan, 1_000, Arc::default());
    assert_eq!((outcome.injected, outcome.violation), (1, None));
    let at = |text: &str| {
        let line = outcome.timeline.iter().position(|line| line.contains(text));
        let line = line.unwrap_or_else(|| panic!("no {text:?} in {:#?}", outcome.timeline));
        let seconds = outcome.timeline[line].split_whitespace().next().expect("a time");
        (line, seconds.parse::<f64>().expect("seconds"))
    };
    let (applied, seen, failed) =
        (at("write 1: create"), at("sees: secrets default/a added"), at("times out"));
    assert!(applied.0 < seen.0 && seen.0 < failed.0, "{:#?}", outcome.timeline);
    assert!((failed.1 - applied.1 - 30.0).abs() < 0.1, "{:#?}", outcome.timeline);
}

// holds: Y1, Y4
#[test]
fn the_same_plan_gives_the_same_timeline_byte_for_byte() {
    let plans = [
        "none",
        "crash-after:copier:2,order:7",
        "hurry:2,hurry:3,order:3",
        "stale:copier:secrets:1:20,lost:copier:2",
        "timed-out:copier:1,timed-out:copier:3",
        "rewind:copier:2:8,skip:copier:configmaps:2",
        "two-leaders:copier:1,recreate:2,edit:1:/data/x",
    ];
    for text in plans {
        let plan: Plan = text.parse().expect("it is a plan");
        assert_eq!(plan.to_string(), text);
        let run = || execute(sim(), text.parse().expect("it is a plan"), 1_000, Arc::default());
        let (one, other) = (run(), run());
        assert!(one.timeline.len() > 15, "{text}");
        assert_eq!(one.timeline.join("\n"), other.timeline.join("\n"), "{text}");
        assert_eq!(one.state, other.state, "{text}");
    }
}
