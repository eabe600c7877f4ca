//! Controllers and scenarios that do not fit a simulation: each is an error that says what was seen, never a hang.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::{Patch, PatchParams, PostParams};
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, Manager, Request};
use tidings_sim::{Failure, Sim, explore};

fn one_map(sim: &mut Sim) {
    sim.scenario(|client| async move {
        let map = from_value(json!({ "metadata": { "name": "one" } })).expect("a config map");
        Api::<ConfigMap>::default_namespaced(client).create(&PostParams::default(), &map).await.map(drop)
    });
}

/// The failure of a controller with this reconcile.
fn failure<R>(reconcile: impl Fn() -> R + Clone + Send + Sync + 'static) -> Box<Failure>
where
    R: Future<Output = Result<Action, Error>> + Send + 'static,
{
    let explored = explore(move |sim| {
        one_map(sim);
        sim.watchdog(Duration::from_secs(2)).threads(1);
        let reconcile = reconcile.clone();
        sim.controller(move |_| {
            let reconcile = reconcile.clone();
            let builder = Controller::for_kind::<ConfigMap>("controller");
            builder.reconcile(move |_: Request, _: Context| reconcile())
        });
    });
    explored.expect_err("it does not fit a simulation")
}

// holds: Y8
#[test]
fn a_controller_that_blocks_its_thread_is_an_error() {
    let release = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&release);
    let failure = failure(move || {
        while !held.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(10)); // for ever, as far as the simulation can see
        }
        async { Ok(Action::await_change()) }
    });
    release.store(true, Ordering::Relaxed);
    assert_eq!(failure.rule(), "simulation");
    assert!(failure.message().contains("has not moved for"), "{failure}");
    assert!(failure.message().contains("std::thread::sleep"), "{failure}");
}

// holds: Y8
#[test]
fn reconciles_without_a_pause_are_an_error() {
    let release = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&release);
    let failure = failure(move || {
        let is_over = held.load(Ordering::Relaxed);
        async move { Ok(if is_over { Action::await_change() } else { Action::requeue_after(Duration::ZERO) }) }
    });
    release.store(true, Ordering::Relaxed);
    assert!(failure.message().contains("a requeue without a delay"), "{failure}");
}

// holds: Y8
#[test]
fn reconciles_that_follow_each_other_in_a_process_of_several_controllers_are_an_error() {
    let explored = explore(|sim| {
        one_map(sim);
        sim.process("managers", |factory| {
            let controller = |name| Controller::for_kind::<ConfigMap>(name);
            let calm = controller("calm").reconcile(|_, _| async { Ok(Action::await_change()) });
            let busy = controller("busy")
                .reconcile(|_, _| async { Ok(Action::requeue_after(Duration::from_millis(10))) });
            Manager::new(factory).controller(calm).controller(busy)
        });
    });
    let failure = explored.expect_err("one of its controllers polls");
    assert_eq!(failure.rule(), "quiet");
    assert!(failure.message().contains("reconciles in"), "{failure}");
}

// holds: Y8
#[test]
fn a_task_of_its_own_is_an_error() {
    let failure = failure(|| async {
        #[allow(clippy::disallowed_methods, reason = "this is what the test is about")]
        tokio::spawn(std::future::pending::<()>());
        Ok(Action::await_change())
    });
    assert_eq!(failure.rule(), "no-own-tasks");
    assert!(failure.message().contains("Manager::runnable"), "{failure}");
}

// holds: Y8
#[test]
fn a_socket_is_an_error() {
    let failure = failure(|| async {
        tokio::net::TcpStream::connect(("127.0.0.1", 1)).await?;
        Ok(Action::await_change())
    });
    assert_eq!(failure.rule(), "no-panic");
    assert!(failure.message().contains("IO is disabled"), "{failure}");
}

// holds: Y8
#[test]
fn a_sleep_in_real_time_is_reported() {
    let report = explore(|sim| {
        one_map(sim);
        sim.executions(20);
        sim.controller(|_| {
            let builder = Controller::for_kind::<ConfigMap>("controller");
            builder.reconcile(async |_: Request, _: Context| {
                #[allow(clippy::disallowed_methods, reason = "this is what the test is about")]
                std::thread::sleep(Duration::from_millis(30));
                Ok(Action::await_change())
            })
        });
    });
    let report = report.expect("no rule is broken").to_string();
    // Only Linux says how long a thread slept.
    assert!(
        !cfg!(target_os = "linux")
            || report.contains("s of real time: the controller uses std::thread::sleep"),
        "{report}"
    );
}

/// Writes the time of a real clock into a config map.
async fn stamps(request: Request, context: Context) -> Result<Action, Error> {
    if context.get::<ConfigMap>(&request).await?.is_some_and(|map| map.data.is_none()) {
        #[allow(clippy::disallowed_methods, reason = "this is what the test is about")]
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
        let patch = Patch::Merge(json!({ "data": { "stamp": now.as_nanos().to_string() } }));
        context.api::<ConfigMap>().patch(request.name(), &PatchParams::default(), &patch).await?;
    }
    Ok(Action::await_change())
}

// holds: Y8
#[test]
fn the_time_of_a_real_clock_in_an_object_is_an_error_unless_the_field_may_differ() {
    let stamper = |sim: &mut Sim| {
        one_map(sim);
        sim.executions(5);
        sim.controller(|_| Controller::for_kind::<ConfigMap>("stamper").reconcile(stamps));
    };
    let failure = explore(stamper).expect_err("two executions end in different states");
    assert_eq!(failure.rule(), "simulation");
    assert!(failure.message().contains("a clock or random numbers of its own"), "{failure}");
    assert!(failure.differences()[0].starts_with("configmaps default/one /data/stamp: "), "{failure}");
    let report = explore(move |sim| {
        stamper(sim);
        sim.may_differ("configmaps", "/data/stamp", "it is the time of the first reconcile");
    });
    let report = report.expect("the field is declared").to_string();
    let declared = "may differ: configmaps /data/stamp (it is the time of the first reconcile)";
    assert!(report.contains(declared), "{report}");
}

// holds: Y8
#[test]
fn a_panic_is_an_error_with_its_place() {
    let failure = failure(|| async { panic!("this reconcile panics") });
    assert_eq!(failure.rule(), "no-panic");
    assert!(failure.message().starts_with("this reconcile panics ("), "{failure}");
    assert!(failure.message().contains("bad_input.rs:"), "{failure}");
}

// holds: Y8
#[test]
fn a_scenario_that_never_ends_is_an_error() {
    let failure = explore(|sim| {
        sim.controller(|_| {
            let builder = Controller::for_kind::<ConfigMap>("controller");
            builder.reconcile(async |_: Request, _: Context| Ok(Action::await_change()))
        });
        sim.scenario(|_| std::future::pending::<Result<(), String>>());
    });
    let failure = failure.expect_err("it never ends");
    assert!(failure.message().contains("the scenario has not ended after 2 simulated hours"), "{failure}");
}

// holds: Y8
#[test]
fn a_scenario_that_fails_is_an_error() {
    let failure = explore(|sim| {
        sim.controller(|_| {
            let builder = Controller::for_kind::<ConfigMap>("controller");
            builder.reconcile(async |_: Request, _: Context| Ok(Action::await_change()))
        });
        sim.scenario(|_| async { Err("no such thing") });
    });
    let failure = failure.expect_err("the scenario fails");
    assert!(failure.message().contains("without any fault: no such thing"), "{failure}");
}

// holds: Y8
#[test]
fn a_simulation_without_a_controller_is_an_error() {
    let failure = explore(one_map).expect_err("nothing runs");
    assert!(failure.message().contains("no controller or no scenario"), "{failure}");
}

// holds: Y8
#[test]
fn a_controller_with_wrong_options_is_an_error() {
    let failure = explore(|sim| {
        one_map(sim);
        sim.controller(|_| {
            let builder = Controller::for_kind::<ConfigMap>("controller").workers(0);
            builder.reconcile(async |_: Request, _: Context| Ok(Action::await_change()))
        });
    });
    let failure = failure.expect_err("it has no workers");
    assert_eq!(failure.rule(), "stays-up");
}
