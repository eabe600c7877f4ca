//! Jobs: completions, parallelism, failures and their limit, indexes, suspension, deadlines, expiry.

use serde_json::{Value, json};
use tidings_cluster::{Cluster, GarbageCollector, Jobs, Kubelet, Nodes, Scheduler};

use crate::world::{World, condition, is_true, run, s};

const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";

fn cluster() -> Cluster {
    Cluster::new()
        .with(Jobs)
        .with(GarbageCollector::new())
        .with(Nodes::new(1))
        .with(Scheduler)
        .with(Kubelet::new())
}

/// A Job whose pods follow a script.
fn job(script: &str, policy: &str, spec: Value) -> Value {
    let mut job = json!({ "metadata": { "name": "sum" }, "spec": spec });
    job["spec"]["template"] = json!({
        "metadata": { "annotations": { "tidings.dev/kubelet": script } },
        "spec": { "restartPolicy": policy, "containers": [{ "name": "main", "image": "i" }] },
    });
    job
}

fn status(world: &World) -> Value {
    world.object("jobs.batch", "sum").unwrap()["status"].clone()
}

async fn ends(world: &World, kind: &str) -> Value {
    world.until(kind, |world| is_true(&world.object("jobs.batch", "sum").unwrap(), kind)).await;
    world.object("jobs.batch", "sum").unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_job_runs_its_pods_some_at_a_time_until_enough_have_succeeded() {
    run(cluster(), async |world| {
        world
            .create(JOBS, job("exit-after=10s", "Never", json!({ "completions": 5, "parallelism": 2 })))
            .await;
        world.pass(s(5)).await;
        assert_eq!((&status(world)["active"], &status(world)["ready"]), (&json!(2), &json!(2)));
        world.pass(s(10)).await;
        assert_eq!((&status(world)["active"], &status(world)["succeeded"]), (&json!(2), &json!(2)));
        let job = ends(world, "Complete").await;
        assert_eq!(job["status"]["succeeded"], 5);
        assert_eq!(job["status"]["startTime"], "2026-01-01T00:00:00Z");
        assert_eq!(job["status"]["completionTime"], "2026-01-01T00:00:30Z");
        assert_eq!(job["status"]["uncountedTerminatedPods"], json!({}));
        assert!(job["status"]["active"].is_null() && job["status"]["failed"].is_null());
        assert_eq!(condition(&job, "SuccessCriteriaMet").unwrap()["reason"], "CompletionsReached");
        assert_eq!(world.list("pods").len(), 5, "ended pods stay with their Job");
        assert!(
            world
                .list("pods")
                .iter()
                .all(|pod| pod["metadata"]["finalizers"].is_null()
                    || pod["metadata"]["finalizers"] == json!([]))
        );
        let version = world.server.version();
        world.pass(s(3600)).await;
        assert_eq!(world.server.version(), version, "a finished Job writes nothing");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn failed_pods_are_replaced_with_growing_delays_up_to_the_limit() {
    run(cluster(), async |world| {
        world.create(JOBS, job("exit-after=1s,exit-code=2", "Never", json!({ "backoffLimit": 2 }))).await;
        world.pass(s(5)).await;
        assert_eq!(
            (&status(world)["failed"], world.list("pods").len()),
            (&json!(1), 1),
            "it waits ten seconds"
        );
        world.pass(s(10)).await;
        assert_eq!((&status(world)["failed"], world.list("pods").len()), (&json!(2), 2));
        let job = ends(world, "Failed").await;
        assert_eq!(job["status"]["failed"], 3);
        for kind in ["FailureTarget", "Failed"] {
            let found = condition(&job, kind).unwrap();
            assert_eq!(found["reason"], "BackoffLimitExceeded");
            assert_eq!(found["message"], "Job has reached the specified backoff limit");
        }
        world.pass(s(600)).await;
        assert_eq!(world.list("pods").len(), 3);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn restarts_in_the_pod_count_as_failures() {
    run(cluster(), async |world| {
        world.create(JOBS, job("exit-after=1s,exit-code=2", "OnFailure", json!({ "backoffLimit": 3 }))).await;
        let job = ends(world, "Failed").await;
        assert_eq!(condition(&job, "Failed").unwrap()["reason"], "BackoffLimitExceeded");
        world
            .until("its pod was stopped", |world| {
                world.list("pods").iter().all(|pod| pod["status"]["phase"] == "Failed")
            })
            .await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_indexed_job_completes_each_index_once() {
    run(cluster(), async |world| {
        let spec = json!({ "completions": 4, "parallelism": 2, "completionMode": "Indexed" });
        world.create(JOBS, job("exit-after=3s,fail-rate=0.3", "Never", spec)).await;
        let job = ends(world, "Complete").await;
        assert_eq!(
            (&job["status"]["succeeded"], &job["status"]["completedIndexes"]),
            (&json!(4), &json!("0-3"))
        );
        let succeeded = world.list("pods").into_iter().filter(|pod| pod["status"]["phase"] == "Succeeded");
        let mut indexes: Vec<Value> = succeeded
            .map(|pod| {
                let index =
                    pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"].clone();
                let variable = &pod["spec"]["containers"][0]["env"][0];
                assert_eq!((&variable["name"], &variable["value"]), (&json!("JOB_COMPLETION_INDEX"), &index));
                index
            })
            .collect();
        indexes.sort_by_key(ToString::to_string);
        assert_eq!(indexes, ["0", "1", "2", "3"]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_job_without_completions_ends_when_one_pod_succeeded_and_all_have_ended() {
    run(cluster(), async |world| {
        world.create(JOBS, job("exit-after=10s,jitter=5s", "Never", json!({ "parallelism": 3 }))).await;
        let job = ends(world, "Complete").await;
        assert_eq!((&job["status"]["succeeded"], world.list("pods").len()), (&json!(3), 3));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn suspension_stops_the_pods_and_a_resumed_job_starts_again() {
    run(cluster(), async |world| {
        world
            .create(JOBS, job("exit-after=60s", "Never", json!({ "parallelism": 2, "completions": 2 })))
            .await;
        world.pass(s(5)).await;
        world.patch(&format!("{JOBS}/sum"), json!({ "spec": { "suspend": true } })).await;
        world.until("all pods are gone", |world| status(world)["active"].is_null()).await;
        world.pass(s(30)).await;
        let job = world.object("jobs.batch", "sum").unwrap();
        assert!(is_true(&job, "Suspended") && job["status"]["startTime"].is_null());
        world.patch(&format!("{JOBS}/sum"), json!({ "spec": { "suspend": false } })).await;
        world.pass(s(5)).await;
        assert_eq!(status(world)["active"], 2);
        let job = ends(world, "Complete").await;
        assert_eq!(job["status"]["succeeded"], 2);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_job_and_its_time_to_live_deletes_it() {
    run(cluster(), async |world| {
        let spec = json!({ "activeDeadlineSeconds": 20, "ttlSecondsAfterFinished": 100 });
        world.create(JOBS, job("never-exit", "Never", spec)).await;
        world.pass(s(10)).await;
        assert_eq!(status(world)["active"], 1);
        let job = ends(world, "Failed").await;
        assert_eq!(condition(&job, "Failed").unwrap()["reason"], "DeadlineExceeded");
        assert_eq!(condition(&job, "Failed").unwrap()["lastTransitionTime"], "2026-01-01T00:00:20Z");
        world.pass(s(90)).await;
        assert!(world.object("jobs.batch", "sum").is_some());
        world.pass(s(20)).await;
        assert_eq!((world.names("jobs.batch").len(), world.names("pods").len()), (0, 0));
    })
    .await;
}
