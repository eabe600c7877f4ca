//! The stand-ins of `tidings-cluster` as processes of a simulation: their writes and events are delayed, and they crash,
//! like the controller under test.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Request, set_controller};
use tidings_cluster::{Clock, Cluster, Deployments};
use tidings_sim::{Rule, ServerState, Sim, explore};

use crate::gallery::Variant;
use crate::gallery::site::{Site, ensure_map, new_colour, owned_map};

/// One clock for all incarnations of an execution: time does not go back when a process restarts.
fn deployments(sim: &mut Sim) {
    let reason =
        "as in Kubernetes, the history of a Deployment contains the templates that its controller has seen";
    sim.without(Rule::SameFinalState, reason);
    let clock = Arc::new(OnceLock::new());
    sim.process("deployments", move |factory| {
        let start = || Clock::starting_at("2026-01-01T00:00:00Z".parse().expect("a time"));
        let clock: &Clock = clock.get_or_init(start);
        Cluster::new().with(Deployments).clock(clock.clone()).manager(factory)
    });
}

fn deployment(site: &Site) -> Deployment {
    let labels = json!({ "site": "shop" });
    let template = json!({
        "metadata": { "labels": { "site": "shop", "colour": site.spec.colour } },
        "spec": { "containers": [{ "name": "web", "image": "web" }] },
    });
    let mut deployment: Deployment = from_value(json!({
        "metadata": { "name": "web", "namespace": "default" },
        "spec": { "replicas": 0, "selector": { "matchLabels": labels }, "template": template },
    }))
    .expect("it is a deployment");
    set_controller(&mut deployment, site).expect("the site has a uid");
    deployment
}

/// The colour in the template of a Deployment.
fn colour(deployment: &Deployment) -> Option<&str> {
    let labels = deployment.spec.template.metadata.as_ref()?.labels.as_ref()?;
    labels.get("colour").map(String::as_str)
}

/// Whether the deployment controller has seen the newest spec.
fn is_observed(deployment: &Deployment) -> bool {
    let status = deployment.status.as_ref();
    status.and_then(|status| status.observed_generation) == deployment.metadata.generation
}

/// Announces the colour of a site when its Deployment has been processed. The faulty variant trusts any status, also one
/// of an older generation.
async fn announces(variant: Variant, request: Request, context: Context) -> Result<Action, Error> {
    let Some(site) = context.get::<Site>(&request).await? else { return Ok(Action::await_change()) };
    let found = context.get::<Deployment>(&site.key("web")).await?;
    let Some(found) = found.filter(|found| colour(found) == Some(&site.spec.colour)) else {
        context.api::<Deployment>().apply("site", &deployment(&site)).await?;
        return Ok(Action::await_change());
    };
    let is_processed = match variant {
        Variant::Faulty => found.status.as_ref().is_some_and(|status| status.observed_generation.is_some()),
        Variant::Correct => is_observed(&found),
    };
    if is_processed {
        ensure_map(&context, &owned_map(&site, "announced", json!({ "colour": site.spec.colour }))).await?;
    }
    Ok(Action::await_change())
}

fn setup(variant: Variant, sim: &mut Sim) {
    new_colour(sim);
    deployments(sim);
    sim.controller(move |_| {
        let builder = Controller::for_kind::<Site>("site").owns::<Deployment>().owns::<ConfigMap>();
        // Undisturbed, the deployment controller has done its work when this one looks.
        let builder = builder.debounce(Duration::from_millis(100));
        builder.reconcile(move |request, context| announces(variant, request, context))
    });
    let mut last = None;
    sim.always(
        "a colour is announced after the Deployment has been processed",
        move |state: &ServerState| {
            let announced = state.get::<ConfigMap>("default", "announced").and_then(|map| map.data);
            let announced = announced.and_then(|data| data.get("colour").cloned());
            if std::mem::replace(&mut last, announced.clone()) == announced {
                return true;
            }
            let deployment = state.get::<Deployment>("default", "web");
            announced.is_none() || deployment.is_some_and(|deployment| is_observed(&deployment))
        },
    );
}

// holds: Y9
#[test]
fn a_controller_that_trusts_an_old_status_is_found_because_the_deployment_controller_is_late() {
    let failure = explore(|sim| setup(Variant::Faulty, sim)).expect_err("it trusts an old status");
    println!("{failure}");
    assert_eq!(failure.rule(), "a colour is announced after the Deployment has been processed");
    let replay = failure.replay().expect("a fault was injected");
    assert!(replay.contains(":deployments:"), "the fault is one of the stand-in: {replay}");
}

// holds: Y9
#[test]
fn a_correct_controller_reaches_its_goal_while_stand_ins_crash_and_lag() {
    let report = explore(|sim| {
        setup(Variant::Correct, sim);
        sim.finally("the last colour is announced", |state| {
            let announced = state.get::<ConfigMap>("default", "announced").and_then(|map| map.data);
            announced.is_some_and(|data| data["colour"] == "blue")
        });
        sim.random_executions(20);
    });
    let report = report.unwrap_or_else(|failure| panic!("{failure}"));
    println!("{report}");
    assert!(report.repeats, "two undisturbed executions differ");
    assert_eq!(report.explored_singles, report.singles);
}
