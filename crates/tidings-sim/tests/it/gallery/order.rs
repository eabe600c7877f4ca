//! Controllers that break when a write is refused or late, and when two processes work at the same time.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::ResourceExt as _;
use kube_client::api::{ListParams, PostParams};
use serde_json::json;
use tidings::controller::{Action, Context, Error};
use tidings_sim::Rule;

use super::site::{Site, create_pod, new_colour, new_site, owned_map, plain, pod};
use super::{Variant, pair, site_controller, site_pair};

// holds: Y6
#[test]
fn a_conflict_is_taken_for_success() {
    pair(Rule::SameFinalState, |variant, sim| {
        new_colour(sim);
        sim.controller(move |_| site_controller(variant, ignores_conflict));
    });
}

async fn ignores_conflict(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let wanted = owned_map(&site, "pages", json!({ "colour": site.spec.colour }));
    let Some(found) = context.get::<ConfigMap>(&site.key("pages")).await? else {
        context.api::<ConfigMap>().create(&wanted).await?;
        return Ok(Action::await_change());
    };
    if found.data == wanted.data {
        return Ok(Action::await_change());
    }
    let replaced = ConfigMap { data: wanted.data, ..ConfigMap::clone(&found) };
    match context.api::<ConfigMap>().replace(&replaced).await {
        // "The other writer causes an event." Not if this is the cache that was behind.
        Err(kube_client::Error::Api(status)) if status.code == 409 && variant == Variant::Faulty => {}
        result => drop(result?),
    }
    Ok(Action::await_change())
}

#[test]
fn a_throttled_write_is_never_retried() {
    pair(Rule::SameFinalState, |variant, sim| {
        new_site(sim);
        sim.controller(move |_| site_controller(variant, gives_up));
    });
}

async fn gives_up(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    if context.get::<ConfigMap>(&site.key("pages")).await?.is_none() {
        let created =
            context.api::<ConfigMap>().create(&owned_map(&site, "pages", json!({ "a": "1" }))).await;
        match variant {
            Variant::Faulty => drop(created.map_err(Error::terminal)?), // 429 and 503 pass
            Variant::Correct => drop(created?),
        }
    }
    Ok(Action::await_change())
}

/// The list comes from the server, so that crashes and stale caches do no harm. A second leader does.
// holds: Y6
#[test]
fn a_list_and_a_creation_are_not_one_step() {
    site_pair(Rule::NoDuplicates, lists_then_creates);
}

async fn lists_then_creates(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let pods = plain::<Pod>(&context);
    let all = pods.list(&ListParams::default()).await?;
    let is_ours = |pod: &Pod| tidings::controller::is_controlled_by(pod, &site.uid().unwrap_or_default());
    if all.items.iter().any(is_ours) {
        return Ok(Action::await_change());
    }
    match variant {
        Variant::Faulty => {
            drop(pods.create(&PostParams::default(), &pod(&site, json!({ "generateName": "web-" }))).await?)
        }
        Variant::Correct => create_pod(&context, &pod(&site, json!({ "name": "web" }))).await?,
    }
    Ok(Action::await_change())
}
