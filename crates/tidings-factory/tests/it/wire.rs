//! Which wire informers ask for, and how they tell which one they got.

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::informer::SharedInformer;
use tidings_object::Wire;
use tidings_source::WirePreference;

async fn server() -> ApiServer {
    let server = ApiServer::start().await;
    server.put("configmaps", json!({"metadata": {"namespace": "default", "name": "x"}, "data": {"a": "b"}}));
    server
}

/// The wire that an informer says it got, after it has synced; it must be that of its object, which reads the same.
async fn got(factory: &SharedInformerFactory, maps: SharedInformer<ConfigMap>) -> Wire {
    assert_eq!(maps.health().streams.first().and_then(|stream| stream.wire), None, "before the first answer");
    let running = factory.start();
    running.synced().await.unwrap();
    let wire = maps.health().streams[0].wire.expect("the server has answered");
    let map = maps.lister().get("default/x").expect("it is cached");
    assert_eq!(map.raw().wire(), wire);
    assert_eq!(map.decoded().unwrap().data.as_ref().unwrap()["a"], "b");
    running.shutdown().await;
    wire
}

#[tokio::test(start_paused = true)]
async fn protobuf_is_got_unless_a_factory_or_an_informer_wants_json() {
    let server = server().await;
    let json = || InformerOptions::new().wire(WirePreference::JsonOnly);
    let factory = SharedInformerFactory::new(server.client());
    assert_eq!(got(&factory, factory.informer()).await, Wire::Protobuf);
    let factory = SharedInformerFactory::new(server.client());
    assert_eq!(got(&factory, factory.informer_with(json())).await, Wire::Json);
    let factory = SharedInformerFactory::new(server.client()).for_kind::<ConfigMap>(json());
    assert_eq!(got(&factory, factory.informer()).await, Wire::Json);
    let factory = SharedInformerFactory::new(server.client()).wire(WirePreference::JsonOnly);
    assert_eq!(got(&factory, factory.informer()).await, Wire::Json);
    let protobuf = InformerOptions::new().wire(WirePreference::ProtobufFirst);
    assert_eq!(got(&factory, factory.informer_with(protobuf)).await, Wire::Protobuf);
}

#[tokio::test(start_paused = true)]
async fn the_wire_makes_no_informer_another_one() {
    let server = server().await;
    let factory = SharedInformerFactory::new(server.client());
    let first: SharedInformer<ConfigMap> = factory.informer();
    let second = factory.informer_with(InformerOptions::new().wire(WirePreference::JsonOnly));
    assert_eq!(factory.stats().len(), 1);
    assert_eq!(got(&factory, second).await, Wire::Protobuf, "as it was asked for first");
    drop(first);
}
