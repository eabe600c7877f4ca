//! Controllers that draw a final conclusion from the state between two writes of another controller.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings::controller::{Action, Context, Controller, Error, Request};
use tidings_sim::Rule;

use super::site::{Site, ensure_map, new_site, owned_map, set_phase};
use super::{Variant, pair};

/// As in kcp#3926: one reconciler locks resources in an object that it shares, and reports itself as bound in a later
/// write. If it crashes between the two, another controller reads the lock without the report, and what it concludes
/// stays after the recovery.
// holds: Y6
#[test]
fn a_state_between_two_writes_of_another_controller_is_concluded_for_ever() {
    pair(Rule::SameFinalState, |variant, sim| {
        new_site(sim);
        sim.controller(|_| Controller::for_kind::<Site>("binding").owns::<ConfigMap>().reconcile(binds));
        sim.controller(move |_| initializer(variant));
    });
}

/// Locks first, then reports.
async fn binds(request: Request, context: Context) -> Result<Action, Error> {
    if let Some(site) = context.get::<Site>(&request).await? {
        ensure_map(&context, &owned_map(&site, "lock", json!({ "by": "binding" }))).await?;
        set_phase(&context, &site, "Bound").await?;
    }
    Ok(Action::await_change())
}

fn initializer(variant: Variant) -> Controller {
    let builder = Controller::for_kind::<Site>("initializer").owns::<ConfigMap>();
    // Undisturbed, both writes of the other controller have arrived when this one looks.
    builder
        .debounce(Duration::from_millis(100))
        .reconcile(move |request, context| concludes(variant, request, context))
}

async fn concludes(variant: Variant, request: Request, context: Context) -> Result<Action, Error> {
    let Some(site) = context.get::<Site>(&request).await? else { return Ok(Action::await_change()) };
    if context.get::<ConfigMap>(&site.key("lock")).await?.is_none() {
        return Ok(Action::await_change());
    }
    let is_concluded = context.get::<ConfigMap>(&site.key("conditions")).await?.is_some();
    if is_concluded && variant == Variant::Faulty {
        return Ok(Action::await_change()); // the condition is only written once
    }
    let state = if site.phase() == Some("Bound") { "Initialized" } else { "NoBinding" };
    ensure_map(&context, &owned_map(&site, "conditions", json!({ "state": state }))).await?;
    Ok(Action::await_change())
}
