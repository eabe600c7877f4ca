//! Controllers that break between two writes: by a crash (Sieve: intermediate state), or by an answer that is lost.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::ResourceExt as _;
use kube_client::api::{Patch, PatchParams, PostParams};
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Finalize, Request, finalizer};
use tidings_sim::Rule;

use super::site::{
    Site, create_pod, delete_map, ensure_map, map, one_site, owned_map, plain, pod, set_phase, set_status,
    short_life,
};
use super::{Variant, pair, site_controller, site_pair};

const FINALIZER: &str = "gallery.example/cleanup";

// holds: Y6
#[test]
fn a_generated_name_is_recorded_after_the_creation() {
    site_pair(Rule::NoDuplicates, generated_name);
}

async fn generated_name(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let known = site.status.as_ref().and_then(|status| status.pod.clone());
    let name = match (variant, &known) {
        (Variant::Faulty, Some(name)) => name.clone(),
        (Variant::Faulty, None) => {
            let created = context.api::<Pod>().create(&pod(&site, json!({ "generateName": "web-" }))).await?;
            created.name().to_owned() // a crash here forgets the pod
        }
        (Variant::Correct, _) => {
            let name = format!("{}-web", site.name_any()); // follows from the site: a second creation is refused
            if context.get::<Pod>(&site.key(&name)).await?.is_none() {
                create_pod(&context, &pod(&site, json!({ "name": name }))).await?;
            }
            name
        }
    };
    if known.as_ref() != Some(&name) {
        set_status(&context, &site, json!({ "pod": name })).await?;
    }
    Ok(Action::await_change())
}

#[test]
fn the_first_of_two_objects_stands_for_both() {
    site_pair(Rule::SameFinalState, half_made);
}

async fn half_made(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let is_made = context.get::<ConfigMap>(&site.key("pages")).await?.is_some();
    if is_made && variant == Variant::Faulty {
        return Ok(Action::await_change()); // after a crash between the two, the second is never made
    }
    ensure_map(&context, &owned_map(&site, "pages", json!({ "a": "1" }))).await?;
    ensure_map(&context, &owned_map(&site, "images", json!({ "a": "1" }))).await?;
    Ok(Action::await_change())
}

#[test]
fn the_status_says_ready_before_the_work_is_done() {
    site_pair(Rule::SameFinalState, ready_too_early);
}

async fn ready_too_early(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let pages = owned_map(&site, "pages", json!({ "a": "1" }));
    if variant == Variant::Faulty {
        if site.phase() != Some("Ready") {
            set_phase(&context, &site, "Ready").await?;
            ensure_map(&context, &pages).await?;
        }
        return Ok(Action::await_change());
    }
    ensure_map(&context, &pages).await?;
    set_phase(&context, &site, "Ready").await?;
    Ok(Action::await_change())
}

#[test]
fn a_value_lives_only_in_the_memory_of_the_process() {
    pair(Rule::Idempotent, |variant, sim| {
        one_site(sim);
        sim.may_differ(
            "configmaps",
            "/data/token",
            "it is chosen once, from whatever the controller saw first",
        );
        sim.controller(move |_| {
            let tokens: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
            Controller::for_kind::<Site>("site").owns::<ConfigMap>().reconcile(
                move |request: Request, context: Context| {
                    in_memory(variant, Arc::clone(&tokens), request, context)
                },
            )
        });
    });
}

async fn in_memory(
    variant: Variant,
    tokens: Arc<Mutex<BTreeMap<String, String>>>,
    request: Request,
    context: Context,
) -> Result<Action, Error> {
    let Some(site) = context.get::<Site>(&request).await? else { return Ok(Action::await_change()) };
    let found = context.get::<ConfigMap>(&site.key("token")).await?;
    if found.is_some() && variant == Variant::Correct {
        return Ok(Action::await_change()); // what is on the server is the truth
    }
    let new = site.resource_version().unwrap_or_default();
    let token =
        tokens.lock().expect("nothing panics").entry(site.uid().unwrap_or_default()).or_insert(new).clone();
    ensure_map(&context, &owned_map(&site, "token", json!({ "token": token }))).await?;
    Ok(Action::await_change())
}

#[test]
fn the_finalizer_is_removed_before_the_cleanup() {
    site_pair(Rule::NoLeftovers, finalizer_first);
}

async fn finalizer_first(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    if variant == Variant::Correct {
        return with_finalizer(site, context).await;
    }
    let finalizers = |names: &[&str]| Patch::Merge(json!({ "metadata": { "finalizers": names } }));
    let has_ours = site.finalizers().iter().any(|name| name == FINALIZER);
    match (site.is_deleted(), has_ours) {
        (false, false) => {
            context.api::<Site>().patch("shop", &PatchParams::default(), &finalizers(&[FINALIZER])).await?;
        }
        (false, true) => ensure_map(&context, &map(&site, "outside", json!({ "a": "1" }))).await?,
        (true, true) => {
            context.api::<Site>().patch("shop", &PatchParams::default(), &finalizers(&[])).await?;
            delete_map(&context, "outside").await?; // a crash before this line leaves the map for ever
        }
        (true, false) => {}
    }
    Ok(Action::await_change())
}

/// A config map that lives as long as its site, without an owner reference.
async fn with_finalizer(site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let sites = context.api::<Site>();
    let action = finalizer(&sites, FINALIZER, site, async |event| {
        match event {
            Finalize::Apply(site) => {
                ensure_map(&context, &map(&site, "outside", json!({ "a": "1" }))).await?
            }
            Finalize::Cleanup(_) => delete_map(&context, "outside").await?,
        }
        Ok::<_, Error>(Action::await_change())
    });
    action.await
}

#[test]
fn the_finalizer_is_added_after_the_creation() {
    pair(Rule::NoLeftovers, |variant, sim| {
        short_life(sim);
        sim.controller(move |_| site_controller(variant, finalizer_late));
    });
}

async fn finalizer_late(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    if variant == Variant::Faulty && !site.is_deleted() {
        ensure_map(&context, &map(&site, "outside", json!({ "a": "1" }))).await?; // nothing removes it if the site goes now
    }
    with_finalizer(site, context).await
}

// holds: Y6
#[test]
fn a_creation_without_an_answer_is_sent_again() {
    site_pair(Rule::NoDuplicates, sent_again);
}

async fn sent_again(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let pods = context.lister::<Pod>()?.list();
    if pods.iter().any(|pod| pod.controller_uid() == site.uid().as_deref()) {
        return Ok(Action::await_change());
    }
    if variant == Variant::Correct {
        create_pod(&context, &pod(&site, json!({ "name": "web" }))).await?;
        return Ok(Action::await_change());
    }
    let new = pod(&site, json!({ "generateName": "web-" }));
    if context.api::<Pod>().create(&new).await.is_err() {
        context.api::<Pod>().create(&new).await?; // the first may have been applied
    }
    Ok(Action::await_change())
}

#[test]
fn an_object_that_exists_already_is_an_error_for_ever() {
    site_pair(Rule::SameFinalState, exists_already);
}

async fn exists_already(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let is_done = match variant {
        Variant::Faulty => site.phase() == Some("Ready"),
        Variant::Correct => context.get::<ConfigMap>(&site.key("pages")).await?.is_some(),
    };
    if is_done {
        set_phase(&context, &site, "Ready").await?;
        return Ok(Action::await_change());
    }
    let created = plain::<ConfigMap>(&context)
        .create(&PostParams::default(), &owned_map(&site, "pages", json!({ "a": "1" })))
        .await;
    match (created, variant) {
        (Err(kube_client::Error::Api(status)), Variant::Correct) if status.code == 409 => {}
        (Err(kube_client::Error::Api(status)), Variant::Faulty) if status.code == 409 => {
            return Err(Error::terminal("pages exists")); // it is our own, from before the crash
        }
        (result, _) => drop(result?),
    }
    set_phase(&context, &site, "Ready").await?;
    Ok(Action::await_change())
}

#[test]
fn a_number_is_taken_and_then_recorded() {
    pair(Rule::SameFinalState, |variant, sim| {
        one_site(sim);
        sim.without(Rule::NoLeftovers, "the counter stays");
        sim.controller(move |_| site_controller(variant, takes_number));
    });
}

/// Each site gets the next number of a counter.
async fn takes_number(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    if site.status.as_ref().is_some_and(|status| status.replicas.is_some()) {
        return Ok(Action::await_change());
    }
    let maps = plain::<ConfigMap>(&context);
    let Some(mut counter) = maps.get_opt("counter").await? else {
        let counter = from_value(json!({ "metadata": { "name": "counter" }, "data": {} }))?;
        maps.create(&PostParams::default(), &counter).await?;
        return Err("the counter was created".into());
    };
    let taken = counter.data.get_or_insert_default();
    let key = match variant {
        Variant::Faulty => format!("number-{}", taken.len()), // a crash after this takes a second number
        Variant::Correct => site.name_any(),                  // says who has taken it
    };
    if !taken.contains_key(&key) {
        let number = taken.len().to_string();
        taken.insert(key.clone(), number);
        counter = maps.replace("counter", &PostParams::default(), &counter).await?;
    }
    let number: usize = counter.data.unwrap_or_default()[&key].parse()?;
    set_status(&context, &site, json!({ "replicas": number })).await?;
    Ok(Action::await_change())
}
