//! Controllers that break when their cache is behind the server (Sieve: stale state).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::ResourceExt as _;
use kube_client::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::json;
use tidings::controller::{Action, Context, Controller, Error, Request};
use tidings_sim::{FaultGroup, Rule, ServerState, Sim};

use super::site::{Site, create_pod, one_site, only, owned_map, plain, pod, set_phase};
use super::{Variant, pair, site_controller, site_pair};

#[test]
fn missing_objects_are_counted_in_a_stale_list_and_created() {
    site_pair(Rule::NoDuplicates, list_then_create);
}

async fn list_then_create(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let pods = context.lister::<Pod>()?.list();
    let uid = site.uid();
    let own: Vec<_> = pods.iter().filter(|pod| pod.controller_uid() == uid.as_deref()).collect();
    let names: Vec<String> = (0..site.spec.replicas).map(|at| format!("{}-{at}", site.name_any())).collect();
    for (at, name) in names.iter().enumerate() {
        match variant {
            // The list may lack what the last reconcile has created.
            Variant::Faulty if at >= own.len() => {
                let new = pod(&site, json!({ "generateName": "web-" }));
                plain::<Pod>(&context).create(&PostParams::default(), &new).await?;
            }
            Variant::Correct if own.iter().all(|pod| pod.name() != name) => {
                create_pod(&context, &pod(&site, json!({ "name": name }))).await?;
            }
            _ => {}
        }
    }
    let is_surplus = |at: usize, name: &str| match variant {
        Variant::Faulty => at >= site.spec.replicas,
        Variant::Correct => !names.iter().any(|wanted| wanted == name),
    };
    for (at, pod) in own.iter().enumerate() {
        if is_surplus(at, pod.name()) {
            context.api::<Pod>().delete_with(pod.name(), &only(pod.uid())).await?;
        }
    }
    Ok(Action::await_change())
}

/// No pod that has the colour of its site is ever deleted.
fn current_pods_stay(sim: &mut Sim) {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    sim.always("no pod of the current colour is deleted", move |state: &ServerState| {
        let colour_of = |pod: &Pod| pod.labels().get("colour").cloned().unwrap_or_default();
        let now: BTreeMap<_, _> =
            state.list::<Pod>().iter().map(|pod| (pod.uid().unwrap_or_default(), colour_of(pod))).collect();
        let site = state.get::<Site>("default", "shop");
        let is_current = |colour: &str| site.as_ref().is_some_and(|site| site.spec.colour == colour);
        let lost = known.iter().find(|(uid, colour)| !now.contains_key(*uid) && is_current(colour));
        let verdict = match lost {
            Some((uid, colour)) => Err(format!("the {colour} pod with uid {uid} is gone")),
            None => Ok(()),
        };
        known = now;
        verdict
    });
    sim.skip(FaultGroup::OutsideActors, "other clients do delete pods");
}

// holds: Y6
#[test]
fn an_object_is_deleted_by_its_name_instead_of_its_uid() {
    pair("no pod of the current colour is deleted", |variant, sim| {
        one_site(sim);
        current_pods_stay(sim);
        sim.controller(move |_| site_controller(variant, deletes_by_name));
    });
}

async fn deletes_by_name(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let metadata = json!({ "name": "web", "labels": { "colour": site.spec.colour } });
    match context.get::<Pod>(&site.key("web")).await? {
        None => create_pod(&context, &pod(&site, metadata)).await?,
        Some(old) if old.labels().get("colour") != Some(&site.spec.colour) => {
            let params = match variant {
                Variant::Faulty => DeleteParams::default(), // this may be the next pod of this name already
                Variant::Correct => only(&old.uid().unwrap_or_default()),
            };
            plain::<Pod>(&context).delete("web", &params).await?;
            return Ok(Action::requeue_after(Duration::from_secs(1)));
        }
        Some(_) => {}
    }
    Ok(Action::await_change())
}

/// opensearch-operator#1471: the guard of a quorum counts pods in a cache that does not show the last deletion.
#[test]
fn a_quorum_is_counted_in_a_stale_list() {
    pair("two of three pods always run", |variant, sim| {
        one_site(sim);
        sim.skip(FaultGroup::OutsideActors, "other clients do delete pods");
        sim.skip(
            FaultGroup::TwoLeaders,
            "a second leader may delete a second pod: that needs a PodDisruptionBudget",
        );
        let mut has_started = false;
        sim.always("two of three pods always run", move |state: &ServerState| {
            let (pods, sites) = (state.list::<Pod>().len(), state.list::<Site>().len());
            has_started = sites > 0 && (has_started || pods == 3);
            !has_started || pods >= 2
        });
        sim.controller(|_| Controller::for_kind::<Site>("stateful-set").owns::<Pod>().reconcile(three_pods));
        sim.controller(move |_| site_controller(variant, restarts_pods));
    });
}

/// Stands for a StatefulSet: replaces a missing pod, but not at once.
async fn three_pods(request: Request, context: Context) -> Result<Action, Error> {
    let Some(site) = context.get::<Site>(&request).await? else { return Ok(Action::await_change()) };
    let names = ["web-0", "web-1", "web-2"].map(str::to_owned);
    let mut missing = Vec::new();
    for name in names {
        if context.get::<Pod>(&site.key(&name)).await?.is_none() {
            missing.push(name);
        }
    }
    if missing.is_empty() {
        return Ok(Action::await_change());
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    for name in missing {
        let metadata = json!({ "name": name, "labels": { "colour": site.spec.colour } });
        create_pod(&context, &pod(&site, metadata)).await?;
    }
    Ok(Action::await_change())
}

async fn restarts_pods(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let is_old = |pod: &Pod| pod.labels().get("colour") != Some(&site.spec.colour);
    let mut pods: Vec<Pod> = Vec::new();
    match variant {
        Variant::Faulty => {
            for pod in context.lister::<Pod>()?.list() {
                pods.push(pod.decoded()?.as_ref().clone()); // may still contain the pod that was deleted last
            }
        }
        Variant::Correct => pods = plain::<Pod>(&context).list(&ListParams::default()).await?.items,
    }
    pods.sort_by_key(|pod| pod.metadata.name.clone());
    let mut old = Vec::new();
    for pod in pods.iter().filter(|pod| is_old(pod)) {
        // Both delete only pods that exist.
        if plain::<Pod>(&context)
            .get_opt(&pod.name_any())
            .await?
            .is_some_and(|found| found.uid() == pod.uid())
        {
            old.push(pod);
        }
    }
    if pods.len() == 3
        && let Some(first) = old.first()
    {
        plain::<Pod>(&context).delete(&first.name_any(), &only(&first.uid().unwrap_or_default())).await?;
    }
    match old.is_empty() {
        true => Ok(Action::await_change()),
        false => Ok(Action::requeue_after(Duration::from_millis(500))),
    }
}

#[test]
fn a_whole_object_is_written_back_from_a_stale_copy() {
    site_pair(Rule::SameFinalState, writes_whole_object);
}

async fn writes_whole_object(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    if site.annotations().contains_key("gallery.example/seen") {
        return Ok(Action::await_change());
    }
    let mut patch = json!({ "metadata": { "annotations": { "gallery.example/seen": "yes" } } });
    if variant == Variant::Faulty {
        patch["spec"] = serde_json::to_value(&site.spec)?; // undoes what the user changed since
    }
    context.api::<Site>().patch("shop", &PatchParams::default(), &Patch::Merge(patch)).await?;
    Ok(Action::await_change())
}

#[test]
fn the_status_is_computed_from_a_cache_that_nothing_watches() {
    pair(Rule::SameFinalState, |variant, sim| {
        one_site(sim);
        sim.controller(move |_| {
            let builder = Controller::for_kind::<Site>("site");
            let builder = match variant {
                Variant::Faulty => builder.reads::<ConfigMap>(), // nobody looks again when the map appears
                Variant::Correct => builder.owns::<ConfigMap>(),
            };
            builder.reconcile(stuck_status)
        });
    });
}

async fn stuck_status(request: Request, context: Context) -> Result<Action, Error> {
    let Some(site) = context.get::<Site>(&request).await? else { return Ok(Action::await_change()) };
    let found = context.get::<ConfigMap>(&site.key("pages")).await?;
    if found.is_none() {
        let created =
            context.api::<ConfigMap>().create(&owned_map(&site, "pages", json!({ "a": "1" }))).await;
        match created {
            Err(kube_client::Error::Api(status)) if status.code == 409 => {}
            result => drop(result?),
        }
    }
    set_phase(&context, &site, if found.is_some() { "Ready" } else { "Pending" }).await?;
    Ok(Action::await_change())
}
