//! Caches that fall behind a real server: how reconciles learn it, and what their controller does meanwhile.
//!
//! The connections of the controller are cut, or its user loses the permission to watch. Then the stream is down.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube_client::Api;
use kube_client::api::{ListParams, Patch, PatchParams, PostParams};
use kubernetes_tests::agreement::wait_until;
use kubernetes_tests::{Cluster, Link, User};
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Manager, Request, WhenStale};
use tidings::{Kind, SharedInformer, SharedInformerFactory, StreamState};
use tidings_source::client_from_config;
use tokio::time::timeout;

use crate::scene::{ENDS_WITHIN, Scene};

/// A cache is stale when its stream is down for longer.
const LIMIT: Duration = Duration::from_secs(1);

/// What reconciles saw: the name of the request, whether a secret of that name exists, and how long the stream of
/// secrets was down.
type Seen = Arc<Mutex<Vec<(String, bool, Duration)>>>;

fn controller(when: WhenStale, seen: &Seen) -> Controller {
    let seen = Arc::clone(seen);
    Controller::for_kind::<ConfigMap>("careful").reads::<Secret>().stale_after(LIMIT, when).reconcile(
        move |request: Request, context: Context| {
            let seen = Arc::clone(&seen);
            async move {
                let found = context.get::<Secret>(&request).await?.is_some();
                let down_for = context.staleness::<Secret>()?.down_for;
                seen.lock().unwrap().push((request.name().to_owned(), found, down_for));
                Ok::<_, Error>(Action::await_change())
            }
        },
    )
}

fn is_stale<K: Kind>(informer: &SharedInformer<K>) -> bool {
    let streams = informer.health().streams;
    streams.iter().any(|stream| stream.failing.as_ref().is_some_and(|failing| failing.for_duration > LIMIT))
}

fn follows<K: Kind>(informer: &SharedInformer<K>) -> bool {
    let streams = informer.health().streams;
    streams.iter().all(|stream| stream.failing.is_none() && stream.state == StreamState::Watching)
}

fn saw(seen: &Seen, name: &str, found: bool) -> usize {
    let seen = seen.lock().unwrap();
    seen.iter().filter(|(request, is_found, _)| request == name && *is_found == found).count()
}

async fn create_secret(scene: &Scene, name: &str) {
    let secrets: Api<Secret> = Api::namespaced(scene.client.clone(), &scene.namespace);
    let secret = from_value(json!({ "metadata": { "name": name } })).unwrap();
    secrets.create(&PostParams::default(), &secret).await.unwrap();
}

/// A factory of this user in the namespace of the scene, behind a link.
async fn behind_a_link(cluster: &Cluster, scene: &Scene, user: User) -> (Link, SharedInformerFactory) {
    let link = Link::to(cluster.port()).await.unwrap();
    let client = client_from_config(link.over(cluster.config(user).await)).unwrap();
    let factory = SharedInformerFactory::builder(client).namespaces([&scene.namespace]).unwrap().build();
    (link, factory)
}

// holds: X73
pub(crate) async fn requests_wait(cluster: &Cluster) {
    let scene = Scene::new(cluster, "stale-wait").await;
    scene.create_map("a").await;
    let (link, factory) = behind_a_link(cluster, &scene, User::Admin).await;
    let seen = Seen::default();
    let secrets = factory.informer::<Secret>();
    let manager = Manager::new(factory).controller(controller(WhenStale::Wait, &seen));
    let handle = manager.handle("careful").expect("it was added");
    let steps = async {
        wait_until("the first list is reconciled", || saw(&seen, "a", false) == 1).await;
        link.cut().await;
        wait_until("the cache is stale", || is_stale(&secrets)).await;
        create_secret(&scene, "a").await;
        handle.request(Request::new(Some(&scene.namespace), "a").unwrap());
        wait_until("the request waits", || handle.stats().stale_waits > 1).await;
        assert_eq!(seen.lock().unwrap().len(), 1, "no reconcile runs on a stale cache");
        link.mend().unwrap();
        wait_until("the request is reconciled", || saw(&seen, "a", true) >= 1).await;
        let seen = seen.lock().unwrap().clone();
        assert!(seen.iter().all(|(_, _, down_for)| *down_for <= LIMIT), "{seen:?}");
    };
    manager.run_until(steps).await.unwrap();
}

// holds: X73
pub(crate) async fn reads_go_to_the_server(cluster: &Cluster) {
    let scene = Scene::new(cluster, "stale-live").await;
    scene.create_map("a").await;
    allow(&scene, &["get", "list", "watch"]).await;
    let (link, factory) = behind_a_link(cluster, &scene, User::Limited).await;
    let seen = Seen::default();
    let (maps, secrets) = (factory.informer::<ConfigMap>(), factory.informer::<Secret>());
    let manager = Manager::new(factory).controller(controller(WhenStale::ReadLive, &seen));
    let handle = manager.handle("careful").expect("it was added");
    let steps = async {
        wait_until("the first list is reconciled", || saw(&seen, "a", false) == 1).await;
        assert_eq!(handle.stats().live_reads, 0, "the cache is not stale");
        allow(&scene, &["get"]).await;
        may_not_list(cluster, &scene).await;
        // The server checks the permission when a watch begins, so that the watch that runs must end.
        link.cut().await;
        link.mend().unwrap();
        wait_until("the cache is stale", || is_stale(&secrets)).await;
        create_secret(&scene, "a").await;
        handle.request(Request::new(Some(&scene.namespace), "a").unwrap());
        wait_until("a reconcile sees what the cache does not have", || saw(&seen, "a", true) == 1).await;
        assert!(handle.stats().live_reads > 0);
        assert!(secrets.lister().list().is_empty(), "the cache is behind");
        let last = seen.lock().unwrap().last().cloned().expect("it was reconciled");
        assert!(last.2 > LIMIT, "the reconcile knows that the cache is stale: {last:?}");
        allow(&scene, &["get", "list", "watch"]).await;
        wait_until("the cache follows again", || secrets.lister().list().len() == 1).await;
        // One stale cache of the controller is enough for live reads, and the cut has hit both.
        wait_until("both streams are up", || follows(&secrets) && follows(&maps)).await;
        let live_reads = handle.stats().live_reads;
        handle.request(Request::new(Some(&scene.namespace), "a").unwrap());
        wait_until("a reconcile reads the cache", || saw(&seen, "a", true) == 2).await;
        assert_eq!(handle.stats().live_reads, live_reads);
    };
    manager.run_until(steps).await.unwrap();
}

/// Lets the limited user read config maps, and do this with secrets.
async fn allow(scene: &Scene, verbs: &[&str]) {
    let rules = json!([
        { "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"] },
        { "apiGroups": [""], "resources": ["secrets"], "verbs": verbs },
    ]);
    let role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
        "metadata": { "name": "reader" }, "rules": rules });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": { "name": "reader" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "user" }],
    });
    let params = PatchParams::apply("test").force();
    let roles: Api<Role> = Api::namespaced(scene.client.clone(), &scene.namespace);
    roles.patch("reader", &params, &Patch::Apply(role)).await.unwrap();
    let bindings: Api<RoleBinding> = Api::namespaced(scene.client.clone(), &scene.namespace);
    bindings.patch("reader", &params, &Patch::Apply(binding)).await.unwrap();
}

/// Waits until the server applies the changed role.
async fn may_not_list(cluster: &Cluster, scene: &Scene) {
    let secrets: Api<Secret> = Api::namespaced(cluster.client_of(User::Limited).await, &scene.namespace);
    let is_refused = async {
        loop {
            match secrets.list(&ListParams::default()).await {
                Err(kube_client::Error::Api(status)) if status.code == 403 => return,
                _ => tokio::task::yield_now().await,
            }
        }
    };
    timeout(ENDS_WITHIN, is_refused).await.expect("the server applies the role");
}
