//! What must hold: always, and when the faults have ended.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Service, ServiceAccount};
use serde_json::Value;
use tidings::controller::Request;
use tidings::{Kind, SharedInformer};

use crate::plan::Coordination;
use crate::reconcile::{COPIER, COPY, FOR, OBSERVER, WATCHED, WISH};
use crate::replica::{Life, matches};
use crate::sightings::{Sighting, Work};
use crate::world::World;

/// Whether all is as it should be, and if not, what is wrong.
pub(crate) type Verdict = Result<(), String>;

/// The versions of objects by key.
type Versions = BTreeMap<String, u64>;

/// No key is in two hands, no replica misses its own writes, no handler was notified of nonsense.
pub(crate) fn always(world: &World) -> Verdict {
    if let Some(violation) = world.hands.violation() {
        return Err(violation);
    }
    for replica in world.living() {
        for watching in &*replica.views.lock() {
            if let Some(complaint) = watching.view.complaint() {
                return Err(complaint);
            }
        }
    }
    Ok(())
}

/// What waits is bounded: by the handler's bound and the number of objects, not by what has happened.
pub(crate) fn bounded(world: &World) -> Verdict {
    for replica in world.living() {
        for stats in replica.factory.stats() {
            // Objects that are gone may wait to be reported; there are never more than this many of one kind.
            let objects = 3 * world.plan.pods.max(16);
            if stats.queued_deltas > 4096 + objects {
                return Err(format!(
                    "{}: {} deltas wait in {}",
                    replica.name, stats.queued_deltas, stats.name
                ));
            }
            for handler in &stats.handlers {
                if handler.backlog > world.plan.merge_above.max(8) + 4 * objects {
                    let (name, backlog) = (&handler.name, handler.backlog);
                    return Err(format!("{}: {backlog} notifications wait for {name}", replica.name));
                }
            }
        }
    }
    Ok(())
}

/// The faults have ended: every cache equals the server, every view its cache, every wish has come true.
pub(crate) fn settled(world: &World) -> Verdict {
    always(world)?;
    let living = world.living();
    if living.len() != world.plan.replicas() {
        return Err(format!("{} of {} replicas live", living.len(), world.plan.replicas()));
    }
    for replica in &living {
        caches_equal_server(world, replica)?;
        views_equal_caches(replica)?;
    }
    if world.plan.has_copier() && !world.plan.goes_back {
        wishes_came_true(world)?;
    }
    reconciles_saw_the_end(world, &living)
}

fn caches_equal_server(world: &World, replica: &Life) -> Verdict {
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
    equals("pods", versions(&replica.pods), world.server.list_versions("pods"))?;
    let narrow = |informer: &SharedInformer<Pod>, namespaces: &BTreeSet<&str>| {
        let truth = world.server.list_versions("pods").into_iter();
        let truth = truth.filter(|(key, _)| namespaces.contains(key.split('/').next().unwrap_or_default()));
        equals(&format!("pods of {namespaces:?}"), versions(informer), truth.collect())
    };
    narrow(&replica.narrow.informer, &replica.narrow.namespaces.lock())?;
    for asker in &*replica.askers.lock() {
        narrow(&asker.informer, &asker.namespaces)?;
    }
    let truth = |resource| world.server.list_versions(resource);
    if world.plan.has_copier() {
        equals("configmaps", cached::<ConfigMap>(replica), truth("configmaps"))?;
        equals("secrets", cached::<Secret>(replica), truth("secrets"))?;
    }
    if world.plan.has_observer() {
        equals("services", cached::<Service>(replica), truth("services"))?;
        equals("serviceaccounts", cached::<ServiceAccount>(replica), truth("serviceaccounts"))?;
    }
    Ok(())
}

fn difference(of: &Versions, from: &Versions) -> Vec<String> {
    let only = of.iter().filter(|(key, version)| from.get(*key) != Some(version));
    only.map(|(key, version)| format!("{key}@{version}")).collect()
}

fn cached<K: Kind>(replica: &Life) -> Versions {
    versions(&replica.factory.informer::<K>())
}

fn versions<K>(informer: &SharedInformer<K>) -> Versions {
    let objects = informer.lister().list();
    objects.iter().map(|object| (object.key().to_string(), object.version().number().unwrap_or(0))).collect()
}

/// Rule 1a.
fn views_equal_caches(replica: &Life) -> Verdict {
    for watching in &*replica.views.lock() {
        let informer = if watching.is_narrow { &replica.narrow.informer } else { &replica.pods };
        let objects = informer.lister().list().into_iter();
        let expected: BTreeMap<_, _> = objects
            .filter(|object: &tidings::Object<Pod>| !watching.is_filtered || matches(object))
            .map(|pod| (pod.key().to_string(), (pod.uid().to_owned(), pod.version().number().unwrap_or(0))))
            .collect();
        let view = watching.view.objects();
        if view != expected {
            let missing: Vec<_> =
                expected.iter().filter(|(key, state)| view.get(*key) != Some(state)).collect();
            let extra: Vec<_> =
                view.iter().filter(|(key, state)| expected.get(*key) != Some(state)).collect();
            return Err(format!("{}: lacks {missing:?}, has {extra:?}", watching.view.name()));
        }
    }
    Ok(())
}

/// Every ConfigMap has its Secret, and there is no other.
fn wishes_came_true(world: &World) -> Verdict {
    let read = |resource: &str, path: &str| -> BTreeMap<String, String> {
        let keys = world.server.list_versions(resource).into_keys();
        let text = |key: &str| {
            let object = world.server.object(resource, key)?;
            Some(object.pointer(path)?.as_str()?.to_owned())
        };
        keys.map(|key| (text(&key).unwrap_or_default(), key)).map(|(text, key)| (key, text)).collect()
    };
    let wishes = read("configmaps", &format!("/data/{WISH}"));
    let copies = read("secrets", &format!("/metadata/annotations/{COPY}"));
    if wishes == copies { Ok(()) } else { Err(format!("wishes are {wishes:?}, copies are {copies:?}")) }
}

/// What a reconcile of each request would see now.
fn truth(world: &World) -> HashMap<Work, BTreeSet<String>> {
    let mut truth: HashMap<Work, BTreeSet<String>> = HashMap::new();
    let mut add = |controller, resource: &str, request: fn(&Value) -> Option<String>| {
        for (key, version) in world.server.list_versions(resource) {
            let object = world.server.object(resource, &key).unwrap_or_default();
            let Some(name) = request(&object) else { continue };
            let namespace = object["metadata"]["namespace"].as_str();
            let Ok(request) = Request::new(namespace, &name) else { continue };
            let saw = format!("{resource} {key}@{version}");
            truth.entry((controller, request)).or_default().insert(saw);
        }
    };
    if world.plan.has_observer() {
        add(OBSERVER, "serviceaccounts", |object| text(object, "name"));
        add(OBSERVER, "pods", |object| label(object, FOR));
        add(OBSERVER, "services", |object| label(object, FOR).filter(|_| is_watched(object)));
    }
    if world.plan.has_copier() {
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

/// Rule 1b: the last reconcile of each request began after the last change of what maps to it.
fn reconciles_saw_the_end(world: &World, living: &[Arc<Life>]) -> Verdict {
    let truth = truth(world);
    let saw_the_end = |who: &str, sightings: &HashMap<Work, Sighting>| {
        let all: BTreeSet<_> = truth.keys().chain(sightings.keys()).collect();
        for work in all {
            let empty = BTreeSet::new();
            let expected = truth.get(work).unwrap_or(&empty);
            let last = sightings.get(work);
            if last.map_or(&empty, |last| &last.saw) != expected {
                let last = last.map(|last| (world.trace.since_start(last.at), &last.saw));
                let (controller, request) = work;
                return Err(format!(
                    "{who}: {controller} {request} should see {expected:?}, saw last {last:?}"
                ));
            }
        }
        Ok(())
    };
    if world.plan.coordination == Coordination::None {
        return living.iter().try_for_each(|replica| saw_the_end(&replica.name, &replica.sightings.all()));
    }
    // One of them works on each key, and whoever worked on it last has seen the end.
    let mut latest: HashMap<Work, Sighting> = HashMap::new();
    for (work, sighting) in living.iter().flat_map(|replica| replica.sightings.all()) {
        let is_later = latest.get(&work).is_none_or(|other| other.at <= sighting.at);
        if is_later {
            latest.insert(work, sighting);
        }
    }
    saw_the_end("all replicas", &latest)
}

/// What controllers have written.
pub(crate) fn written(world: &World) -> Versions {
    world.server.list_versions("secrets")
}

/// After the end of the world no task is left.
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
