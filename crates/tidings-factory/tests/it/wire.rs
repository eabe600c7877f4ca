//! Which wire informers request, which one they report, and that a second request can't change it.

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::SharedInformer;
use tidings_object::Wire;
use tidings_source::WirePreference;

async fn server() -> ApiServer {
    let server = ApiServer::start().await;
    server.put("configmaps", json!({"metadata": {"namespace": "default", "name": "x"}, "data": {"a": "b"}}));
    server
}

/// The wire that a synced informer reports. It must be that of its object.
async fn reported_wire(factory: &SharedInformerFactory, maps: SharedInformer<ConfigMap>) -> Wire {
    assert_eq!(
        maps.health().streams.first().and_then(|stream| stream.wire),
        None,
        "before the first response"
    );
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
async fn protobuf_is_used_unless_a_factory_or_an_informer_prefers_json() {
    let server = server().await;
    let json = || InformerOptions::new().wire(WirePreference::JsonOnly);
    let factory = SharedInformerFactory::new(server.client());
    assert_eq!(reported_wire(&factory, factory.informer()).await, Wire::Protobuf);
    let factory = SharedInformerFactory::new(server.client());
    assert_eq!(reported_wire(&factory, factory.informer_with(json()).unwrap()).await, Wire::Json);
    let factory = SharedInformerFactory::builder(server.client()).for_kind::<ConfigMap>(json()).build();
    assert_eq!(reported_wire(&factory, factory.informer()).await, Wire::Json);
    let factory = SharedInformerFactory::builder(server.client()).wire(WirePreference::JsonOnly).build();
    assert_eq!(reported_wire(&factory, factory.informer()).await, Wire::Json);
    let protobuf = InformerOptions::new().wire(WirePreference::ProtobufFirst);
    assert_eq!(reported_wire(&factory, factory.informer_with(protobuf).unwrap()).await, Wire::Protobuf);
}

#[tokio::test(start_paused = true)]
async fn a_second_request_with_another_option_is_an_error_that_names_it() {
    let server = server().await;
    let factory = SharedInformerFactory::new(server.client());
    let first: SharedInformer<ConfigMap> = factory.informer();
    let json = InformerOptions::new().wire(WirePreference::JsonOnly);
    let error = factory.informer_with::<ConfigMap>(json).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the informer of configmaps exists with wire = ProtobufFirst, but JsonOnly was requested; \
         request it with the same options everywhere, or set them once in the factory's builder"
    );
    let same = InformerOptions::new().wire(WirePreference::ProtobufFirst);
    assert_eq!(factory.informer_with::<ConfigMap>(same).unwrap().name(), first.name());
    assert_eq!(factory.stats().len(), 1);
}
