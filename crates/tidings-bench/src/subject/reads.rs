//! Measures reads from a cache with decoded objects, and from one without.

use std::hint::black_box;
use std::ops::Range;

use anyhow::Context;
use k8s_openapi::api::core::v1::Pod;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use serde::Deserialize;
use serde_json::{Value, json};
use tidings::{FieldPath, LabelSelector, Lister, Object};
use tidings_object::Wire;
use tidings_protobuf::TypeMeta;
use tokio::time::Instant;

use super::Arguments;
use super::session::{NODE_INDEX, Session, SessionConfig};
use crate::protocol::{Read, Resource};

/// How many times each read is measured. The median counts.
const ROUNDS: usize = 5;
/// The number of operations per round.
const GETS: usize = 100_000;
const COLD_GETS: usize = 2_000;
/// The number of cold gets before decoding alone is measured again.
const TURN: usize = 100;
const LOOKUPS: usize = 2_000;
const NAMESPACES: usize = 50;
const COLD_NAMESPACES: usize = 5;
const WHOLE_LISTS: usize = 3;

const SEED: u64 = 17;
const SELECTOR: &str = "app=app-17";
const FIELD: &str = ".status.phase";

/// Two caches of the same pods, and the keys to read.
pub(super) struct Reads {
    kept: Session,
    cold: Session,
    keys: Vec<String>,
    nodes: Vec<String>,
    namespaces: Vec<String>,
    selector: LabelSelector,
    field: FieldPath,
}

/// A pod with only its phase.
#[derive(Deserialize)]
struct PhaseOnly {
    status: Option<StatusOnly>,
}

#[derive(Deserialize)]
struct StatusOnly {
    phase: Option<String>,
}

impl Reads {
    /// Syncs both caches and decodes all objects in the first one.
    pub(super) async fn prepare(arguments: &Arguments) -> anyhow::Result<Self> {
        let plan = SessionConfig { resource: Resource::Pods, handlers: 1, read: Read::Identity };
        let kept = Session::start(&arguments.factory_builder()?.budget(u64::MAX).build(), plan).await?;
        let cold = Session::start(&arguments.factory_builder()?.budget(0).build(), plan).await?;
        for pod in kept.lister().list() {
            pod.decoded().context("decoding a pod")?;
        }
        let mut rng = SmallRng::seed_from_u64(SEED);
        let mut in_chance_order = |mut values: Vec<String>| {
            values.sort_unstable();
            values.shuffle(&mut rng);
            values
        };
        let lister = kept.lister();
        let keys = in_chance_order(lister.keys().iter().map(ToString::to_string).collect());
        let nodes = in_chance_order(lister.index_values(NODE_INDEX)?);
        let namespaces = in_chance_order(lister.index_values("namespace")?);
        let (selector, field) = (LabelSelector::parse(SELECTOR)?, FieldPath::parse(FIELD)?);
        Ok(Reads { kept, cold, keys, nodes, namespaces, selector, field })
    }

    /// All reads, with the names of the protocol.
    pub(super) fn measure(&self) -> anyhow::Result<Value> {
        let (kept, cold) = (self.kept.lister(), self.cold.lister());
        let both =
            |read: &dyn Fn(&Lister<Pod>) -> u64| json!({ "kept_ns": read(&kept), "cold_ns": read(&cold) });
        let (cold_ns, decode_ns) = self.get_cold_and_decode(&cold)?;
        Ok(json!({
            "get": {
                "kept_ns": median_ns(GETS, |n| self.get(&kept, n)),
                "cold_ns": cold_ns,
                "cold_identity_ns": self.get_identity(&cold, GETS),
                "decode_ns": decode_ns,
            },
            "by_index": both(&|lister| self.by_index(lister)),
            "by_namespace": both(&|lister| self.by_namespace(lister)),
            "by_label": both(&|lister| self.by_label(lister)),
            "list_all": both(&|lister| median_ns(WHOLE_LISTS, |_| touch_names(&lister.list()))),
            "namespace_1000_one_field": {
                "kept_ns": self.phases(&kept, NAMESPACES, |pod, _| touch_phase(pod)),
                "cold_field_ns": self.phases(&cold, COLD_NAMESPACES, |pod, field| {
                    black_box(pod.field_at(field).expect("a fixture has its fields"));
                }),
                "cold_slim_ns": self.phases(&cold, COLD_NAMESPACES, |pod, _| {
                    let slim = pod.view::<PhaseOnly>().expect("a fixture has a phase");
                    black_box(slim.status.and_then(|status| status.phase));
                }),
                "cold_whole_ns": self.phases(&cold, COLD_NAMESPACES, |pod, _| touch_phase(pod)),
            },
        }))
    }

    fn get(&self, lister: &Lister<Pod>, n: usize) {
        let pod = lister.get(&self.keys[n % self.keys.len()]).expect("the pod is cached");
        black_box(pod.decoded().expect("a fixture decodes").metadata.name.as_deref());
    }

    fn get_identity(&self, lister: &Lister<Pod>, times: usize) -> u64 {
        median_ns(times, |n| {
            black_box(lister.get(&self.keys[n % self.keys.len()]).expect("the pod is cached").name());
        })
    }

    /// Measures gets of objects that are not decoded, and decoding alone (without lookup and decompression) on the same
    /// wire.
    fn get_cold_and_decode(&self, lister: &Lister<Pod>) -> anyhow::Result<(u64, u64)> {
        let some = self.keys.iter().take(COLD_GETS).map(|key| lister.require(key));
        let some = some.collect::<Result<Vec<_>, _>>()?;
        let bodies =
            some.iter().map(|pod| Ok(pod.json()?.into_owned())).collect::<anyhow::Result<Vec<_>>>()?;
        let get = |n| self.get(lister, n);
        if some.first().is_some_and(|pod| pod.wire() == Wire::Json) {
            return Ok(medians_in_turns_ns(bodies.len(), get, |n| {
                black_box(serde_json::from_slice::<Pod>(&bodies[n]).expect("a fixture decodes"));
            }));
        }
        let table = tidings_protobuf::message("", "v1", "Pod").context("pods have protobuf")?;
        let encode =
            |body: &Vec<u8>| anyhow::Ok(tidings_protobuf::encode(table, &serde_json::from_slice(body)?)?);
        let messages = bodies.iter().map(encode).collect::<Result<Vec<_>, _>>()?;
        let type_meta = TypeMeta { api_version: Some("v1"), kind: Some("Pod") };
        Ok(medians_in_turns_ns(messages.len(), get, |n| {
            let pod = tidings_protobuf::from_slice::<Pod>(table, type_meta, &messages[n]);
            black_box(pod.expect("a fixture decodes"));
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
            touch_names(&found);
        })
    }

    fn phases(&self, lister: &Lister<Pod>, times: usize, read: impl Fn(&Object<Pod>, &FieldPath)) -> u64 {
        median_ns(times, |n| {
            self.namespace(lister, n).iter().for_each(|pod| read(pod, &self.field));
        })
    }

    fn namespace(&self, lister: &Lister<Pod>, n: usize) -> Vec<Object<Pod>> {
        let namespace = &self.namespaces[n % self.namespaces.len()];
        lister.namespace(namespace).list()
    }
}

fn touch_names(pods: &[Object<Pod>]) {
    for pod in pods {
        black_box(pod.name());
    }
}

fn touch_phase(pod: &Object<Pod>) {
    let pod = pod.decoded().expect("a fixture decodes");
    black_box(pod.status.as_ref().and_then(|status| status.phase.as_deref()));
}

/// The time of one operation, as the median of the rounds.
fn median_ns(times: usize, mut read: impl FnMut(usize)) -> u64 {
    median((0..ROUNDS).map(|_| elapsed_ns(0..times, &mut read) / times.max(1) as u64))
}

/// The times of one operation of each kind, as medians. The two alternate within a round, so that other load on the
/// machine slows down both: the difference is what counts.
fn medians_in_turns_ns(times: usize, mut one: impl FnMut(usize), mut other: impl FnMut(usize)) -> (u64, u64) {
    let rounds = (0..ROUNDS).map(|_| {
        let (mut one_ns, mut other_ns) = (0, 0);
        for begin in (0..times).step_by(TURN) {
            let turn = begin..times.min(begin + TURN);
            one_ns += elapsed_ns(turn.clone(), &mut one);
            other_ns += elapsed_ns(turn, &mut other);
        }
        (one_ns / times.max(1) as u64, other_ns / times.max(1) as u64)
    });
    let (ones, others): (Vec<_>, Vec<_>) = rounds.unzip();
    (median(ones), median(others))
}

fn elapsed_ns(numbers: Range<usize>, read: &mut impl FnMut(usize)) -> u64 {
    let begun = Instant::now();
    numbers.for_each(read);
    u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn median(rounds: impl IntoIterator<Item = u64>) -> u64 {
    let mut rounds: Vec<u64> = rounds.into_iter().collect();
    rounds.sort_unstable();
    rounds[rounds.len() / 2]
}
