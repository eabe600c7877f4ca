//! Waits for updates: measures their latency, and counts unexpected notifications.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Context;
use k8s_openapi::api::core::v1::Pod;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tidings::Lister;
use tokio::task::JoinSet;
use tokio::time::{Duration, sleep};

use super::respond;
use super::session::Session;

/// The pause of a reader between two reads.
const READER_PAUSE: Duration = Duration::from_millis(1);

/// Waits until every handler has received this many updates. Returns the seconds from the first to the last.
pub(super) async fn expected(session: &Session, updates: u64) -> anyhow::Result<f64> {
    session.meters().iter().for_each(|meter| meter.set_goal(updates));
    respond(&json!({ "ready": true }))?;
    let (mut first, mut last) = (None, None);
    for meter in session.meters() {
        let (began, ended) = meter.reached().await.context("a goal has a first and a last update")?;
        first = Some(first.map_or(began, |first| began.min(first)));
        last = Some(last.map_or(ended, |last| ended.max(last)));
    }
    let (first, last) = first.zip(last).context("there is no handler")?;
    Ok((last - first).as_secs_f64())
}

/// The latencies of this many updates, from the write to the first handler.
pub(super) async fn timed(session: &Session, updates: u64) -> anyhow::Result<Value> {
    let meter = session.meters().first().context("there is no handler")?;
    meter.time(updates);
    expected(session, updates).await?;
    let latencies = meter.latencies();
    let at = |share: f64| {
        let place = (latencies.len() as f64 * share) as usize;
        let nanoseconds = latencies.get(place.min(latencies.len().saturating_sub(1)));
        nanoseconds.map(|ns| *ns as f64 / 1_000.0)
    };
    Ok(json!({ "p50_us": at(0.50), "p99_us": at(0.99), "max_us": at(1.0) }))
}

/// As [`timed`], while readers get objects.
pub(super) async fn timed_under_readers(
    session: &Session,
    updates: u64,
    readers: usize,
) -> anyhow::Result<Value> {
    let keys: Arc<[String]> = session.lister().keys().iter().map(ToString::to_string).collect();
    let mut reading = JoinSet::new();
    for seed in 0..readers as u64 {
        reading.spawn(read_for_ever(session.lister(), Arc::clone(&keys), seed));
    }
    let timed = timed(session, updates).await;
    reading.shutdown().await;
    timed
}

async fn read_for_ever(lister: Lister<Pod>, keys: Arc<[String]>, seed: u64) {
    let mut rng = SmallRng::seed_from_u64(seed);
    loop {
        let object = lister.get(&keys[rng.random_range(0..keys.len())]);
        black_box(object.as_ref().map(|object| object.name().len()));
        sleep(READER_PAUSE).await;
    }
}

/// Waits for the update of the sentinel. Returns the number of other notifications before it.
pub(super) async fn relisted(session: &Session, sentinel: &str) -> anyhow::Result<u64> {
    let meter = session.meters().first().context("there is no handler")?;
    let (namespace, name) = sentinel.split_once('/').context("a sentinel has a namespace")?;
    meter.set_sentinel(namespace, name);
    let before = meter.notifications();
    respond(&json!({ "ready": true }))?;
    meter.sentinel_seen().await;
    Ok(meter.notifications() - before)
}
