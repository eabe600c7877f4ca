//! The same programs over informers of an API server that injects faults. Every published state is compared with the
//! evaluation from scratch over the inputs of that state, also while watches are cut and lists fail.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::Value as Json;
use tidings_apiserver::{ApiServer, Ending, EventFault, Fault, Injection};
use tidings_factory::SharedInformerFactory;

use super::program::Program;
use super::{ProgramRun, random_object};
use crate::fixture::{RunningGraph, within};

const RESOURCES: [&str; 2] = ["pods", "configmaps"];

fn faults() -> Vec<Injection> {
    let status = |code| Fault::Status { code, retry_after_seconds: None }.always();
    let event = |after_events, fault| Fault::Event { after_events, fault }.always();
    let cut = |after_events, ending| Fault::CutStream { after_events, ending }.always();
    vec![
        status(429),
        status(500),
        status(401),
        Fault::HtmlPage { code: 502 }.always(),
        Fault::Refused.always(),
        Fault::GarbageBody.always(),
        Fault::Delay(Duration::from_secs(2)).always(),
        Fault::RefuseStreamingList.always(),
        Fault::FailStreamingList.always(),
        Fault::HideBookmarks.always(),
        Fault::ExpireOnOpen.always(),
        Fault::CutBody { after_bytes: 300, ending: Ending::Broken }.always(),
        cut(0, Ending::Clean),
        cut(3, Ending::Broken),
        Fault::CutMidFrame { after_events: 2 }.always(),
        Fault::SlowStream(Duration::from_millis(300)).always(),
        Fault::StallStream { after_events: 2 }.always(),
        event(1, EventFault::Duplicate),
        event(2, EventFault::Stale),
        event(1, EventFault::Garbage),
        event(2, EventFault::Error { code: 410 }),
    ]
}

fn change(random: &mut SmallRng, server: &ApiServer) {
    let resource = RESOURCES[random.random_range(0..2)];
    let name = random.random_range(0..8);
    let key = format!("n{}/o{name}", name % 2);
    match random.random_range(0..20) {
        0..3 => drop(server.remove(resource, &key)),
        // A change that no watch reports: the next list finds it.
        3 => drop(server.remove_silently(resource, &key)),
        4 => server.expire_history(),
        5 => server.faults().cut_watches(Ending::Broken),
        _ => drop(server.put(resource, random_object(random, name))),
    }
}

/// Whether both caches equal the server.
fn has_caught_up(server: &ApiServer, run: &ProgramRun) -> bool {
    RESOURCES.iter().zip(&run.objects).all(|(resource, objects)| {
        let cached = objects.lister().list();
        let cached =
            cached.iter().map(|one| (one.key().into_owned(), one.version().number().unwrap_or_default()));
        server.list_versions(resource) == cached.collect()
    })
}

async fn run(seed: u64, steps: usize) {
    let mut random = SmallRng::seed_from_u64(seed);
    let server = ApiServer::start().await;
    server.faults().plan(seed, 250, faults());
    let factory = SharedInformerFactory::builder(server.client()).seed(seed).build();
    let running = RunningGraph::new();
    let (pods, maps) =
        (factory.informer::<Pod>().cast::<Json>(), factory.informer::<ConfigMap>().cast::<Json>());
    let inputs = vec![running.graph.informer(&pods), running.graph.informer(&maps)];
    let program = ProgramRun::new(Program::random(&mut random), inputs, &running.graph);
    let informers = factory.start();
    let mut checked = 0;
    for step in 0..steps {
        for _ in 0..random.random_range(1..4) {
            change(&mut random, &server);
        }
        tokio::time::sleep(Duration::from_millis(random.random_range(0..2_000))).await;
        checked +=
            usize::from(program.check(&running.graph.snapshot(), &format!("seed {seed}, step {step}")));
    }
    server.faults().clear();
    server.faults().cut_watches(Ending::Broken);
    within(async {
        while !has_caught_up(&server, &program) {
            tokio::time::sleep(Duration::from_secs(5)).await;
            server.expire_history();
            server.faults().cut_watches(Ending::Broken);
        }
    })
    .await;
    running.settled().await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    let context = format!("seed {seed}, at the end");
    assert!(program.check(&running.graph.snapshot(), &context), "{context}: not synced");
    program.check_views(&context);
    assert!(checked > 0, "seed {seed}: nothing was checked");
    running.graph.stop();
    within(running.graph.stopped()).await;
    informers.shutdown().await;
}

// holds: V1, V7, V16
#[tokio::test(start_paused = true)]
async fn random_programs_over_informers_equal_their_evaluation_from_scratch_under_every_fault() {
    let programs = super::from_environment("TIDINGS_DERIVED_FAULT_PROGRAMS", 8);
    let seed = super::from_environment("TIDINGS_DERIVED_SEED", 0);
    for program in 0..programs {
        run(seed + program, 40).await;
    }
}
