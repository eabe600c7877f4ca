//! A namespace on the server, and one reconcile in it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube_client::api::PostParams;
use kube_client::{Api, Client};
use kubernetes_tests::Cluster;
use serde_json::json;
use tidings::SharedInformerFactory;
use tidings::controller::{
    Action, Context, Controller, ControllerBuilder, ControllerStats, Error, Manager, Request,
};
use tokio::sync::Notify;
use tokio::time::timeout;

/// A server that works answers within this time, also on a busy machine.
pub(crate) const ENDS_WITHIN: Duration = Duration::from_secs(240);

pub(crate) struct Scene {
    pub(crate) client: Client,
    pub(crate) namespace: String,
}

impl Scene {
    pub(crate) async fn new(cluster: &Cluster, namespace: &str) -> Scene {
        let client = cluster.client().await;
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let made = serde_json::from_value(json!({ "metadata": { "name": namespace } })).unwrap();
        namespaces.create(&PostParams::default(), &made).await.unwrap();
        Scene { client, namespace: namespace.to_owned() }
    }

    pub(crate) fn factory(&self) -> SharedInformerFactory {
        SharedInformerFactory::builder(self.client.clone()).namespaces([&self.namespace]).unwrap().build()
    }

    pub(crate) async fn create_map(&self, name: &str) -> ConfigMap {
        let maps: Api<ConfigMap> = Api::namespaced(self.client.clone(), &self.namespace);
        let map = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
        maps.create(&PostParams::default(), &map).await.unwrap()
    }

    /// Runs a controller of config maps until `work` has returned in the reconcile of the map `owner`.
    pub(crate) async fn reconcile_once<T, F, Work>(
        &self,
        with: impl FnOnce(ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap>,
        work: F,
    ) -> (T, ControllerStats)
    where
        T: Send + 'static,
        F: Fn(Request, Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<T, Error>> + Send + 'static,
    {
        self.create_map("owner").await;
        let ended: Arc<(Mutex<Option<T>>, Notify)> = Arc::default();
        let (noted, work) = (Arc::clone(&ended), Arc::new(work));
        let controller =
            with(Controller::for_kind::<ConfigMap>("e2e")).reconcile(move |request: Request, context| {
                let (noted, work) = (Arc::clone(&noted), Arc::clone(&work));
                async move {
                    let is_over = noted.0.lock().unwrap().is_some();
                    if request.name() == "owner" && !is_over {
                        let result = work(request, context).await?;
                        *noted.0.lock().unwrap() = Some(result);
                        noted.1.notify_one();
                    }
                    Ok(Action::await_change())
                }
            });
        let manager = Manager::new(self.factory()).controller(controller);
        let handle = manager.handle("e2e").expect("it was added");
        let done = async { timeout(ENDS_WITHIN, ended.1.notified()).await.expect("the reconcile ends") };
        manager.run_until(done).await.unwrap();
        let result = ended.0.lock().unwrap().take().expect("it has ended");
        (result, handle.stats())
    }
}
