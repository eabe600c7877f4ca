//! The ways to read pods. A store of kube-rs has no index, so everything but a read by key searches all objects, with
//! the filter that the store offers.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::ensure;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::core::{Expression, Selector, SelectorExt};
use kube::runtime::reflector::{ObjectRef, Store};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use serde_json::{Value, json};

const SEED: u64 = 42;
const ROUNDS: usize = 7;

/// The duration of a round. Each round does at least one read.
const ROUND_LENGTH: Duration = Duration::from_millis(100);

/// The number of reads between two readings of the clock, because one read is faster than reading the clock.
const GETS: usize = 1_000;

/// The time of each kind of read in nanoseconds.
pub(crate) fn measured(pods: &Store<Pod>) -> anyhow::Result<Value> {
    let all = pods.state();
    let mut keys: Vec<_> = all.iter().map(|pod| ObjectRef::from_obj(&**pod)).collect();
    keys.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    keys.shuffle(&mut SmallRng::seed_from_u64(SEED));
    let namespaces = shuffled(all.iter().filter_map(|pod| pod.namespace()));
    let nodes = shuffled(all.iter().filter_map(|pod| node(pod).map(str::to_owned)));
    drop(all);
    ensure!(!keys.is_empty() && !namespaces.is_empty() && !nodes.is_empty(), "nothing to read");
    let selector: Selector = Expression::Equal("app".into(), "app-17".into()).into();
    let is_in = |pod: &Pod, namespace: &String| pod.metadata.namespace.as_ref() == Some(namespace);

    let get = per_operation(|n| {
        for key in keys.iter().cycle().skip(n * GETS % keys.len()).take(GETS) {
            black_box(pods.get(key).map(|pod| pod.metadata.name.as_ref().map(String::len)));
        }
    }) / GETS as f64;
    let by_index = per_operation(|n| {
        let wanted = Some(nodes[n % nodes.len()].as_str());
        look_at_names(&pods.state_filter(|pod| node(pod) == wanted));
    });
    let by_namespace = per_operation(|n| {
        let namespace = &namespaces[n % namespaces.len()];
        look_at_names(&pods.state_filter(|pod| is_in(pod, namespace)));
    });
    let by_label = per_operation(|n| {
        let namespace = &namespaces[n % namespaces.len()];
        look_at_names(&pods.state_filter(|pod| is_in(pod, namespace) && selector.matches(pod.labels())));
    });
    let list_all = per_operation(|_| look_at_names(&pods.state()));
    let one_field = per_operation(|n| {
        let namespace = &namespaces[n % namespaces.len()];
        for pod in pods.state_filter(|pod| is_in(pod, namespace)) {
            black_box(node(&pod));
        }
    });

    let kept = |ns: f64| json!({ "kept_ns": ns, "cold_ns": null });
    Ok(json!({
        "get": kept(get),
        "by_index": kept(by_index),
        "by_namespace": kept(by_namespace),
        "by_label": kept(by_label),
        "list_all": kept(list_all),
        "namespace_1000_one_field": {
            "kept_ns": one_field, "cold_field_ns": null, "cold_slim_ns": null, "cold_whole_ns": null,
        },
    }))
}

/// The time of one operation in nanoseconds: the median of rounds.
fn per_operation(mut operation: impl FnMut(usize)) -> f64 {
    let mut done = 0;
    let mut rounds: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let (begin, before) = (Instant::now(), done);
            loop {
                operation(done);
                done += 1;
                let taken = begin.elapsed();
                if taken >= ROUND_LENGTH {
                    return taken.as_nanos() as f64 / (done - before) as f64;
                }
            }
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

fn look_at_names(pods: &[std::sync::Arc<Pod>]) {
    for pod in pods {
        black_box(pod.metadata.name.as_ref().map(String::len));
    }
}

fn node(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref())
}

/// The same order in every run, unrelated to the order of the store.
fn shuffled(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<_> = all.collect::<BTreeSet<_>>().into_iter().collect();
    all.shuffle(&mut SmallRng::seed_from_u64(SEED));
    all
}
