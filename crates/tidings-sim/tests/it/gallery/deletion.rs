//! Controllers that break when they do not see a state (Sieve: unobserved state), and controllers that leave something
//! behind.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::api::PostParams;
use kube_client::{Api, ResourceExt as _};
use kube_core::CustomResourceExt as _;
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Finalize, Request, finalizer};
use tidings_sim::{Rule, Sim};

use super::site::{Site, delete_map, ensure_map, map, one_site, owned_map, set_phase, short_life, site};
use super::{Variant, pair, site_controller, site_pair};

const FINALIZER: &str = "gallery.example/cleanup";

// holds: Y6
#[test]
fn the_event_of_a_deletion_is_needed_for_the_cleanup() {
    pair(Rule::NoLeftovers, |variant, sim| {
        short_life(sim);
        sim.controller(move |_| {
            let builder = Controller::for_kind::<Site>("site").owns::<ConfigMap>();
            builder.reconcile(move |request, context| cleans_on_event(variant, request, context))
        });
    });
}

async fn cleans_on_event(variant: Variant, request: Request, context: Context) -> Result<Action, Error> {
    match (context.get::<Site>(&request).await?, variant) {
        (None, Variant::Faulty) => delete_map(&context, "outside").await?, // not called if the process is down
        (Some(site), Variant::Faulty) => {
            ensure_map(&context, &map(&site, "outside", json!({ "a": "1" }))).await?
        }
        (None, Variant::Correct) => {}
        (Some(site), Variant::Correct) => return cleans(site, context, Missing::IsFine).await,
    }
    Ok(Action::await_change())
}

/// What the cleanup does if the object is gone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    IsFine,
    IsAnError,
}

async fn cleans(site: Arc<Site>, context: Context, missing: Missing) -> Result<Action, Error> {
    let sites = context.api::<Site>();
    let action = finalizer(&sites, FINALIZER, site, async |event| {
        match event {
            Finalize::Apply(site) => {
                ensure_map(&context, &map(&site, "outside", json!({ "a": "1" }))).await?
            }
            Finalize::Cleanup(_) if missing == Missing::IsFine => delete_map(&context, "outside").await?,
            Finalize::Cleanup(_) => drop(context.api::<ConfigMap>().delete("outside").await?),
        }
        Ok::<_, Error>(Action::await_change())
    });
    action.await
}

// holds: Y6
#[test]
fn the_cleanup_fails_if_it_was_done_before() {
    site_pair(Rule::NoFinalizers, cleans_once);
}

async fn cleans_once(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let missing = match variant {
        Variant::Faulty => Missing::IsAnError, // 404 after a crash: the finalizer stays for ever
        Variant::Correct => Missing::IsFine,
    };
    cleans(site, context, missing).await
}

// holds: Y6
#[test]
fn the_owner_reference_is_missing() {
    site_pair(Rule::NoLeftovers, no_owner);
}

async fn no_owner(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let pages = match variant {
        Variant::Faulty => map(&site, "pages", json!({ "a": "1" })),
        Variant::Correct => owned_map(&site, "pages", json!({ "a": "1" })),
    };
    ensure_map(&context, &pages).await?;
    Ok(Action::await_change())
}

#[test]
fn an_object_of_the_same_name_counts_as_the_same_object() {
    pair(Rule::SameFinalState, |variant, sim| {
        one_site(sim);
        sim.without(Rule::NoLeftovers, "the record is kept");
        sim.controller(move |_| site_controller(variant, same_name));
    });
}

async fn same_name(variant: Variant, site: Arc<Site>, context: Context) -> Result<Action, Error> {
    let found = context.get::<ConfigMap>(&site.key("record")).await?;
    if found.is_none() || variant == Variant::Correct {
        ensure_map(&context, &map(&site, "record", json!({ "site": site.uid() }))).await?;
    }
    Ok(Action::await_change())
}

/// Creates a secret, and a site that needs it.
fn site_with_secret(sim: &mut Sim) {
    sim.install(Site::crd());
    sim.scenario(|client| async move {
        let secret = from_value(json!({ "metadata": { "name": "password" } })).expect("it is a secret");
        Api::<Secret>::default_namespaced(client.clone()).create(&PostParams::default(), &secret).await?;
        Api::<Site>::default_namespaced(client).create(&PostParams::default(), &site(1)).await.map(drop)
    });
}

#[test]
fn a_missing_dependency_is_not_watched() {
    pair(Rule::SameFinalState, |variant, sim| {
        site_with_secret(sim);
        sim.controller(move |_| {
            let builder = Controller::for_kind::<Site>("site");
            let builder = match variant {
                Variant::Faulty => builder.reads::<Secret>(), // nobody looks again when the secret appears
                Variant::Correct => builder.watches::<Secret>(|secret| {
                    Request::new(secret.object().namespace(), "shop").into_iter().collect()
                }),
            };
            builder.reconcile(needs_secret)
        });
    });
}

async fn needs_secret(request: Request, context: Context) -> Result<Action, Error> {
    let Some(site) = context.get::<Site>(&request).await? else { return Ok(Action::await_change()) };
    if context.get::<Secret>(&site.key("password")).await?.is_some() {
        set_phase(&context, &site, "Ready").await?;
    }
    Ok(Action::await_change())
}
