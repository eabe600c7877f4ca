//! CronJobs: Jobs at the times of the schedule, in paused time, and what happens to old ones.

use serde_json::{Value, json};
use tidings_cluster::{Cluster, CronJobs, GarbageCollector, Jobs, Kubelet, Nodes, Scheduler};

use crate::world::{World, run, s};

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/default/cronjobs";

fn cluster() -> Cluster {
    Cluster::new()
        .with(CronJobs)
        .with(Jobs)
        .with(GarbageCollector::new())
        .with(Nodes::new(1))
        .with(Scheduler)
        .with(Kubelet::new())
}

fn cron_job(schedule: &str, script: &str, spec: Value) -> Value {
    let mut cron_job = json!({ "metadata": { "name": "tick" }, "spec": spec });
    cron_job["spec"]["schedule"] = json!(schedule);
    cron_job["spec"]["jobTemplate"] = json!({ "spec": { "template": {
        "metadata": { "annotations": { "tidings.dev/kubelet": script } },
        "spec": { "restartPolicy": "Never", "containers": [{ "name": "main", "image": "i" }] },
    }}});
    cron_job
}

fn times(world: &World) -> Vec<String> {
    let time = |job: &Value| {
        job["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"].as_str().unwrap()
            [11..16]
            .to_owned()
    };
    let mut times: Vec<String> = world.list("jobs.batch").iter().map(time).collect();
    times.sort();
    times
}

#[tokio::test(start_paused = true)]
async fn a_job_is_created_at_each_time_and_old_ones_are_deleted() {
    run(cluster(), async |world| {
        world.create(CRON_JOBS, cron_job("*/10 * * * *", "exit-after=5s", json!({}))).await;
        world.pass(s(599)).await;
        assert_eq!(times(world), [""; 0]);
        world.pass(s(30)).await;
        assert_eq!(times(world), ["00:10"]);
        world.pass(s(3600)).await;
        assert_eq!(times(world), ["00:50", "01:00", "01:10"]);
        let tick = world.object("cronjobs.batch", "tick").unwrap();
        assert_eq!(tick["status"]["lastScheduleTime"], "2026-01-01T01:10:00Z");
        assert_eq!(tick["status"]["lastSuccessfulTime"], "2026-01-01T01:10:05Z");
        assert!(tick["status"]["active"].is_null());
        assert_eq!(world.list("pods").len(), 3);
        world.patch(&format!("{CRON_JOBS}/tick"), json!({ "spec": { "suspend": true } })).await;
        world.pass(s(3600)).await;
        assert_eq!(times(world), ["00:50", "01:00", "01:10"]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_concurrency_policy_decides_about_a_job_that_still_runs() {
    for (policy, expected) in
        [("Allow", vec!["00:01", "00:02", "00:03"]), ("Forbid", vec!["00:01"]), ("Replace", vec!["00:03"])]
    {
        run(cluster(), async |world| {
            let spec = json!({ "concurrencyPolicy": policy });
            world.create(CRON_JOBS, cron_job("* * * * *", "never-exit", spec)).await;
            world.pass(s(190)).await;
            assert_eq!(times(world), expected, "{policy}");
            let active = world.object("cronjobs.batch", "tick").unwrap()["status"]["active"].clone();
            assert_eq!(active.as_array().map(Vec::len), Some(expected.len()), "{policy}");
        })
        .await;
    }
}
