//! The checks: some hold at every moment, others after the faults have ended.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Service, ServiceAccount};
use serde_json::Value;
use tidings::controller::Request;
use tidings::{Kind, SharedInformer};

use crate::cluster::Cluster;
use crate::observations::{Observation, WorkItem};
use crate::plan::Coordination;
use crate::reconcile::{CONTENT, COPIER, COPY, FOR, OBSERVER, WATCHED};
use crate::replica::{Incarnation, matches};

/// The violation, if a check fails.
pub(crate) type Verdict = Result<(), String>;

type Versions = BTreeMap<String, u64>;

/// No key is reconciled twice at the same time, each replica reads its own writes, and each notification fits the
/// previous ones.
pub(crate) fn always(cluster: &Cluster) -> Verdict {
    if let Some(violation) = cluster.active.violation() {
        return Err(violation);
    }
    for replica in cluster.running() {
        for checked in &*replica.views.lock() {
            if let Some(violation) = checked.view.violation() {
                return Err(violation);
            }
        }
    }
    Ok(())
}

/// All queues are bounded by the limit of the handler and the number of objects, not by the number of changes.
pub(crate) fn bounded(cluster: &Cluster) -> Verdict {
    for replica in cluster.running() {
        for stats in replica.factory.stats() {
            // Deleted objects can wait to be reported. There are never more than this many objects of one kind.
            let objects = 3 * cluster.plan.pods.max(16);
            if stats.queued_deltas > 4096 + objects {
                return Err(format!(
                    "{}: {} deltas wait in {}",
                    replica.name, stats.queued_deltas, stats.name
                ));
            }
            for handler in &stats.handlers {
                if handler.backlog > cluster.plan.merge_above.max(8) + 4 * objects {
                    let (name, backlog) = (&handler.name, handler.backlog);
                    return Err(format!("{}: {backlog} notifications wait for {name}", replica.name));
                }
            }
        }
    }
    Ok(())
}

/// After the faults: every cache equals the server, every view equals its cache, and every ConfigMap has its Secret.
pub(crate) fn settled(cluster: &Cluster) -> Verdict {
    always(cluster)?;
    let running = cluster.running();
    if running.len() != cluster.plan.replicas() {
        return Err(format!("{} of {} replicas run", running.len(), cluster.plan.replicas()));
    }
    for replica in &running {
        caches_equal_server(cluster, replica)?;
        views_equal_caches(replica)?;
    }
    if cluster.plan.has_copier() && !cluster.plan.is_restored {
        secrets_match_config_maps(cluster)?;
    }
    last_reconciles_saw_final_state(cluster, &running)
}

fn caches_equal_server(cluster: &Cluster, replica: &Incarnation) -> Verdict {
    let equals = |name: &str, cached: Versions, truth: Versions| {
        if cached == truth {
            return Ok(());
        }
        let (missing, extra) = (difference(&truth, &cached), difference(&cached, &truth));
        let health = replica
            .factory
            .reports()
            .into_iter()
            .filter(|report| name.starts_with(&*report.stats.resource.plural));
        let health: Vec<_> = health.map(|report| (report.lifecycle, report.health)).collect();
        Err(format!("{}: cache of {name}: lacks {missing:?}, has {extra:?}\n{health:#?}", replica.name))
    };
    equals("pods", versions(&replica.pods), cluster.server.list_versions("pods"))?;
    let narrow = |informer: &SharedInformer<Pod>, namespaces: &BTreeSet<&str>| {
        let truth = cluster.server.list_versions("pods").into_iter();
        let truth = truth.filter(|(key, _)| namespaces.contains(key.split('/').next().unwrap_or_default()));
        equals(&format!("pods of {namespaces:?}"), versions(informer), truth.collect())
    };
    narrow(&replica.narrow.informer, &replica.narrow.namespaces.lock())?;
    for second_user in &*replica.second_users.lock() {
        narrow(&second_user.informer, &second_user.namespaces)?;
    }
    let truth = |resource| cluster.server.list_versions(resource);
    if cluster.plan.has_copier() {
        equals("configmaps", cached::<ConfigMap>(replica), truth("configmaps"))?;
        equals("secrets", cached::<Secret>(replica), truth("secrets"))?;
    }
    if cluster.plan.has_observer() {
        equals("services", cached::<Service>(replica), truth("services"))?;
        equals("serviceaccounts", cached::<ServiceAccount>(replica), truth("serviceaccounts"))?;
    }
    Ok(())
}

fn difference(of: &Versions, from: &Versions) -> Vec<String> {
    let only = of.iter().filter(|(key, version)| from.get(*key) != Some(version));
    only.map(|(key, version)| format!("{key}@{version}")).collect()
}

fn cached<K: Kind>(replica: &Incarnation) -> Versions {
    versions(&replica.factory.informer::<K>())
}

fn versions<K>(informer: &SharedInformer<K>) -> Versions {
    let objects = informer.lister().list();
    objects.iter().map(|object| (object.key().to_string(), object.version().number().unwrap_or(0))).collect()
}

/// Rule 1a.
fn views_equal_caches(replica: &Incarnation) -> Verdict {
    for checked in &*replica.views.lock() {
        let informer = if checked.is_namespaced { &replica.narrow.informer } else { &replica.pods };
        let objects = informer.lister().list().into_iter();
        let expected: BTreeMap<_, _> = objects
            .filter(|object: &tidings::Object<Pod>| !checked.is_filtered || matches(object))
            .map(|pod| (pod.key().to_string(), (pod.uid().to_owned(), pod.version().number().unwrap_or(0))))
            .collect();
        let view = checked.view.objects();
        if view != expected {
            let missing: Vec<_> =
                expected.iter().filter(|(key, state)| view.get(*key) != Some(state)).collect();
            let extra: Vec<_> =
                view.iter().filter(|(key, state)| expected.get(*key) != Some(state)).collect();
            return Err(format!("{}: lacks {missing:?}, has {extra:?}", checked.view.name()));
        }
    }
    Ok(())
}

/// Every ConfigMap has its Secret with the same content, and there is no other Secret.
fn secrets_match_config_maps(cluster: &Cluster) -> Verdict {
    let read = |resource: &str, path: &str| -> BTreeMap<String, String> {
        let keys = cluster.server.list_versions(resource).into_keys();
        let text = |key: &str| {
            let object = cluster.server.object(resource, key)?;
            Some(object.pointer(path)?.as_str()?.to_owned())
        };
        keys.map(|key| (text(&key).unwrap_or_default(), key)).map(|(text, key)| (key, text)).collect()
    };
    let contents = read("configmaps", &format!("/data/{CONTENT}"));
    let copies = read("secrets", &format!("/metadata/annotations/{COPY}"));
    if contents == copies { Ok(()) } else { Err(format!("contents are {contents:?}, copies are {copies:?}")) }
}

/// What a reconcile of each request must see now.
fn truth(cluster: &Cluster) -> HashMap<WorkItem, BTreeSet<String>> {
    let mut truth: HashMap<WorkItem, BTreeSet<String>> = HashMap::new();
    let mut add = |controller, resource: &str, request: fn(&Value) -> Option<String>| {
        for (key, version) in cluster.server.list_versions(resource) {
            let object = cluster.server.object(resource, &key).unwrap_or_default();
            let Some(name) = request(&object) else { continue };
            let namespace = object["metadata"]["namespace"].as_str();
            let Ok(request) = Request::new(namespace, &name) else { continue };
            let saw = format!("{resource} {key}@{version}");
            truth.entry((controller, request)).or_default().insert(saw);
        }
    };
    if cluster.plan.has_observer() {
        add(OBSERVER, "serviceaccounts", |object| text(object, "name"));
        add(OBSERVER, "pods", |object| label(object, FOR));
        add(OBSERVER, "services", |object| label(object, FOR).filter(|_| is_watched(object)));
    }
    if cluster.plan.has_copier() {
        add(COPIER, "configmaps", |object| text(object, "name"));
        add(COPIER, "secrets", |object| label(object, FOR));
    }
    truth
}

fn text(object: &Value, field: &str) -> Option<String> {
    Some(object["metadata"][field].as_str()?.to_owned())
}

fn is_watched(object: &Value) -> bool {
    label(object, WATCHED).as_deref() == Some("yes")
}

fn label(object: &Value, name: &str) -> Option<String> {
    Some(object["metadata"]["labels"][name].as_str()?.to_owned())
}

/// Rule 1b: the last reconcile of each request started after the last change of the objects that map to it.
fn last_reconciles_saw_final_state(cluster: &Cluster, running: &[Arc<Incarnation>]) -> Verdict {
    let truth = truth(cluster);
    let saw_final_state = |who: &str, observations: &HashMap<WorkItem, Observation>| {
        let all: BTreeSet<_> = truth.keys().chain(observations.keys()).collect();
        for work in all {
            let empty = BTreeSet::new();
            let expected = truth.get(work).unwrap_or(&empty);
            let last = observations.get(work);
            if last.map_or(&empty, |last| &last.saw) != expected {
                let last = last.map(|last| (cluster.trace.since_start(last.at), &last.saw));
                let (controller, request) = work;
                return Err(format!(
                    "{who}: {controller} {request} should see {expected:?}, last saw {last:?}"
                ));
            }
        }
        Ok(())
    };
    if cluster.plan.coordination == Coordination::None {
        return running
            .iter()
            .try_for_each(|replica| saw_final_state(&replica.name, &replica.observations.all()));
    }
    // Each key is reconciled by one replica. The last reconcile over all replicas must have seen the final state.
    let mut latest: HashMap<WorkItem, Observation> = HashMap::new();
    for (work, observation) in running.iter().flat_map(|replica| replica.observations.all()) {
        let is_later = latest.get(&work).is_none_or(|other| other.at <= observation.at);
        if is_later {
            latest.insert(work, observation);
        }
    }
    saw_final_state("all replicas", &latest)
}

/// The objects that controllers have written.
pub(crate) fn written(cluster: &Cluster) -> Versions {
    cluster.server.list_versions("secrets")
}

/// No task remains after the simulation.
pub(crate) async fn nothing_runs() -> Verdict {
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    for _ in 0..100 {
        if alive() == 0 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Err(format!("{} tasks are left", alive()))
}
