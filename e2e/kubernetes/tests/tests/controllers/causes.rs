//! Why reconciles are requested on a real server, and controllers that wake themselves.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::{Patch, PatchParams};
use kubernetes_tests::Cluster;
use kubernetes_tests::agreement::wait_until;
use serde_json::json;
use tidings::controller::{Action, Causes, Context, Controller, Error, LoopReport, Manager, Request};

use crate::scene::Scene;

/// Counts up in the map `a` until its other number, one step in each reconcile.
async fn count_up(request: &Request, context: &Context) -> Result<(), Error> {
    let Some(map) = context.get::<ConfigMap>(request).await? else { return Ok(()) };
    let number =
        |name: &str| map.data.as_ref().and_then(|data| data.get(name)?.parse().ok()).unwrap_or(0_u32);
    if number("count") < number("until") {
        let patch = Patch::Merge(json!({ "data": { "count": (number("count") + 1).to_string() } }));
        context.api::<ConfigMap>().patch(request.name(), &PatchParams::default(), &patch).await?;
    }
    Ok(())
}

async fn set_until(scene: &Scene, until: u32) {
    let maps: Api<ConfigMap> = Api::namespaced(scene.client.clone(), &scene.namespace);
    let patch = Patch::Merge(json!({ "data": { "until": until.to_string() } }));
    maps.patch("a", &PatchParams::default(), &patch).await.unwrap();
}

// holds: X74, X75
pub(crate) async fn name_the_writer(cluster: &Cluster) {
    let scene = Scene::new(cluster, "causes").await;
    scene.create_map("a").await;
    let seen: Arc<Mutex<Vec<(u64, Causes)>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let controller =
        Controller::for_kind::<ConfigMap>("causes").reconcile(move |request: Request, context: Context| {
            let noted = Arc::clone(&noted);
            async move {
                if request.name() == "a" {
                    noted.lock().unwrap().push((context.reconcile_id(), context.causes().clone()));
                    count_up(&request, &context).await?;
                }
                Ok(Action::await_change())
            }
        });
    let reconciles = || seen.lock().unwrap().len();
    let steps = async {
        wait_until("the first list is reconciled", || reconciles() == 1).await;
        set_until(&scene, 1).await;
        wait_until("the write of the reconcile has requested another", || reconciles() == 3).await;
        let seen = seen.lock().unwrap().clone();
        let [(_, initial), (writer, by_client), (_, by_itself)] = &seen[..] else { panic!("{seen:?}") };
        assert_eq!(initial.to_string(), "initial configmaps");
        assert!(!by_client.are_own_writes(), "{by_client}");
        let [by_client, by_itself] = [by_client, by_itself].map(|causes| causes.iter().next().unwrap());
        assert_eq!(by_client.fields(), Some(vec![".data".to_owned()]), "{by_client}");
        assert_eq!(by_itself.fields(), Some(vec![".data.count".to_owned()]), "{by_itself}");
        assert_eq!((by_client.written_by(), by_itself.written_by()), (None, Some(*writer)));
        assert_eq!(by_itself.old_version(), by_client.version());
    };
    Manager::new(scene.factory()).controller(controller).run_until(steps).await.unwrap();
}

// holds: X76
pub(crate) async fn report_loops(cluster: &Cluster) {
    let scene = Scene::new(cluster, "loops").await;
    scene.create_map("a").await;
    let reports: Arc<Mutex<Vec<LoopReport>>> = Arc::default();
    let pushed = Arc::clone(&reports);
    let controller = Controller::for_kind::<ConfigMap>("loops")
        .loop_limit(5)
        .on_loop(move |report| pushed.lock().unwrap().push(report.clone()))
        .reconcile(async |request: Request, context: Context| {
            count_up(&request, &context).await?;
            Ok(Action::await_change())
        });
    let manager = Manager::new(scene.factory()).controller(controller);
    let handle = manager.handle("loops").expect("it was added");
    let steps = async {
        wait_until("the caches are filled", || handle.is_synced()).await;
        // So many that a busy server makes more than the limit of them in one minute.
        set_until(&scene, 1_000).await;
        wait_until("the loop is reported", || handle.stats().loops > 0).await;
        set_until(&scene, 0).await;
        let reports = reports.lock().unwrap().clone();
        let report = &reports[0];
        assert_eq!((report.request.name(), report.wakes), ("a", 6), "{report}");
        assert_eq!(report.objects[0].fields, [".data.count"], "{report}");
    };
    manager.run_until(steps).await.unwrap();
}
