//! Recorded events on the server, with and without faults of the server.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node, ObjectReference};
use k8s_openapi::api::events::v1::Event;
use kube_client::Api;
use kube_client::api::{DeleteParams, ListParams, PostParams};
use serde_json::{from_value, json};
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Ending, Fault};
use tidings_controller::{NewEvent, Recorder, RecorderBuilder};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// A recorder with a running task.
struct Recording {
    server: ApiServer,
    recorder: Recorder,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Recording {
    async fn start() -> Self {
        Self::start_with(|builder| builder).await
    }

    async fn start_with(set_up: impl FnOnce(RecorderBuilder) -> RecorderBuilder) -> Self {
        let server = ApiServer::start().await;
        let builder = Recorder::builder(server.client(), "example.com/test").instance("test-0");
        let (recorder, task) = set_up(builder).build();
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        tasks.spawn(task.run(stop.clone()));
        Recording { server, recorder, stop, tasks }
    }

    fn record(&self, object: &str, event: NewEvent) {
        self.recorder.event_about(reference("shop", object), event);
    }

    async fn events(&self) -> Vec<Event> {
        let events: Api<Event> = Api::all(self.server.client());
        events.list(&ListParams::default()).await.unwrap().items
    }

    fn writes(&self) -> usize {
        let is_write = |verb: Option<Verb>| matches!(verb, Some(Verb::Create | Verb::Patch));
        self.server.requests().iter().filter(|request| is_write(request.verb)).count()
    }

    async fn end(mut self) {
        self.stop.cancel();
        self.tasks.join_next().await.unwrap().unwrap();
    }
}

fn reference(namespace: &str, name: &str) -> ObjectReference {
    ObjectReference {
        api_version: Some("v1".to_owned()),
        kind: Some("ConfigMap".to_owned()),
        namespace: Some(namespace.to_owned()),
        name: Some(name.to_owned()),
        uid: Some(format!("uid-of-{name}")),
        ..ObjectReference::default()
    }
}

fn count(event: &Event) -> i32 {
    event.series.as_ref().map_or(1, |series| series.count)
}

#[tokio::test(start_paused = true)]
async fn an_event_has_reporter_object_reason_and_note() {
    let recording = Recording::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(recording.server.client(), "shop");
    let map = from_value(json!({ "metadata": { "name": "settings" } })).unwrap();
    let map = maps.create(&PostParams::default(), &map).await.unwrap();
    let event = NewEvent::warning("Broken", "three settings are broken").action("Check");
    recording.recorder.event(&map, event.related_to(reference("shop", "other")));
    sleep(SECOND).await;
    let event = recording.events().await.remove(0);
    let regarding = event.regarding.clone().unwrap();
    assert_eq!(regarding.uid, map.metadata.uid);
    assert_eq!(
        (regarding.api_version.as_deref(), regarding.kind.as_deref()),
        (Some("v1"), Some("ConfigMap"))
    );
    assert_eq!(event.related.clone().unwrap().name.as_deref(), Some("other"));
    assert_eq!(event.metadata.namespace.as_deref(), Some("shop"));
    assert!(event.metadata.name.as_deref().unwrap().starts_with("settings."));
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    assert_eq!((event.reason.as_deref(), event.action.as_deref()), (Some("Broken"), Some("Check")));
    assert_eq!(event.note.as_deref(), Some("three settings are broken"));
    assert_eq!(event.reporting_controller.as_deref(), Some("example.com/test"));
    assert_eq!(event.reporting_instance.as_deref(), Some("test-0"));
    assert!(event.event_time.is_some() && event.series.is_none());
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn events_about_cluster_scoped_objects_are_in_the_default_namespace() {
    let recording = Recording::start().await;
    let mut node = Node::default();
    node.metadata.name = Some("node-1".to_owned());
    recording.recorder.event(&node, NewEvent::normal("Seen", "hello"));
    sleep(SECOND).await;
    assert_eq!(recording.events().await[0].metadata.namespace.as_deref(), Some("default"));
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_repeated_event_increases_the_count_with_few_writes() {
    let recording = Recording::start().await;
    for _ in 0..600 {
        recording.record("a", NewEvent::warning("Unwell", "still unwell"));
        sleep(SECOND).await;
    }
    sleep(5 * MINUTE).await;
    let events = recording.events().await;
    assert_eq!(events.len(), 1);
    assert_eq!(count(&events[0]), 600, "the last count is written even without another event");
    assert!(recording.writes() <= 12, "{} writes for 600 repetitions", recording.writes());
    let stats = recording.recorder.stats();
    assert_eq!((stats.recorded, stats.repeated), (1, 599));
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_equal_event_after_the_window_is_a_new_one() {
    let recording = Recording::start().await;
    recording.record("a", NewEvent::normal("Synced", "all is well"));
    sleep(5 * MINUTE).await;
    recording.record("a", NewEvent::normal("Synced", "all is well"));
    sleep(7 * MINUTE).await;
    recording.record("a", NewEvent::normal("Synced", "all is well"));
    sleep(SECOND).await;
    let mut counts: Vec<i32> = recording.events().await.iter().map(count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2]);
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn different_notes_are_separate_events_up_to_a_limit_and_combined_after_it() {
    let recording = Recording::start().await;
    for number in 0..40 {
        recording.record("a", NewEvent::normal("Created", format!("created pod {number}")));
        sleep(SECOND).await;
    }
    sleep(MINUTE).await;
    let events = recording.events().await;
    assert_eq!(events.len(), 11);
    let is_combined = |event: &&Event| event.note.as_deref().unwrap().starts_with("(combined from");
    let combined: Vec<_> = events.iter().filter(is_combined).collect();
    assert_eq!(combined.len(), 1);
    assert_eq!(count(combined[0]), 30);
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn too_many_events_about_one_object_are_dropped() {
    let recording = Recording::start().await;
    for number in 0..100 {
        recording.record("noisy", NewEvent::warning(format!("Reason{number}"), "something else each time"));
    }
    recording.record("quiet", NewEvent::normal("Synced", "all is well"));
    sleep(SECOND).await;
    assert_eq!(recording.events().await.len(), 26);
    assert_eq!(recording.recorder.stats().dropped_spam, 75);
    sleep(5 * MINUTE).await;
    recording.record("noisy", NewEvent::warning("Later", "one more"));
    recording.record("noisy", NewEvent::warning("LaterStill", "two more"));
    sleep(SECOND).await;
    assert_eq!(recording.events().await.len(), 27, "one more in each five minutes");
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_full_recorder_drops_and_counts_events_and_never_waits() {
    let server = ApiServer::start().await;
    let (recorder, task) = Recorder::builder(server.client(), "test").waiting_events_max(3).build();
    for number in 0..10 {
        recorder.event_about(reference("shop", &format!("m{number}")), NewEvent::normal("Synced", "well"));
    }
    let stats = recorder.stats();
    assert_eq!((stats.recorded, stats.dropped_full, stats.waiting_events), (3, 7, 3));
    drop(recorder);
    task.run(CancellationToken::new()).await;
    assert_eq!(server.list_versions("events").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_task_ends_when_the_last_handle_is_dropped_and_all_events_are_written() {
    let server = ApiServer::start().await;
    let (recorder, task) = Recorder::new(server.client(), "test");
    let other = recorder.reporting_as("other");
    other.event_about(reference("shop", "a"), NewEvent::normal("Synced", "well"));
    other.event_about(reference("shop", "a"), NewEvent::normal("Synced", "well"));
    drop(recorder);
    drop(other);
    let before = Instant::now();
    task.run(CancellationToken::new()).await;
    assert!(before.elapsed() < SECOND, "there is nothing to wait for");
    let events: Api<Event> = Api::namespaced(server.client(), "shop");
    let event = events.list(&ListParams::default()).await.unwrap().items.remove(0);
    assert_eq!((event.reporting_controller.as_deref(), count(&event)), (Some("other"), 2));
}

#[tokio::test(start_paused = true)]
async fn a_stop_writes_counts_at_once_and_refuses_new_events() {
    let mut recording = Recording::start().await;
    for _ in 0..3 {
        recording.record("a", NewEvent::normal("Synced", "well"));
        sleep(SECOND / 4).await;
    }
    assert_eq!(count(&recording.events().await[0]), 1, "repetitions wait a little");
    recording.stop.cancel();
    recording.tasks.join_next().await.unwrap().unwrap();
    assert_eq!(count(&recording.events().await[0]), 3);
    recording.record("a", NewEvent::normal("Late", "too late"));
    assert_eq!(recording.recorder.stats().dropped_stopped, 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_delays_the_stop_by_five_seconds_at_most() {
    let mut recording = Recording::start().await;
    recording.server.faults().inject(Fault::Hang.always().of("events"));
    recording.record("a", NewEvent::normal("Synced", "well"));
    sleep(SECOND).await;
    let before = Instant::now();
    recording.stop.cancel();
    recording.tasks.join_next().await.unwrap().unwrap();
    assert!(before.elapsed() <= 5 * SECOND + SECOND / 10, "{:?}", before.elapsed());
    assert_eq!(recording.recorder.stats().dropped_stopped, 1);
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_a_minute_loses_no_event() {
    let check = async |fault: Fault| {
        let recording = Recording::start().await;
        recording.server.faults().inject(fault.clone().always().of("events"));
        for number in 0..200 {
            recording.record(&format!("m{number}"), NewEvent::normal("Synced", "well"));
        }
        sleep(MINUTE).await;
        assert!(recording.writes() < 30, "{fault:?}: {} writes during the outage", recording.writes());
        recording.server.faults().clear();
        sleep(MINUTE).await;
        assert_eq!(recording.events().await.len(), 200, "{fault:?}: {:?}", recording.recorder.stats());
        recording.end().await;
    };
    check(Fault::Refused).await;
    check(Fault::Hang).await;
    check(Fault::Status { code: 503, retry_after_seconds: None }).await;
    check(Fault::Status { code: 429, retry_after_seconds: Some(7) }).await;
}

#[tokio::test(start_paused = true)]
async fn an_outage_without_end_costs_a_limited_number_of_attempts_and_the_next_event_is_written() {
    let recording = Recording::start_with(|builder| builder.attempts_max(4)).await;
    recording.server.faults().inject(Fault::Refused.always().of("events"));
    recording.record("a", NewEvent::normal("Synced", "well"));
    sleep(10 * MINUTE).await;
    assert_eq!(recording.recorder.stats().dropped_unreachable, 1);
    assert_eq!(recording.writes(), 4);
    recording.server.faults().clear();
    recording.record("a", NewEvent::normal("Synced", "well"));
    sleep(MINUTE).await;
    assert_eq!(recording.events().await.len(), 1);
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_lost_response_does_not_create_a_second_event() {
    let recording = Recording::start().await;
    let lost = Fault::CutBody { after_bytes: 10, ending: Ending::Broken };
    recording.server.faults().inject(lost.once().on(Verb::Create).of("events"));
    recording.record("a", NewEvent::normal("Synced", "well"));
    sleep(MINUTE).await;
    assert_eq!(recording.writes(), 2);
    assert_eq!(recording.events().await.len(), 1);
    let stats = recording.recorder.stats();
    assert_eq!((stats.written, stats.dropped_refused, stats.dropped_unreachable), (1, 0, 0));
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_event_is_not_retried_and_does_not_delay_others() {
    for code in [403, 404, 422] {
        let recording = Recording::start().await;
        recording
            .server
            .faults()
            .inject(Fault::Status { code, retry_after_seconds: None }.once().of("events"));
        recording.record("a", NewEvent::normal("Synced", "well"));
        recording.record("b", NewEvent::normal("Synced", "well"));
        sleep(MINUTE).await;
        assert_eq!(recording.events().await.len(), 1, "{code}");
        assert_eq!((recording.writes(), recording.recorder.stats().dropped_refused), (2, 1), "{code}");
        recording.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_terminating_namespace_loses_only_its_own_events() {
    let recording = Recording::start().await;
    let client = recording.server.client();
    let namespace = from_value(json!({ "metadata": { "name": "ending" } })).unwrap();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.create(&PostParams::default(), &namespace).await.unwrap();
    let held = json!({ "metadata": { "name": "held", "finalizers": ["example.com/held"] } });
    let maps: Api<ConfigMap> = Api::namespaced(client, "ending");
    maps.create(&PostParams::default(), &from_value(held).unwrap()).await.unwrap();
    namespaces.delete("ending", &DeleteParams::default()).await.unwrap();
    recording.recorder.event_about(reference("ending", "a"), NewEvent::normal("Synced", "well"));
    recording.recorder.event_about(reference("shop", "a"), NewEvent::normal("Synced", "well"));
    sleep(MINUTE).await;
    let events = recording.events().await;
    let namespaces: Vec<_> =
        events.iter().map(|event| event.metadata.namespace.as_deref().unwrap()).collect();
    assert_eq!(namespaces, ["shop"]);
    assert_eq!(recording.recorder.stats().dropped_refused, 1);
    recording.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_event_that_the_server_has_deleted_is_created_again_with_its_count() {
    let recording = Recording::start().await;
    recording.record("a", NewEvent::normal("Synced", "well"));
    sleep(SECOND).await;
    let key = recording.server.list_versions("events").into_keys().next().unwrap();
    assert!(recording.server.remove("events", &key));
    recording.record("a", NewEvent::normal("Synced", "well"));
    sleep(MINUTE).await;
    let events = recording.events().await;
    assert_eq!(events.len(), 1);
    assert_eq!(count(&events[0]), 2);
    recording.end().await;
}
