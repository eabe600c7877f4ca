//! Reads in a reconcile show what it wrote, although the watch of a real server is behind its writes.

use k8s_openapi::api::core::v1::Secret;
use kube_client::ResourceExt;
use kube_client::api::{DynamicObject, Patch, PatchParams};
use kubernetes_tests::Cluster;
use serde_json::{from_value, json};
use tidings::controller::{Context, ControllerStats, Error, Request};
use tidings::{Key, Kind};

use crate::scene::Scene;

/// So many that the cache is surely behind at some of the reads.
const ROUNDS: usize = 100;

pub(crate) async fn shows_own_writes(cluster: &Cluster) {
    let scene = Scene::new(cluster, "fresh-reads").await;
    let (rounds, stats) = scene.reconcile_once(|builder| builder.reads::<Secret>(), typed).await;
    check(rounds, &stats);
}

pub(crate) async fn shows_own_writes_to_dynamic_kinds(cluster: &Cluster) {
    let scene = Scene::new(cluster, "fresh-reads-dynamic").await;
    let reads =
        |builder: tidings::controller::ControllerBuilder<_>| builder.reads_resource(Secret::resource());
    let (rounds, stats) = scene.reconcile_once(reads, dynamic).await;
    check(rounds, &stats);
}

fn check(rounds: usize, stats: &ControllerStats) {
    assert_eq!(rounds, ROUNDS);
    assert!(stats.read_waits > 0, "the cache was never behind, so that nothing was tested");
    assert_eq!((stats.errors, stats.read_waits_given_up, stats.live_reads), (0, 0, 0));
}

async fn typed(request: Request, context: Context) -> Result<usize, Error> {
    let namespace = request.namespace().unwrap_or_default().to_owned();
    for round in 0..ROUNDS {
        let key = Key::new(Some(&namespace), &format!("copy-{round}"))?;
        let secret: Secret = from_value(json!({ "metadata": { "name": key.name() } }))?;
        let secrets = context.api::<Secret>();
        secrets.create(&secret).await?;
        assert!(context.get::<Secret>(&key).await?.is_some(), "round {round}: it was created");
        let patch = Patch::Merge(json!({ "metadata": { "labels": { "round": round.to_string() } } }));
        secrets.patch(key.name(), &PatchParams::default(), &patch).await?;
        let read = context.get::<Secret>(&key).await?.expect("it exists");
        assert_eq!(read.labels().get("round"), Some(&round.to_string()));
        let labelled = context.list::<Secret>().select(format!("round={round}").parse()?).await?;
        assert_eq!(labelled.len(), 1);
        secrets.delete(key.name()).await?;
        let left = context.list::<Secret>().namespace(&*namespace).await?;
        assert!(left.is_empty(), "round {round}: it was deleted, and {left:?} is listed");
        assert!(context.get::<Secret>(&key).await?.is_none());
    }
    Ok(ROUNDS)
}

async fn dynamic(request: Request, context: Context) -> Result<usize, Error> {
    let secrets = Secret::resource();
    for round in 0..ROUNDS {
        let key = Key::new(request.namespace(), &format!("copy-{round}"))?;
        let metadata = json!({ "name": key.name(), "namespace": key.namespace() });
        let object: DynamicObject =
            from_value(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": metadata }))?;
        context.api_of(secrets.clone()).create(&object).await?;
        assert!(context.get_of(&secrets, &key).await?.is_some(), "round {round}: it was created");
        assert_eq!(context.list_of(&secrets).await?.len(), 1);
        context.api_of(secrets.clone()).delete(key.name()).await?;
        assert!(context.list_of(&secrets).await?.is_empty(), "round {round}: it was deleted");
    }
    Ok(ROUNDS)
}
