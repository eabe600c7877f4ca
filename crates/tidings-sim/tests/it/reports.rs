//! What a user reads: the report of a failure, its replay, and the rules of the user.

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::PostParams;
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Request};
use tidings_sim::{FaultGroup, Rule, ServerState, Sim, explore};

/// Makes a copy of each config map `original`, and counts in the copy how often it was made.
async fn copies(request: Request, context: Context) -> Result<Action, Error> {
    if context.get::<ConfigMap>(&request).await?.is_some_and(|map| map.data.is_some()) {
        let copy: ConfigMap = from_value(json!({ "metadata": { "generateName": "copy-" } }))?;
        context.api::<ConfigMap>().create(&copy).await?;
        let mut original = ConfigMap::clone(&*context.get::<ConfigMap>(&request).await?.ok_or("it is gone")?);
        original.data = None;
        context.api::<ConfigMap>().replace(&original).await?;
    }
    Ok(Action::await_change())
}

fn copier(sim: &mut Sim) {
    sim.controller(|_| Controller::for_kind::<ConfigMap>("copier").reconcile(copies));
    sim.without(Rule::NoLeftovers, "copies stay");
    sim.scenario(|client| async move {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        for name in ["one", "two"] {
            let map = from_value(json!({ "metadata": { "name": name }, "data": { "a": "1" } }))
                .expect("a config map");
            maps.create(&PostParams::default(), &map).await?;
        }
        Ok::<_, kube_client::Error>(())
    });
}

// holds: Y4, Y5
#[test]
fn a_failure_is_shrunk_and_names_rule_fault_timeline_and_replay() {
    let failure = explore(copier).expect_err("a crash between the two writes makes two copies");
    assert_eq!(failure.rule(), "no-duplicates");
    assert_eq!(failure.replay(), Some("crash-after:copier:1,steps:1"));
    let text = failure.to_string();
    for expected in [
        "fault: copier crashes after its write 1 was applied",
        "step 1: create configmaps default/one -> version",
        "write 1: create configmaps default/copy-",
        "✗ crashes after write 1",
        "starts again, with empty caches",
        "SIM_REPLAY='crash-after:copier:1,steps:1' cargo test reports::a_failure_is_shrunk",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
    assert!(!text.contains("default/two"), "the second step is not needed:\n{text}");
}

// holds: Y2
#[test]
fn two_explorations_find_the_same_failure_byte_for_byte() {
    let find = || explore(copier).expect_err("it is faulty").timeline().join("\n");
    assert_eq!(find(), find());
}

// holds: Y5, Y6
#[test]
fn a_difference_of_the_final_states_is_shown() {
    let failure = explore(|sim| {
        copier(sim);
        sim.without(Rule::NoDuplicates, "another rule is tested");
    });
    let failure = failure.expect_err("it is faulty");
    assert_eq!(failure.rule(), "same-final-state");
    assert_eq!(failure.differences(), ["configmaps default/copy-*: exists undisturbed, 2 exist disturbed"]);
}

// holds: Y7
#[test]
fn rules_of_the_user_may_assert_or_return() {
    let of = |rule: fn(&ServerState)| {
        let failure = explore(move |sim| {
            copier(sim);
            sim.always("my rule", rule);
        });
        let failure = failure.expect_err("the rule is broken");
        (failure.rule().to_owned(), failure.message().to_owned())
    };
    let (name, message) = of(|state| assert!(state.list::<ConfigMap>().len() < 2, "too many"));
    assert_eq!(name, "my rule");
    assert!(message.starts_with("too many"), "{message}");
    let failure = explore(|sim| {
        copier(sim);
        sim.finally("none is left", |state| state.objects("configmaps").is_empty());
    });
    assert_eq!(failure.expect_err("it is broken").rule(), "none is left");
}

// holds: Y7
#[test]
fn what_is_switched_off_stands_in_the_report_with_its_reason() {
    let report = explore(|sim| {
        copier(sim);
        for rule in [Rule::NoDuplicates, Rule::SameFinalState] {
            sim.without(rule, "copies may be made twice");
        }
        sim.skip(FaultGroup::TwoLeaders, "there is one replica");
        sim.executions(20);
    });
    let text = report.expect("nothing else is broken").to_string();
    assert!(text.contains("not checked: no-duplicates (copies may be made twice)"), "{text}");
    assert!(text.contains("not explored: two leaders (there is one replica)"), "{text}");
    assert!(text.contains("22 executions in"), "{text}");
}
