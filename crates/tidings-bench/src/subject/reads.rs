//! How long reads take, from a cache whose objects are all decoded and kept, and from one that keeps nothing decoded.

use std::hint::black_box;

use anyhow::Context;
use k8s_openapi::api::core::v1::Pod;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use serde::Deserialize;
use serde_json::{Value, json};
use tidings::{Budget, FieldPath, LabelSelector, Lister, Object};
use tidings_object::Wire;
use tidings_protobuf::TypeMeta;
use tokio::time::Instant;

use super::Arguments;
use super::session::{NODE_INDEX, Plan, Session};
use crate::protocol::{Read, Resource};

/// How often each read is measured; the median counts.
const ROUNDS: usize = 5;
/// How many gets, cold gets, index reads and lists make a round.
const GETS: usize = 100_000;
const COLD_GETS: usize = 2_000;
const LOOKUPS: usize = 2_000;
const NAMESPACES: usize = 50;
const COLD_NAMESPACES: usize = 5;
const WHOLE_LISTS: usize = 3;

const SEED: u64 = 17;
const SELECTOR: &str = "app=app-17";
const FIELD: &str = ".status.phase";

/// Two caches of the same pods, and what is looked for in them.
pub(super) struct Reads {
    kept: Session,
    cold: Session,
    keys: Vec<String>,
    nodes: Vec<String>,
    namespaces: Vec<String>,
    selector: LabelSelector,
    field: FieldPath,
}

/// A pod, as far as its phase.
#[derive(Deserialize)]
struct PhaseOnly {
    status: Option<StatusOnly>,
}

#[derive(Deserialize)]
struct StatusOnly {
    phase: Option<String>,
}

impl Reads {
    /// Syncs both caches and decodes everything in the one that keeps it.
    pub(super) async fn prepare(arguments: &Arguments) -> anyhow::Result<Self> {
        let plan = Plan { resource: Resource::Pods, handlers: 1, read: Read::Identity };
        let kept = Session::start(&arguments.factory()?.budget(Budget::unlimited()), plan).await?;
        let cold = Session::start(&arguments.factory()?.budget(Budget::bytes(0)), plan).await?;
        for pod in kept.lister().list() {
            pod.decoded().context("decoding a pod")?;
        }
        let mut chance = SmallRng::seed_from_u64(SEED);
        let mut in_chance_order = |mut values: Vec<String>| {
            values.sort_unstable();
            values.shuffle(&mut chance);
            values
        };
        let lister = kept.lister();
        let keys = in_chance_order(lister.keys().iter().map(ToString::to_string).collect());
        let nodes = in_chance_order(lister.index_values(NODE_INDEX)?);
        let namespaces = in_chance_order(lister.index_values("namespace")?);
        let (selector, field) = (LabelSelector::parse(SELECTOR)?, FieldPath::parse(FIELD)?);
        Ok(Reads { kept, cold, keys, nodes, namespaces, selector, field })
    }

    /// All reads, as the protocol names them.
    pub(super) fn measure(&self) -> anyhow::Result<Value> {
        let (kept, cold) = (self.kept.lister(), self.cold.lister());
        let both =
            |read: &dyn Fn(&Lister<Pod>) -> u64| json!({ "kept_ns": read(&kept), "cold_ns": read(&cold) });
        Ok(json!({
            "get": {
                "kept_ns": self.get(&kept, GETS),
                "cold_ns": self.get(&cold, COLD_GETS),
                "cold_identity_ns": self.get_identity(&cold, GETS),
                "decode_ns": self.decode(&cold)?,
            },
            "by_index": both(&|lister| self.by_index(lister)),
            "by_namespace": both(&|lister| self.by_namespace(lister)),
            "by_label": both(&|lister| self.by_label(lister)),
            "list_all": both(&|lister| median_ns(WHOLE_LISTS, |_| touch_names(&lister.list()))),
            "namespace_1000_one_field": {
                "kept_ns": self.phases(&kept, NAMESPACES, |pod, _| touch_phase(pod)),
                "cold_field_ns": self.phases(&cold, COLD_NAMESPACES, |pod, field| {
                    black_box(pod.field_at(field).expect("a specimen has its fields"));
                }),
                "cold_slim_ns": self.phases(&cold, COLD_NAMESPACES, |pod, _| {
                    let slim = pod.view::<PhaseOnly>().expect("a specimen has a phase");
                    black_box(slim.status.and_then(|status| status.phase));
                }),
                "cold_whole_ns": self.phases(&cold, COLD_NAMESPACES, |pod, _| touch_phase(pod)),
            },
        }))
    }

    fn get(&self, lister: &Lister<Pod>, times: usize) -> u64 {
        median_ns(times, |n| {
            let pod = lister.get(&self.keys[n % self.keys.len()]).expect("the pod is cached");
            black_box(pod.decoded().expect("a specimen decodes").metadata.name.as_deref());
        })
    }

    fn get_identity(&self, lister: &Lister<Pod>, times: usize) -> u64 {
        median_ns(times, |n| {
            black_box(lister.get(&self.keys[n % self.keys.len()]).expect("the pod is cached").name());
        })
    }

    /// Decoding alone, without finding and unpacking, on the wire that the pods came by.
    fn decode(&self, lister: &Lister<Pod>) -> anyhow::Result<u64> {
        let some = self.keys.iter().take(COLD_GETS).map(|key| lister.get(key));
        let some = some.collect::<Result<Vec<_>, _>>()?;
        let mut bodies = Vec::with_capacity(some.len());
        for pod in &some {
            bodies.push(pod.json()?.into_owned());
        }
        if some.first().is_some_and(|pod| pod.wire() == Wire::Json) {
            return Ok(median_ns(bodies.len(), |n| {
                black_box(serde_json::from_slice::<Pod>(&bodies[n]).expect("a specimen decodes"));
            }));
        }
        let table = tidings_protobuf::message("", "v1", "Pod").context("pods have protobuf")?;
        let encode =
            |body: &Vec<u8>| anyhow::Ok(tidings_protobuf::encode(table, &serde_json::from_slice(body)?)?);
        let messages = bodies.iter().map(encode).collect::<Result<Vec<_>, _>>()?;
        Ok(median_ns(messages.len(), |n| {
            let pod = tidings_protobuf::from_slice::<Pod>(table, TypeMeta::default(), &messages[n]);
            black_box(pod.expect("a specimen decodes"));
        }))
    }

    fn by_index(&self, lister: &Lister<Pod>) -> u64 {
        median_ns(LOOKUPS, |n| {
            let node = &self.nodes[n % self.nodes.len()];
            touch_names(&lister.by_index(NODE_INDEX, node).expect("the index is there"));
        })
    }

    fn by_namespace(&self, lister: &Lister<Pod>) -> u64 {
        median_ns(NAMESPACES, |n| touch_names(&self.namespace(lister, n)))
    }

    fn by_label(&self, lister: &Lister<Pod>) -> u64 {
        median_ns(NAMESPACES, |n| {
            let namespace = &self.namespaces[n % self.namespaces.len()];
            let found = lister.namespace(namespace).select(&self.selector);
            touch_names(&found.expect("a namespace has a name"));
        })
    }

    fn phases(&self, lister: &Lister<Pod>, times: usize, read: impl Fn(&Object<Pod>, &FieldPath)) -> u64 {
        median_ns(times, |n| {
            self.namespace(lister, n).iter().for_each(|pod| read(pod, &self.field));
        })
    }

    fn namespace(&self, lister: &Lister<Pod>, n: usize) -> Vec<Object<Pod>> {
        let namespace = &self.namespaces[n % self.namespaces.len()];
        lister.namespace(namespace).list().expect("a namespace has a name")
    }
}

fn touch_names(pods: &[Object<Pod>]) {
    for pod in pods {
        black_box(pod.name());
    }
}

fn touch_phase(pod: &Object<Pod>) {
    let pod = pod.decoded().expect("a specimen decodes");
    black_box(pod.status.as_ref().and_then(|status| status.phase.as_deref()));
}

/// What one takes, by the median of the rounds.
fn median_ns(times: usize, mut read: impl FnMut(usize)) -> u64 {
    let mut rounds: Vec<u64> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            (0..times).for_each(&mut read);
            u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX) / times.max(1) as u64
        })
        .collect();
    rounds.sort_unstable();
    rounds[ROUNDS / 2]
}
