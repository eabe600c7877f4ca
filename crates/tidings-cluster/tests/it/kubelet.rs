//! The kubelet: pods run, become ready, end, restart and stop as their scripts say.

use serde_json::{Value, json};
use tidings_cluster::{Cluster, Kubelet, Script};

use crate::world::{PODS, World, condition, is_true, run, s};

fn pod(name: &str, script: &str, policy: &str) -> Value {
    json!({
        "metadata": { "name": name, "annotations": { "tidings.dev/kubelet": script }, "labels": { "app": name } },
        "spec": {
            "nodeName": "node-1",
            "restartPolicy": policy,
            "containers": [{ "name": "main", "image": "i" }, { "name": "side", "image": "j" }],
        },
    })
}

/// Phase, readiness and restarts.
fn state(world: &World, name: &str) -> (String, bool, i64) {
    let pod = world.object("pods", name).unwrap();
    let status = &pod["status"];
    (
        status["phase"].as_str().unwrap().to_owned(),
        is_true(&pod, "Ready"),
        status["containerStatuses"][0]["restartCount"].as_i64().unwrap_or(0),
    )
}

fn is(phase: &str, ready: bool, restarts: i64) -> (String, bool, i64) {
    (phase.to_owned(), ready, restarts)
}

#[tokio::test(start_paused = true)]
async fn pods_follow_their_scripts() {
    run(Cluster::new().with(Kubelet::new()), async |world| {
        for (name, script, policy) in [
            ("plain", "", "Always"),
            ("slow", "start-after=2s,ready-after=3s", "Always"),
            ("stuck", "never-start", "Always"),
            ("job", "exit-after=4s", "Never"),
            ("broken", "exit-after=4s,exit-code=7", "Never"),
            ("crashing", "exit-after=4s,exit-code=7", "Always"),
        ] {
            world.create(PODS, pod(name, script, policy)).await;
        }
        world.pass(s(1)).await;
        assert_eq!(state(world, "plain"), is("Running", true, 0));
        assert_eq!(state(world, "slow"), is("Pending", false, 0));
        world.pass(s(2)).await;
        assert_eq!(state(world, "slow"), is("Running", false, 0));
        world.pass(s(3)).await;
        assert_eq!(state(world, "slow"), is("Running", true, 0));
        assert_eq!(state(world, "job"), is("Succeeded", false, 0));
        assert_eq!(state(world, "broken"), is("Failed", false, 0));
        assert_eq!(state(world, "crashing"), is("Running", true, 1));
        world.pass(s(5)).await;
        let crashing = world.object("pods", "crashing").unwrap();
        let container = &crashing["status"]["containerStatuses"][1];
        assert_eq!(container["state"]["waiting"]["reason"], "CrashLoopBackOff");
        assert_eq!(container["lastState"]["terminated"]["exitCode"], 7);
        world.pass(s(600)).await;
        assert_eq!(state(world, "stuck"), is("Pending", false, 0));
        let stuck = world.object("pods", "stuck").unwrap();
        assert_eq!(
            stuck["status"]["containerStatuses"][0]["state"]["waiting"]["reason"],
            "ContainerCreating"
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn selectors_choose_scripts_and_readiness_gates_count() {
    let kubelet = Kubelet::new().pods("app=late".parse().unwrap(), Script::new().ready_after(s(30)));
    run(Cluster::new().with(kubelet), async |world| {
        let mut late = pod("late", "", "Always");
        late["metadata"]["annotations"] = json!({});
        late["spec"]["readinessGates"] = json!([{ "conditionType": "example.com/open" }]);
        world.create(PODS, late).await;
        world.pass(s(20)).await;
        assert_eq!(state(world, "late"), is("Running", false, 0));
        world.pass(s(20)).await;
        let late = world.object("pods", "late").unwrap();
        assert!(is_true(&late, "ContainersReady") && !is_true(&late, "Ready"));
        let mut conditions = late["status"]["conditions"].as_array().unwrap().clone();
        conditions.push(json!({ "type": "example.com/open", "status": "True" }));
        world.patch(&format!("{PODS}/late/status"), json!({ "status": { "conditions": conditions } })).await;
        world.until("it is ready", |world| state(world, "late") == is("Running", true, 0)).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_deleted_pod_stops_as_its_script_says_and_at_the_latest_when_its_grace_period_ends() {
    run(Cluster::new().with(Kubelet::new()), async |world| {
        for (name, script) in [("quick", ""), ("slow", "stop-after=5s"), ("deaf", "never-stop")] {
            world.create(PODS, pod(name, script, "Always")).await;
        }
        world.pass(s(1)).await;
        for name in ["quick", "slow", "deaf"] {
            world.delete(&format!("{PODS}/{name}"), json!({ "gracePeriodSeconds": 20 })).await;
        }
        world.pass(s(1)).await;
        assert_eq!(world.names("pods"), ["deaf", "slow"]);
        world.pass(s(5)).await;
        assert_eq!(world.names("pods"), ["deaf"]);
        assert_eq!(state(world, "deaf"), is("Running", true, 0));
        world.pass(s(15)).await;
        assert_eq!(world.names("pods"), [""; 0]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_finalizers_hold_is_reported_as_failed_and_then_left_alone() {
    run(Cluster::new().with(Kubelet::new()), async |world| {
        let mut held = pod("held", "", "Always");
        held["metadata"]["finalizers"] = json!(["example.com/hold"]);
        world.create(PODS, held).await;
        world.pass(s(1)).await;
        world.delete(&format!("{PODS}/held"), json!({})).await;
        world.pass(s(60)).await;
        let held = world.object("pods", "held").unwrap();
        assert_eq!(
            (&held["status"]["phase"], &held["metadata"]["deletionGracePeriodSeconds"]),
            (&json!("Failed"), &json!(0))
        );
        let version = world.server.version();
        world.pass(s(600)).await;
        assert_eq!(world.server.version(), version, "nothing writes any more");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_seed_decides_which_pods_fail() {
    let failed = async |seed: u64| {
        let mut names = Vec::new();
        let kubelet = Kubelet::new().script("fail-rate=0.5,exit-after=2s".parse().unwrap());
        run(Cluster::new().with(kubelet).seed(seed), async |world| {
            for number in 0..20 {
                let mut pod = pod(&format!("p{number:02}"), "", "Never");
                pod["metadata"]["annotations"] = json!({});
                world.create(PODS, pod).await;
            }
            world.pass(s(5)).await;
            let pods = world.list("pods").into_iter().filter(|pod| pod["status"]["phase"] == "Failed");
            names = pods.map(|pod| pod["metadata"]["name"].to_string()).collect();
        })
        .await;
        names
    };
    let one = failed(1).await;
    assert!((3..17).contains(&one.len()), "{one:?}");
    assert_eq!(failed(1).await, one);
    assert_ne!(failed(2).await, one);
}

#[tokio::test(start_paused = true)]
async fn a_quiet_cluster_writes_nothing() {
    run(Cluster::new().with(Kubelet::new()), async |world| {
        world.create(PODS, pod("plain", "unready=5s..6s", "Always")).await;
        world.pass(s(30)).await;
        let ready = world.object("pods", "plain").unwrap();
        assert_eq!(condition(&ready, "Ready").unwrap()["lastTransitionTime"], "2026-01-01T00:00:06Z");
        let version = world.server.version();
        world.pass(s(3600)).await;
        assert_eq!(world.server.version(), version);
    })
    .await;
}
