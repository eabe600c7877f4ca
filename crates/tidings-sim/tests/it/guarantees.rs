//! Our own guarantees under every single fault: a key is never reconciled twice at the same time, a reconcile reads what
//! its process wrote, and the last reconcile of a key began after the last change of what maps to it.
//!
//! `tidings-simulation` checks these and more over random faults of whole clusters; docs/decisions/two-simulations.md
//! says which of the two checks what.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use parking_lot::Mutex;
use serde_json::{Value, from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Request, set_controller};
use tidings::{Notification, RawObject};
use tidings_sim::{ServerState, Sim, explore};

/// The label that names the request of a Service.
const FOR: &str = "for";

/// What the reconciles of one execution saw and did.
#[derive(Default)]
struct Observed {
    /// The last incarnation of the process. It owes nothing to keys that were gone when it started.
    incarnation: Arc<Incarnation>,
    violation: Option<String>,
}

/// One incarnation of the process.
#[derive(Default)]
struct Incarnation {
    active: Mutex<BTreeSet<String>>,
    /// What the last reconcile of each key could see when it started: `kind key@version`.
    saw: Mutex<BTreeMap<String, BTreeSet<String>>>,
    /// The version of the last Secret that a reconcile of this key wrote.
    written: Mutex<BTreeMap<String, u64>>,
}

/// A reconcile that runs.
struct Active<'a>(&'a Incarnation, String);

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.active.lock().remove(&self.1);
    }
}

type Shared = Arc<Mutex<Observed>>;

fn label_of(kind: &str, object: &RawObject) -> String {
    format!("{kind} {}@{}", object.key(), object.version())
}

fn violate(observed: &Shared, message: String) {
    observed.lock().violation.get_or_insert(message);
}

/// Keeps one Secret for each ConfigMap, with the number of Services that name it.
async fn reconcile(
    request: Request,
    context: Context,
    observed: Shared,
    incarnation: Arc<Incarnation>,
) -> Result<Action, Error> {
    let key = request.to_string();
    if !incarnation.active.lock().insert(key.clone()) {
        violate(&observed, format!("{key} is reconciled twice at the same time"));
    }
    let _active = Active(&incarnation, key.clone());
    let map = context.lister::<ConfigMap>()?.get(&request);
    let secret = context.lister::<Secret>()?.get(&request);
    let services = context.lister::<Service>()?.list();
    let services: Vec<_> =
        services.iter().filter(|service| service.labels().value(FOR) == Some(request.name())).collect();
    let mut saw: BTreeSet<String> = services.iter().map(|service| label_of("services", service)).collect();
    saw.extend(map.iter().map(|map| label_of("configmaps", map)));
    saw.extend(secret.iter().map(|secret| label_of("secrets", secret)));
    incarnation.saw.lock().insert(key.clone(), saw);
    let seen = secret.as_ref().and_then(|secret| secret.version().number()).unwrap_or(0);
    let written = incarnation.written.lock().remove(&key);
    if written.is_some_and(|written| secret.is_some() && seen < written) {
        violate(&observed, format!("{key} sees version {seen} of its Secret after it wrote {written:?}"));
    }
    // Another worker may run now, if a key could be given out twice.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let Some(map) = map else { return Ok(Action::await_change()) };
    let wanted = services.len().to_string();
    let current = secret.as_ref().map(|secret| secret.decoded()).transpose()?;
    let annotation =
        current.as_ref().and_then(|secret| secret.metadata.annotations.as_ref()?.get("services"));
    if annotation != Some(&wanted) {
        let mut secret: Secret = from_value(json!({ "metadata": {
            "name": request.name(), "namespace": request.namespace(), "annotations": { "services": wanted },
        } }))?;
        set_controller(&mut secret, &*map.decoded()?)?;
        let answer = context.api::<Secret>().apply("copier", &secret).await?;
        incarnation.written.lock().insert(key, answer.version().parse().unwrap_or(0));
    }
    Ok(Action::await_change())
}

fn requests_of(change: &Notification<Service>) -> Vec<Request> {
    let named = change.objects();
    named.filter_map(|service| Request::new(service.namespace(), service.labels().value(FOR)?).ok()).collect()
}

/// What the last reconcile of each key must have seen.
fn truth(state: &ServerState) -> BTreeMap<String, BTreeSet<String>> {
    let mut truth: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |resource: &str, request: fn(&Value) -> Option<&str>| {
        for object in state.objects(resource) {
            let metadata = &object["metadata"];
            let text = |field: &str| metadata[field].as_str().unwrap_or_default();
            let Some(name) = request(metadata) else { continue };
            let saw =
                format!("{resource} {}/{}@{}", text("namespace"), text("name"), text("resourceVersion"));
            truth.entry(format!("{}/{name}", text("namespace"))).or_default().insert(saw);
        }
    };
    add("configmaps", |metadata| metadata["name"].as_str());
    add("secrets", |metadata| metadata["name"].as_str());
    add("services", |metadata| metadata["labels"][FOR].as_str());
    truth
}

fn setup(sim: &mut Sim) {
    let observed = Shared::default();
    let (of_process, of_rule) = (Arc::clone(&observed), Arc::clone(&observed));
    sim.controller(move |_| {
        let (observed, incarnation) = (Arc::clone(&of_process), Arc::new(Incarnation::default()));
        observed.lock().incarnation = Arc::clone(&incarnation);
        let builder = Controller::for_kind::<ConfigMap>("copier").owns::<Secret>();
        // By default a reconcile waits 5 s for its own writes. Here it waits longer than any watch is silent.
        let builder =
            builder.watches::<Service>(requests_of).write_wait_max(Duration::from_secs(600)).workers(3);
        builder.reconcile(move |request, context| {
            reconcile(request, context, Arc::clone(&observed), Arc::clone(&incarnation))
        })
    });
    sim.scenario(|client| async move {
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let services: Api<Service> = Api::default_namespaced(client);
        for name in ["one", "two"] {
            let map = from_value(json!({ "metadata": { "name": name } })).expect("a map");
            maps.create(&PostParams::default(), &map).await?;
            let labels = json!({ FOR: name });
            let service = json!({ "metadata": { "name": name, "labels": labels }, "spec": { "ports": [{ "port": 1 }] } });
            services.create(&PostParams::default(), &from_value(service).expect("a service")).await?;
        }
        let moved = Patch::Merge(json!({ "metadata": { "labels": { FOR: "two" } } }));
        services.patch("one", &PatchParams::default(), &moved).await?;
        maps.delete("one", &DeleteParams::default()).await.map(drop)
    });
    sim.always("reconciles are exclusive by key and read their own writes", move |_: &ServerState| {
        of_rule.lock().violation.clone().map_or(Ok(()), Err)
    });
    sim.finally("the last reconcile of each key saw the final state", move |state: &ServerState| {
        let truth = truth(state);
        let saw = observed.lock().incarnation.saw.lock().clone();
        let keys: BTreeSet<&String> = truth.keys().chain(saw.keys()).collect();
        for key in keys {
            let of = |all: &BTreeMap<String, BTreeSet<String>>| all.get(key).cloned().unwrap_or_default();
            let (expected, last) = (of(&truth), of(&saw));
            if expected != last {
                return Err(format!("{key} should have seen {expected:?}, and last saw {last:?}"));
            }
        }
        Ok(())
    });
}

// holds: X47
#[test]
fn our_own_guarantees_hold_under_every_single_fault() {
    let report = explore(setup).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{report}");
    assert!(report.repeats, "two undisturbed executions differ");
    assert_eq!(report.explored_singles, report.singles);
}
