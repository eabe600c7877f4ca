//! Controllers that do not return to the desired state after a change and its reversal (Acto: rollbacks), or never rest.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::ResourceExt as _;
use kube_client::api::{Patch, PatchParams};
use serde_json::json;
use tidings::controller::{Action, Context, Controller, Error, Request};
use tidings_sim::Rule;

use super::site::{
    Site, create_pod, ensure_map, one_site, only, owned_map, plain, pod, set_phase, set_status,
};
use super::{Variant, pair, site_pair};

// holds: Y6
#[test]
fn a_value_that_was_rolled_back_stays() {
    site_pair(Rule::SameFinalState, accumulates);
}

async fn accumulates(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let colours = owned_map(&site, "colours", json!({ site.spec.colour.clone(): "on" }));
    if variant == Variant::Correct {
        ensure_map(&context, &colours).await?;
        return Ok(Action::await_change());
    }
    match context.get::<ConfigMap>(&site.key("colours")).await? {
        Some(found) if found.data.as_ref().is_some_and(|data| data.contains_key(&site.spec.colour)) => {}
        None => drop(context.api::<ConfigMap>().create(&colours).await?),
        Some(_) => {
            // A merge patch adds the new key and keeps all old ones.
            let patch = Patch::Merge(json!({ "data": colours.data }));
            context.api::<ConfigMap>().patch("colours", &PatchParams::default(), &patch).await?;
        }
    }
    Ok(Action::await_change())
}

#[test]
fn it_scales_up_and_never_down() {
    site_pair(Rule::SameFinalState, only_up);
}

async fn only_up(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    for at in 0..site.spec.replicas {
        let name = format!("web-{at}");
        if context.get::<Pod>(&site.key(&name)).await?.is_none() {
            create_pod(&context, &pod(&site, json!({ "name": name }))).await?;
        }
    }
    if variant == Variant::Correct {
        let uid = site.uid();
        for pod in context.lister::<Pod>()?.list() {
            let at = pod.name().strip_prefix("web-").and_then(|at| at.parse::<usize>().ok());
            if pod.controller_uid() == uid.as_deref() && at.is_some_and(|at| at >= site.spec.replicas) {
                plain::<Pod>(&context).delete(pod.name(), &only(pod.uid())).await?;
            }
        }
    }
    Ok(Action::await_change())
}

#[test]
fn a_child_is_expected_to_exist() {
    site_pair(Rule::NoPanic, expects_child);
}

async fn expects_child(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let pages = context.get::<ConfigMap>(&site.key("pages")).await?;
    if site.phase() == Some("Ready") && variant == Variant::Faulty {
        let pages = pages.expect("a ready site has pages"); // until another client deletes them
        assert!(pages.metadata.name.is_some());
        return Ok(Action::await_change());
    }
    ensure_map(&context, &owned_map(&site, "pages", json!({ "a": "1" }))).await?;
    set_phase(&context, &site, "Ready").await?;
    Ok(Action::await_change())
}

// holds: Y6
#[test]
fn every_reconcile_writes_a_new_status() {
    site_pair(Rule::Quiet, counts_reconciles);
}

async fn counts_reconciles(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let written = site.status.as_ref().and_then(|status| status.replicas);
    let wanted = match variant {
        Variant::Faulty => written.unwrap_or(0) + 1, // the write requests the next reconcile
        Variant::Correct => site.spec.replicas,
    };
    if written != Some(wanted) {
        set_status(&context, &site, json!({ "replicas": wanted })).await?;
    }
    Ok(Action::await_change())
}

#[test]
fn reconciles_follow_each_other_without_a_change() {
    site_pair(Rule::Quiet, polls);
}

async fn polls(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    ensure_map(&context, &owned_map(&site, "pages", json!({ "a": "1" }))).await?;
    Ok(match variant {
        Variant::Faulty => Action::requeue_after(Duration::from_millis(20)),
        Variant::Correct => Action::requeue_after(Duration::from_secs(60)),
    })
}

#[test]
fn two_controllers_write_the_same_field() {
    pair(Rule::Quiet, |variant, sim| {
        one_site(sim);
        for name in ["blue-team", "red-team"] {
            sim.controller(move |_| {
                Controller::for_kind::<Site>(name).reconcile(
                    move |request: Request, context: Context| async move {
                        let Some(site) = context.get::<Site>(&request).await? else {
                            return Ok(Action::await_change());
                        };
                        let label = match variant {
                            Variant::Faulty => "team", // each undoes what the other wrote
                            Variant::Correct => name,
                        };
                        if site.labels().get(label).map(String::as_str) != Some(name) {
                            let patch = Patch::Merge(json!({ "metadata": { "labels": { label: name } } }));
                            context.api::<Site>().patch("shop", &PatchParams::default(), &patch).await?;
                        }
                        Ok(Action::await_change())
                    },
                )
            });
        }
    });
}
