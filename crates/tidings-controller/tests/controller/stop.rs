//! How a controller ends: what runs is finished or dropped, and no key is lost either way.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tidings_apiserver::Fault;
use tidings_controller::{Action, Context, Controller, ControllerError, Request};
use tidings_informer::informer::Lifecycle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::scene::{Asked, Scene, config_maps, settle};

const SECOND: Duration = Duration::from_secs(1);

fn key(name: &str) -> Request {
    Request::new(Some("default"), name).unwrap()
}

/// A controller that takes ten seconds for each object, and notes when it has ended.
fn slow(begun: &Asked, ended: &Asked) -> Controller {
    let (begun, ended) = (begun.clone(), ended.clone());
    config_maps().reconcile(move |request: Request, _| {
        begun.note(&request);
        let ended = ended.clone();
        async move {
            tokio::time::sleep(10 * SECOND).await;
            ended.note(&request);
            Ok(Action::await_change())
        }
    })
}

#[tokio::test(start_paused = true)]
async fn a_stop_takes_nothing_new_finishes_what_runs_and_leaves_the_rest_on_the_queue() {
    let scene = Scene::new().await;
    let (begun, ended) = (Asked::new(), Asked::new());
    let play = scene.played(slow(&begun, &ended)).await;
    scene.put("first");
    settle().await;
    scene.put("second");
    settle().await;
    let stopped_at = Instant::now();
    let queue = play.handle.queue().clone();
    play.end().await;
    assert_eq!(stopped_at.elapsed().as_secs(), 9);
    assert_eq!((begun.taken(), ended.taken()), (vec!["first".to_owned()], vec!["first".to_owned()]));
    assert_eq!(queue.next().await.as_deref(), Some(&key("second")));
    assert!(queue.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn what_is_abandoned_ends_at_its_next_await_and_its_key_is_on_the_queue_again() {
    let scene = Scene::new().await;
    let (begun, ended) = (Asked::new(), Asked::new());
    let play = scene.played(slow(&begun, &ended)).await;
    scene.put("first");
    settle().await;
    let (queue, handle) = (play.handle.queue().clone(), play.handle.clone());
    let stopped_at = Instant::now();
    play.stop.cancel();
    play.abandon.cancel();
    play.ended().await;
    assert!(stopped_at.elapsed() < SECOND);
    assert_eq!((begun.taken(), ended.taken()), (vec!["first".to_owned()], Vec::new()));
    assert_eq!(queue.next().await.as_deref(), Some(&key("first")));
    assert_eq!((handle.stats().abandoned, handle.stats().active_workers), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_next_controller_finds_everything_that_the_last_one_left() {
    let scene = Scene::new().await;
    let (begun, ended) = (Asked::new(), Asked::new());
    let play = scene.played(slow(&begun, &ended)).await;
    for name in ["a", "b", "c"] {
        scene.put(name);
    }
    settle().await;
    play.abandon.cancel();
    play.ended().await;
    assert_eq!(ended.taken(), [""; 0]);
    let play = scene.played(slow(&begun, &ended)).await;
    tokio::time::sleep(31 * SECOND).await;
    let mut all = ended.taken();
    all.sort();
    assert_eq!(all, ["a", "b", "c"]);
    play.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_has_ended_takes_no_requests_and_can_still_be_looked_at() {
    let scene = Scene::new().await;
    let asked = Asked::new();
    let play = scene.played(slow(&asked, &asked)).await;
    let handle = play.handle.clone();
    play.end().await;
    handle.request(key("late"));
    handle.queue().add_rate_limited(key("late"));
    handle.queue().add_after(key("late"), SECOND);
    tokio::time::sleep(10 * SECOND).await;
    assert!(handle.queue().is_empty() && handle.queue().is_shutting_down());
    assert!(handle.queue().next().await.is_none());
    assert_eq!(asked.taken(), [""; 0]);
    assert_eq!(handle.stats().successes, 0);
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_has_gone_needs_its_informers_no_longer() {
    let scene = Scene::new().await;
    let asked = Asked::new();
    let controller = config_maps().owns::<Secret>().reconcile(move |request: Request, _| {
        asked.note(&request);
        async { Ok(Action::await_change()) }
    });
    let (handle, task) = controller.attach(&scene.factory).unwrap();
    let maps = scene.factory.informer::<ConfigMap>();
    let running = scene.factory.start();
    let stop = CancellationToken::new();
    stop.cancel();
    task.run(stop).await.unwrap();
    // The secrets had nobody else: their informer ends by itself. The handle keeps nothing alive.
    settle().await;
    let names: Vec<_> = scene.factory.stats().into_iter().map(|stats| stats.name).collect();
    assert_eq!(names, ["configmaps"]);
    assert!(maps.stats().handlers.is_empty());
    drop(maps);
    running.finished().await;
    drop(handle);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_never_ran_takes_its_handlers_with_it() {
    let scene = Scene::new().await;
    let maps = scene.factory.informer::<ConfigMap>();
    let (_, task) =
        config_maps().reconcile(|_, _| async { Ok(Action::await_change()) }).attach(&scene.factory).unwrap();
    assert_eq!(maps.stats().handlers.len(), 1);
    drop(task);
    assert!(maps.stats().handlers.is_empty());
    assert_eq!(maps.lifecycle(), Lifecycle::New);
}

#[tokio::test(start_paused = true)]
async fn a_controller_waits_for_all_its_caches_and_can_be_stopped_meanwhile() {
    let scene = Scene::new().await;
    scene.put("map");
    scene
        .server
        .faults()
        .inject(Fault::Status { code: 403, retry_after_seconds: None }.always().of("secrets"));
    let asked = Asked::new();
    let log = asked.clone();
    let controller = || {
        let log = log.clone();
        config_maps().reads::<Secret>().reconcile(move |request: Request, _| {
            log.note(&request);
            async { Ok(Action::await_change()) }
        })
    };
    let play = scene.play(controller());
    tokio::time::sleep(60 * SECOND).await;
    assert!(!play.handle.is_synced());
    assert_eq!(asked.taken(), [""; 0]);
    // What there is to do waits already.
    assert_eq!(play.handle.queue().len(), 1);
    play.end().await;
    let play = scene.play(controller());
    scene.server.faults().clear();
    tokio::time::sleep(120 * SECOND).await;
    assert!(play.handle.is_synced());
    assert_eq!(asked.taken(), ["map"]);
    play.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_will_never_be_filled_ends_the_controller_with_an_error() {
    let scene = Scene::new().await;
    let maps = scene.factory.informer::<ConfigMap>();
    let controller = config_maps().reconcile(|_, _| async { Ok(Action::await_change()) });
    let (handle, task) = controller.attach(&scene.factory).unwrap();
    maps.stop();
    let running = scene.factory.start();
    let ended = task.run(CancellationToken::new()).await;
    assert!(matches!(ended, Err(ControllerError::NotSynced { .. })), "{ended:?}");
    assert!(handle.queue().is_shutting_down());
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_without_a_name_or_workers_is_refused() {
    let scene = Scene::new().await;
    let reconcile = |_, _| async { Ok(Action::await_change()) };
    let nameless = Controller::for_kind::<ConfigMap>("").reconcile(reconcile).attach(&scene.factory);
    assert!(matches!(nameless, Err(ControllerError::EmptyName)));
    let idle = config_maps().workers(0).reconcile(reconcile).attach(&scene.factory);
    assert!(matches!(idle, Err(ControllerError::NoWorkers { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_long_reconcile_hears_of_the_stop() {
    let scene = Scene::new().await;
    scene.put("map");
    let controller = config_maps().reconcile(|_, context: Context| async move {
        assert!(!context.is_cancelled());
        context.cancelled().await;
        Ok(Action::await_change())
    });
    let play = scene.played(controller).await;
    assert_eq!(play.handle.stats().active_workers, 1);
    let handle = play.handle.clone();
    play.end().await;
    assert_eq!(handle.stats().successes, 1);
}
