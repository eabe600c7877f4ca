//! The metrics of the informers of a factory, which end when the informers stop.

use std::time::Duration;

use futures_util::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Ending, Fault};
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::Handler;

fn pod(name: &str) -> Value {
    json!({ "metadata": { "namespace": "default", "name": name }, "spec": { "containers": [] } })
}

fn registry(factory: &SharedInformerFactory) -> Registry {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(factory.metrics()));
    registry
}

fn scrape(registry: &Registry) -> String {
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, registry).expect("a string takes everything");
    text
}

/// The value of the one series that starts with this text.
#[track_caller]
fn value(text: &str, series: &str) -> f64 {
    let found: Vec<_> = text.lines().filter(|line| line.starts_with(series)).collect();
    let [line] = found[..] else { panic!("{series} is there {} times in\n{text}", found.len()) };
    line.rsplit(' ').next().and_then(|value| value.parse().ok()).expect("a series ends with its value")
}

const PODS: &str = r#"{name="pods",group="",version="v1",resource="pods""#;

fn of_pods(metric: &str) -> String {
    format!("{metric}{PODS}")
}

// holds: M3
#[tokio::test(start_paused = true)]
async fn an_informer_has_the_series_and_labels_of_client_go() {
    let server = ApiServer::start().await;
    server.put("pods", pod("web-0"));
    let factory = SharedInformerFactory::new(server.client());
    let registry = registry(&factory);
    let (pods, deployments) = (factory.informer::<Pod>(), factory.informer::<Deployment>());
    let running = factory.start();
    running.synced().await.unwrap();

    let text = scrape(&registry);
    assert_eq!(value(&text, &of_pods("informer_queued_items")), 0.0);
    let version = pods.stats().version.and_then(|version| version.number()).unwrap();
    assert_eq!(value(&text, &of_pods("informer_store_resource_version")), version as f64);
    assert!(value(&text, &of_pods("informer_processing_latency_seconds_count")) >= 1.0);
    for bound in
        ["0.001", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0"]
    {
        let labels = format!(r#"le="{bound}",{}"#, &PODS[1..]);
        assert!(value(&text, &format!("informer_processing_latency_seconds_bucket{{{labels}")) >= 1.0);
    }
    let grouped = r#"{name="deployments.apps",group="apps",version="v1",resource="deployments"}"#;
    assert_eq!(value(&text, &format!("informer_queued_items{grouped}")), 0.0);
    drop(deployments);
    running.shutdown().await;
}

// holds: M5
#[tokio::test(start_paused = true)]
async fn the_reflector_is_counted_under_the_names_of_client_go_and_our_own() {
    let server = ApiServer::start().await;
    server.put("pods", pod("web-0"));
    let factory = SharedInformerFactory::new(server.client());
    let registry = registry(&factory);
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    server.put("pods", pod("web-1"));
    tokio::time::sleep(Duration::from_secs(90)).await;

    let text = scrape(&registry);
    assert_eq!(value(&text, &of_pods("tidings_informer_lists_total")), 1.0);
    assert_eq!(value(&text, &of_pods("tidings_informer_watches_total")), 1.0);
    for (wire, streams) in [("json", 0.0), ("protobuf", 1.0)] {
        assert_eq!(
            value(&text, &format!(r#"{},wire="{wire}""#, of_pods("tidings_informer_streams"))),
            streams
        );
    }
    assert_eq!(value(&text, &of_pods("tidings_informer_events_total")), 1.0);
    assert!(value(&text, &of_pods("tidings_informer_bookmarks_total")) >= 1.0);
    assert_eq!(value(&text, &of_pods("tidings_informer_objects")), 2.0);
    assert_eq!(value(&text, &of_pods("reflector_lists_total")), 1.0);
    assert_eq!(value(&text, &of_pods("reflector_list_duration_seconds_count")), 1.0);
    assert_eq!(value(&text, &of_pods("reflector_items_per_list_sum")), 1.0);
    assert_eq!(value(&text, &of_pods("reflector_watches_total")), 1.0);
    assert_eq!(value(&text, &of_pods("reflector_watch_duration_seconds_count")), 0.0, "the watch is open");
    let last = value(&text, &format!("{},namespace=\"\"", of_pods("reflector_last_resource_version")));
    assert!(last >= 2.0, "{last}");

    // One watch ended after 90 s and one event. The next one ends at once.
    server.faults().cut_watches(Ending::Clean);
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.faults().cut_watches(Ending::Broken);
    tokio::time::sleep(Duration::from_secs(60)).await;
    let text = scrape(&registry);
    assert_eq!(value(&text, &of_pods("reflector_watch_duration_seconds_count")), 2.0);
    assert!((90.0..92.0).contains(&value(&text, &of_pods("reflector_watch_duration_seconds_sum"))));
    assert_eq!(value(&text, &of_pods("reflector_items_per_watch_sum")), 1.0);
    assert_eq!(value(&text, &of_pods("reflector_short_watches_total")), 1.0);
    drop(pods);
    running.shutdown().await;
}

// holds: M6
#[tokio::test(start_paused = true)]
async fn pending_notifications_relists_watch_restarts_and_the_age_of_events_can_be_scraped() {
    let server = ApiServer::start().await;
    server.put("pods", pod("web-0"));
    let factory = SharedInformerFactory::new(server.client());
    let registry = registry(&factory);
    let pods = factory.informer::<Pod>();
    let heard = pods.notifications().unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    server.faults().inject(Fault::ExpireOnOpen.once().on(Verb::Watch));
    server.faults().cut_watches(Ending::Broken);
    tokio::time::sleep(Duration::from_secs(30)).await;

    let text = scrape(&registry);
    assert_eq!(value(&text, &format!("{},handler=\"handler-1\"", of_pods("tidings_handler_backlog"))), 1.0);
    assert!(value(&text, &of_pods("tidings_handler_lag_seconds")) >= 30.0);
    assert_eq!(value(&text, &of_pods("tidings_informer_relists_total")), 1.0);
    assert_eq!(value(&text, &of_pods("tidings_informer_watches_total")), 2.0);
    assert!(value(&text, &format!("{},kind=\"source\"", of_pods("tidings_informer_faults_total"))) >= 1.0);
    let age = value(&text, &format!("{},namespace=\"\"", of_pods("tidings_informer_last_event_age_seconds")));
    assert!((1.0..=30.0).contains(&age), "{age}");
    assert_eq!(value(&text, &of_pods("tidings_informer_healthy")), 1.0);
    drop((heard, pods));
    running.shutdown().await;
}

// holds: X24
#[tokio::test(start_paused = true)]
async fn factories_share_no_series() {
    let server = ApiServer::start().await;
    let (one, other) =
        (SharedInformerFactory::new(server.client()), SharedInformerFactory::new(server.client()));
    let (of_one, of_other) = (registry(&one), registry(&other));
    let pods = one.informer::<Pod>();
    let deployments = other.informer::<Deployment>();

    let (of_one, of_other) = (scrape(&of_one), scrape(&of_other));
    assert!(of_one.contains(r#"resource="pods""#) && !of_one.contains(r#"resource="deployments""#));
    assert!(of_other.contains(r#"resource="deployments""#) && !of_other.contains(r#"resource="pods""#));
    drop((pods, deployments));
}

// holds: X24
#[tokio::test(start_paused = true)]
async fn the_series_of_a_stopped_informer_end_and_late_reads_do_not_bring_them_back() {
    let server = ApiServer::start().await;
    server.put("pods", pod("web-0"));
    let factory = SharedInformerFactory::new(server.client());
    let registry = registry(&factory);
    let pods = factory.informer::<Pod>();
    let mut heard = pods.notifications().unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    assert!(scrape(&registry).contains(PODS));

    running.shutdown().await;
    assert!(!scrape(&registry).contains("pods"), "it is stopped, although there is a handle");
    assert!(heard.next().await.is_some(), "earlier notifications can still be read");
    assert!(pods.lister().get("default/web-0").unwrap().decoded().is_ok());
    assert!(!scrape(&registry).contains("pods"));

    let again = factory.informer::<Pod>();
    assert_eq!(
        value(&scrape(&registry), &of_pods("tidings_informer_objects")),
        0.0,
        "a new informer starts at zero"
    );
    drop(again);
    assert!(!scrape(&registry).contains("pods"), "it is no longer in use");
}

#[tokio::test(start_paused = true)]
async fn informers_and_handlers_with_the_same_name_have_no_duplicate_series() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let registry = registry(&factory);
    let all = factory.informer::<Pod>();
    let web =
        factory.informer_with::<Pod>(InformerOptions::new().labels("app=web".parse().unwrap())).unwrap();
    let metadata = factory.metadata::<Pod>();
    for _ in 0..2 {
        all.add_handler(Handler::new().named("mine").on_add(|_, _| {})).unwrap();
    }

    let text = scrape(&registry);
    for name in ["pods", "pods#2", "pods metadata"] {
        value(&text, &format!(r#"tidings_informer_objects{{name="{name}","#));
    }
    for handler in ["mine", "mine#2"] {
        value(&text, &format!("{},handler=\"{handler}\"", of_pods("tidings_handler_backlog")));
    }
    let mut series: Vec<_> =
        text.lines().filter_map(|line| line.rsplit_once(' ')).map(|(name, _)| name).collect();
    series.sort_unstable();
    let duplicates: Vec<_> = series.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(duplicates.is_empty(), "{duplicates:?}");
    drop((all, web, metadata));
}

#[tokio::test(start_paused = true)]
async fn the_memory_of_a_factory_can_be_scraped_by_part() {
    let server = ApiServer::start().await;
    server.put("pods", pod("web-0"));
    let factory = SharedInformerFactory::builder(server.client()).budget(1 << 20).build();
    let registry = registry(&factory);
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    let kept = pods.lister().get("default/web-0").unwrap();
    kept.decoded().unwrap();
    kept.decoded().unwrap();

    let text = scrape(&registry);
    for part in ["bodies", "identities", "indexes"] {
        let series = format!("{},part=\"{part}\"", of_pods("tidings_informer_memory_bytes"));
        assert!(value(&text, &series) > 0.0, "{part}");
    }
    assert!(value(&text, "tidings_decoded_bytes ") > 0.0);
    assert_eq!(value(&text, "tidings_decoded_limit_bytes "), 1_048_576.0);
    assert_eq!(value(&text, "tidings_decoded_misses_total "), 1.0);
    assert_eq!(value(&text, "tidings_decoded_hits_total "), 1.0);
    drop((kept, pods));
    running.shutdown().await;
}
