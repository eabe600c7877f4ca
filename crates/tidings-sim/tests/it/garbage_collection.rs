//! The garbage collector of `tidings-cluster` as a process of a simulation: it crashes, lags, misses events and works
//! beside a controller that does so too, and nothing of a deleted owner may be left.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::Api;
use kube_client::api::{DeleteParams, PostParams, PropagationPolicy};
use kube_core::CustomResourceExt as _;
use serde_json::{from_value, json};
use tidings::Kind as _;
use tidings::controller::{Action, Context, Controller, Error, Request, set_controller};
use tidings_apiserver::GarbageCollection;
use tidings_cluster::{Cluster, GarbageCollector};
use tidings_sim::{FaultGroup, Sim, explore};

use crate::gallery::site::{Site, ensure_map, owned_map, site};

fn garbage_collector(sim: &mut Sim) {
    sim.server(|server| server.garbage_collection(GarbageCollection::External));
    sim.process("gc", |factory| {
        let kinds = [Site::resource(), ConfigMap::resource(), Secret::resource()];
        Cluster::new().with(GarbageCollector::only(kinds)).manager(factory)
    });
}

/// Gives each site a config map, and each config map a secret.
async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    let Some(site) = context.get::<Site>(&request).await?.filter(|site| !site.is_deleted()) else {
        return Ok(Action::await_change());
    };
    ensure_map(&context, &owned_map(&site, "page", json!({ "colour": site.spec.colour }))).await?;
    let map = context.get::<ConfigMap>(&site.key("page")).await?;
    let Some(map) = map.filter(|map| map.metadata.deletion_timestamp.is_none()) else {
        return Ok(Action::await_change());
    };
    if context.get::<Secret>(&site.key("key")).await?.is_none() {
        let mut secret: Secret =
            from_value(json!({ "metadata": { "name": "key", "namespace": "default" } }))?;
        set_controller(&mut secret, &*map)?;
        context.api::<Secret>().apply("site", &secret).await?;
    }
    Ok(Action::await_change())
}

fn setup(sim: &mut Sim, policy: PropagationPolicy) {
    garbage_collector(sim);
    sim.install(Site::crd());
    sim.controller(|_| {
        let builder = Controller::for_kind::<Site>("site").owns::<ConfigMap>().reads::<Secret>();
        // While its cache is stale, it creates what the garbage collector deletes. In simulated time this takes no time,
        // so that there would be thousands of rounds.
        builder.debounce(Duration::from_secs(5)).reconcile(reconcile)
    });
    sim.scenario(move |client| async move {
        let sites: Api<Site> = Api::default_namespaced(client);
        sites.create(&PostParams::default(), &site(1)).await?;
        let deletion = DeleteParams { propagation_policy: Some(policy), ..DeleteParams::default() };
        sites.delete("shop", &deletion).await.map(drop)
    });
    sim.finally("nothing of the deleted site is left", |state| {
        state.list::<ConfigMap>().is_empty() && state.list::<Secret>().is_empty()
    });
    sim.skip(FaultGroup::TwoLeaders, "kube-controller-manager has one leader, and fencing is not its task");
}

// holds: Y9
#[test]
fn the_garbage_collector_leaves_nothing_of_an_owner_that_is_deleted_in_the_background() {
    let report = explore(|sim| {
        setup(sim, PropagationPolicy::Background);
        sim.random_executions(50);
    });
    let report = report.unwrap_or_else(|failure| panic!("{failure}"));
    println!("{report}");
    assert!(report.repeats, "two undisturbed executions differ");
    assert_eq!(report.explored_singles, report.singles);
}

// holds: Y9
#[test]
fn the_garbage_collector_leaves_nothing_of_an_owner_that_is_deleted_in_the_foreground() {
    let report = explore(|sim| {
        setup(sim, PropagationPolicy::Foreground);
        sim.random_executions(50);
    });
    let report = report.unwrap_or_else(|failure| panic!("{failure}"));
    println!("{report}");
    assert!(report.repeats, "two undisturbed executions differ");
    assert_eq!(report.explored_singles, report.singles);
}
