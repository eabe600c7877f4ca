//! A Foo gets its Deployment back after every disturbance.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::events::v1::Event;
use kube_client::api::{DeleteParams, ListParams, PostParams};
use kube_client::{Api, ResourceExt};
use serde_json::json;
use tidings::SharedInformerFactory;
use tidings::controller::{Signals, is_controlled_by};
use tidings_apiserver::ApiServer;
use tokio::time::sleep;

use crate::examples::sample_controller::support::{install, run_while};
use crate::examples::sample_controller::{
    Foo, FooSpec, FooStatus, controller, fake_deployment_controller, scenario,
};

const MINUTE: Duration = Duration::from_secs(60);

async fn server_with_foos() -> (ApiServer, SharedInformerFactory) {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    install::<Foo>(factory.client()).await.unwrap();
    (server, factory)
}

fn foo(name: &str, deployment_name: &str) -> Foo {
    Foo::new(name, FooSpec { deployment_name: deployment_name.to_owned(), replicas: 2 })
}

#[tokio::test(start_paused = true)]
async fn the_scenario_ends_with_three_replicas_one_warning_and_one_event_for_all_syncs() {
    let (server, factory) = server_with_foos().await;
    run_while(&factory, [controller(), fake_deployment_controller()], scenario(&factory)).await.unwrap();
    let foos: Api<Foo> = Api::namespaced(server.client(), "default");
    let example = foos.get("example").await.unwrap();
    assert_eq!(example.status, Some(FooStatus { available_replicas: 3 }));
    let deployments: Api<Deployment> = Api::namespaced(server.client(), "default");
    let deployment = deployments.get("example-deployment").await.unwrap();
    assert!(is_controlled_by(&deployment, &example.uid().unwrap()));
    assert_eq!(deployment.status.unwrap().available_replicas, Some(3));

    let events: Api<Event> = Api::namespaced(server.client(), "default");
    let events = events.list(&ListParams::default()).await.unwrap().items;
    let of = |reason: &str| {
        events.iter().filter(|event| event.reason.as_deref() == Some(reason)).collect::<Vec<_>>()
    };
    let (synced, warned) = (of("Synced"), of("ErrResourceExists"));
    assert_eq!((synced.len(), warned.len()), (1, 1), "{events:?}");
    assert!(synced[0].series.as_ref().is_some_and(|series| series.count > 2), "{synced:?}");
    assert_eq!(warned[0].type_.as_deref(), Some("Warning"));
    assert_eq!(warned[0].regarding.as_ref().unwrap().name.as_deref(), Some("second"));
    assert_eq!(warned[0].related.as_ref().unwrap().name.as_deref(), Some("example-deployment"));
    assert_eq!(warned[0].reporting_controller.as_deref(), Some("sample-controller"));
}

#[tokio::test(start_paused = true)]
async fn a_foo_whose_deployment_was_taken_gets_its_own_when_the_name_is_free() {
    let (server, factory) = server_with_foos().await;
    let version = server.put(
        "deployments.apps",
        json!({
            "metadata": { "namespace": "default", "name": "taken" },
            "spec": { "replicas": 7, "selector": { "matchLabels": { "a": "b" } } },
        }),
    );
    let scenario = async {
        let foos: Api<Foo> = Api::namespaced(server.client(), "default");
        let waiting = foos.create(&PostParams::default(), &foo("waiting", "taken")).await?;
        sleep(MINUTE).await;
        let deployments: Api<Deployment> = Api::namespaced(server.client(), "default");
        let taken = deployments.get("taken").await?;
        assert!(!is_controlled_by(&taken, &waiting.uid().unwrap()));
        assert_eq!(
            taken.resource_version(),
            Some(version.to_string()),
            "a Deployment of another owner is not changed"
        );
        deployments.delete("taken", &DeleteParams::default()).await?;
        sleep(20 * MINUTE).await;
        let own = deployments.get("taken").await?;
        assert!(is_controlled_by(&own, &waiting.uid().unwrap()));
        Ok(())
    };
    run_while(&factory, [controller()], scenario).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_foo_without_a_deployment_name_is_not_retried() {
    let (server, factory) = server_with_foos().await;
    let (handle, task) = controller().attach(&factory).unwrap();
    let running = factory.start();
    let stop = tokio_util::sync::CancellationToken::new();
    let working = task.run(Signals { stop: stop.clone(), abandon: stop.child_token() });
    let scenario = async {
        let foos: Api<Foo> = Api::namespaced(server.client(), "default");
        foos.create(&PostParams::default(), &foo("nameless", "")).await.unwrap();
        sleep(20 * MINUTE).await;
        let stats = handle.stats();
        assert_eq!((stats.terminal_errors, stats.errors), (1, 1), "{stats:?}");
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(working, scenario);
    ended.unwrap();
    running.shutdown().await;
}
