//! Waits for updates: measures their latency, and counts unexpected notifications.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::{ObjectRef, Store};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::meter::Meter;
use crate::say;

/// The pause of a reader between two reads.
const READER_PAUSE: Duration = Duration::from_millis(1);

/// The interval of polls for the sentinel's update in the store.
const SENTINEL_POLL: Duration = Duration::from_millis(5);

/// How long handlers must be without notifications until a relist counts as complete.
const QUIET: Duration = Duration::from_millis(200);

/// Waits until every handler has received this many updates. Returns the seconds from the first to the last.
pub(crate) async fn expected(meters: &[Arc<Meter>], updates: u64) -> anyhow::Result<f64> {
    meters.iter().for_each(|meter| meter.set_goal(updates));
    say(&json!({ "ready": true }))?;
    let (mut first, mut last) = (None, None);
    for meter in meters {
        let (began, ended) = meter.reached().await.context("a goal has a first and a last update")?;
        first = Some(first.map_or(began, |first| began.min(first)));
        last = Some(last.map_or(ended, |last| ended.max(last)));
    }
    let (first, last) = first.zip(last).context("there is no handler")?;
    Ok((last - first).as_secs_f64())
}

/// The latencies of this many updates, from the write to the first handler.
pub(crate) async fn timed(meters: &[Arc<Meter>], updates: u64) -> anyhow::Result<Value> {
    let meter = meters.first().context("there is no handler")?;
    meter.start_timing(usize::try_from(updates)?);
    let seconds = expected(meters, updates).await?;
    let latencies_ns = meter.stop_timing();
    let at = |share: f64| {
        let rank = (latencies_ns.len().saturating_sub(1) as f64 * share) as usize;
        latencies_ns.get(rank).map(|ns| *ns as f64 / 1_000.0)
    };
    Ok(json!({
        "updates": updates, "first_to_last_seconds": seconds,
        "p50_us": at(0.50), "p99_us": at(0.99), "max_us": at(1.0),
    }))
}

/// The same, while readers get objects.
pub(crate) async fn timed_under_readers(
    meters: &[Arc<Meter>],
    pods: &Store<Pod>,
    updates: u64,
    readers: usize,
) -> anyhow::Result<Value> {
    let keys: Arc<[_]> = pods.state().iter().map(|pod| ObjectRef::from_obj(&**pod)).collect();
    let mut reading = JoinSet::new();
    for seed in 0..readers as u64 {
        reading.spawn(read_for_ever(pods.clone(), Arc::clone(&keys), seed));
    }
    let timed = timed(meters, updates).await;
    reading.shutdown().await;
    timed
}

async fn read_for_ever(pods: Store<Pod>, keys: Arc<[ObjectRef<Pod>]>, seed: u64) {
    let mut chance = SmallRng::seed_from_u64(seed);
    loop {
        let pod = pods.get(&keys[chance.random_range(0..keys.len())]);
        black_box(pod.as_ref().map(|pod| &pod.metadata.name));
        sleep(READER_PAUSE).await;
    }
}

/// Waits for the sentinel's update and for the end of the relist. Returns the number of notifications of other objects.
/// A relist delivers every object again, including the sentinel, so the store is polled for the change.
pub(crate) async fn relisted(meter: &Meter, pods: &Store<Pod>, sentinel: &str) -> anyhow::Result<u64> {
    let (namespace, name) = sentinel.split_once('/').context("a sentinel has a namespace")?;
    let key = ObjectRef::new(name).within(namespace);
    let version = || pods.get(&key).and_then(|pod| pod.metadata.resource_version.clone());
    meter.set_sentinel(namespace, name);
    let (old_version, before) = (version(), meter.of_others());
    say(&json!({ "ready": true }))?;
    while version() == old_version {
        sleep(SENTINEL_POLL).await;
    }
    let mut seen = meter.notifications();
    loop {
        sleep(QUIET).await;
        if meter.notifications() == seen {
            return Ok(meter.of_others() - before);
        }
        seen = meter.notifications();
    }
}
