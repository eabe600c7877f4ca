//! Parts of a resource: metadata only, selectors, some namespaces; and a resource that is known only at run time.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::api::{DeleteParams, DynamicObject, PartialObjectMeta};
use kubernetes_tests::{Cluster, Collection};
use serde_json::json;
use tidings::{Kind as _, SharedInformer, Wire};

use crate::test_informer::TestInformer;
use crate::test_namespace::TestNamespace;

pub(crate) async fn metadata_only(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "metadata").await;
    namespace_of_test.write_many(3).await;
    let maps: TestInformer<PartialObjectMeta<ConfigMap>> =
        TestInformer::of(namespace_of_test.client.clone(), |factory| {
            factory.metadata_with(namespace_of_test.options()).unwrap()
        });
    maps.synced().await;
    namespace_of_test.change().await;
    assert_eq!(maps.wire(), Some(Wire::Protobuf));
    let collection = namespace_of_test.collection("configmaps").metadata();
    collection.agrees_with(&maps.informer, &maps.recorder).await;
    for map in maps.informer.lister().list() {
        assert!(map.field(".data").unwrap().is_absent(), "{}", map.key());
        assert!(map.decoded().unwrap().metadata.uid.is_some());
    }
    maps.ends_with(collection).await;
}

pub(crate) async fn dynamic(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "dynamic").await;
    namespace_of_test.write_many(3).await;
    let mut typed: Option<SharedInformer<ConfigMap>> = None;
    let maps: TestInformer<DynamicObject> = TestInformer::of(namespace_of_test.client.clone(), |factory| {
        typed = Some(factory.informer_with(namespace_of_test.options()).unwrap());
        factory.dynamic_with(ConfigMap::resource(), namespace_of_test.options()).expect("it is a resource")
    });
    assert_eq!(maps.running.len(), 1, "one watch for both");
    maps.synced().await;
    namespace_of_test.change().await;
    namespace_of_test.collection("configmaps").agrees_with(&maps.informer, &maps.recorder).await;
    let typed = typed.expect("it was asked for").lister();
    let (typed, dynamic) =
        (typed.get("dynamic/new").unwrap(), maps.informer.lister().get("dynamic/new").unwrap());
    assert_eq!(typed.decoded().unwrap().data.as_ref().unwrap()["value"], "added");
    assert_eq!(dynamic.decoded().unwrap().data["data"]["value"], "added");
    maps.ends_with(namespace_of_test.collection("configmaps")).await;
}

pub(crate) async fn label_selector(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "labels").await;
    let label = async |name: &str, app: &str| {
        namespace_of_test.apply(name, json!({ "metadata": { "labels": { "app": app } } })).await;
    };
    for (name, app) in [("stays", "web"), ("leaves", "web"), ("enters", "db"), ("never", "db")] {
        label(name, app).await;
    }
    let options = namespace_of_test.options().labels("app=web".parse().unwrap());
    let maps: TestInformer<ConfigMap> = TestInformer::start(namespace_of_test.client.clone(), options).await;
    let collection = Collection::new(
        &namespace_of_test.client,
        namespace_of_test.path("configmaps?labelSelector=app%3Dweb"),
    );
    collection.agrees_with(&maps.informer, &maps.recorder).await;
    assert_eq!(maps.recorder.object_count(), 2);
    label("leaves", "db").await;
    label("enters", "web").await;
    namespace_of_test.remove("stays").await;
    label("comes", "web").await;
    collection.agrees_with(&maps.informer, &maps.recorder).await;
    assert_eq!(maps.recorder.object_count(), 2);
    label("leaves", "web").await;
    maps.ends_with(collection).await;
}

pub(crate) async fn field_selector(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "fields").await;
    for (name, phase) in [("stays", "Running"), ("leaves", "Running"), ("enters", "Pending")] {
        namespace_of_test.write_pod(name).await;
        namespace_of_test.set_phase(name, phase).await;
    }
    let options = namespace_of_test.options().fields("status.phase=Running".parse().unwrap());
    let pods: TestInformer<Pod> = TestInformer::start(namespace_of_test.client.clone(), options).await;
    let collection = Collection::new(
        &namespace_of_test.client,
        namespace_of_test.path("pods?fieldSelector=status.phase%3DRunning"),
    );
    collection.agrees_with(&pods.informer, &pods.recorder).await;
    assert_eq!(pods.recorder.object_count(), 2);
    namespace_of_test.set_phase("leaves", "Failed").await;
    namespace_of_test.set_phase("enters", "Running").await;
    namespace_of_test.pods().delete("stays", &DeleteParams::default().grace_period(0)).await.unwrap();
    collection.agrees_with(&pods.informer, &pods.recorder).await;
    assert_eq!(pods.recorder.object_count(), 1);
    pods.ends_with(collection).await;
}

pub(crate) async fn namespaces(cluster: &Cluster) {
    let mut namespaces = Vec::new();
    for namespace in ["several-a", "several-b", "several-c"] {
        let namespace_of_test = TestNamespace::new(cluster, namespace).await;
        namespace_of_test.write_many(3).await;
        namespaces.push(namespace_of_test);
    }
    let of = |namespaces: &[TestNamespace]| {
        Collection::over(
            &namespaces[0].client,
            namespaces.iter().map(|namespace_of_test| namespace_of_test.path("configmaps")),
        )
    };
    let options = namespaces[0].options().namespaces(["several-a", "several-b"]).unwrap();
    let maps: TestInformer<ConfigMap> = TestInformer::start(namespaces[0].client.clone(), options).await;
    for namespace_of_test in &namespaces {
        namespace_of_test.change().await;
    }
    of(&namespaces[..2]).agrees_with(&maps.informer, &maps.recorder).await;
    maps.informer.set_namespaces(["several-b", "several-c"]).unwrap();
    of(&namespaces[1..]).agrees_with(&maps.informer, &maps.recorder).await;
    namespaces[2].write("late", "seen").await;
    maps.ends_with(of(&namespaces[1..])).await;
}
