//! A simulation of the real task over the in-process server, with lost connections, outages, lost responses, edits by
//! people, and stops: at most one replica leads at any time, and one leads soon after the faults.
//!
//! `TIDINGS_SEED=17 cargo test -p tidings-controller --test it election::simulation` repeats a run,
//! `TIDINGS_SEEDS=1000` runs that many seeds. The simulation of the state machine has clocks that differ.

use std::collections::BTreeSet;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tidings_apiserver::Injection;
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::Election;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::election::replica::{Link, Replica, edit, election, join};

/// The time from the last fault until a replica leads: a request ends, a read observes the last change, the lease
/// expires, the next read takes it.
const BOUND: Duration = Duration::from_millis(5_000 + 4_400 + 15_000 + 4_400 + 100);

const NAMES: [&str; 3] = ["first", "second", "third"];

// holds: E4, E5, E7, E8
#[test]
fn at_most_one_replica_leads_under_all_faults_and_one_leads_soon_after() {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("seeds are numbers"));
    let seeds = match number("TIDINGS_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TIDINGS_SEEDS").unwrap_or(30),
    };
    let all = seeds.end - seeds.start > 1;
    let mut occurred = BTreeSet::new();
    for seed in seeds {
        occurred.extend(simulate(seed));
    }
    let kinds: BTreeSet<_> = faults().iter().map(|injection| injection.fault().name()).collect();
    assert!(!all || occurred.is_superset(&kinds), "never occurred: {:?}", kinds.difference(&occurred));
}

fn simulate(seed: u64) -> Vec<&'static str> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime can be built").block_on(async {
        let server = ApiServer::builder().seed(seed).start().await;
        let (mut tasks, mut rng) = (JoinSet::new(), SmallRng::seed_from_u64(seed));
        let mut replicas: Vec<_> =
            NAMES.iter().map(|name| join(&server, &mut tasks, of(name, &mut rng))).collect();
        server.faults().plan(seed, 150, faults());
        for _ in 0..40 {
            inject_fault(&server, &mut tasks, &mut replicas, &mut rng).await;
            let until = Instant::now() + Duration::from_millis(rng.random_range(100..15_000));
            while Instant::now() < until {
                at_most_one_leads(&replicas, seed);
                tokio::time::sleep(Duration::from_millis(97)).await;
            }
        }
        server.faults().clear();
        replicas.iter().for_each(|replica| replica.set(Link::Whole));
        let calm = Instant::now();
        while !replicas.iter().any(Replica::leads) {
            assert!(
                calm.elapsed() < BOUND,
                "TIDINGS_SEED={seed}: no replica leads {:?} after the faults",
                calm.elapsed()
            );
            tokio::time::sleep(Duration::from_millis(97)).await;
        }
        for _ in 0..600 {
            at_most_one_leads(&replicas, seed);
            assert!(
                replicas.iter().any(Replica::leads),
                "TIDINGS_SEED={seed}: no replica leads, although there are no faults"
            );
            tokio::time::sleep(Duration::from_millis(97)).await;
        }
        tasks.shutdown().await;
        server.faults().counts().into_keys().collect()
    })
}

#[track_caller]
fn at_most_one_leads(replicas: &[Replica], seed: u64) {
    let leaders: Vec<_> = replicas.iter().filter(|replica| replica.leads()).collect();
    let names: Vec<_> = leaders.iter().map(|replica| replica.leadership.identity()).collect();
    assert!(names.len() <= 1, "TIDINGS_SEED={seed}: {names:?} lead");
}

fn of(name: &str, rng: &mut SmallRng) -> Election {
    election(name).seed(rng.random())
}

async fn inject_fault(
    server: &ApiServer,
    tasks: &mut JoinSet<()>,
    replicas: &mut [Replica],
    rng: &mut SmallRng,
) {
    let number = rng.random_range(0..replicas.len());
    let leader = replicas.iter().position(Replica::leads).unwrap_or(number);
    match rng.random_range(0..100) {
        0..40 => replicas[number].set([Link::Cut, Link::Mute, Link::Refused][rng.random_range(0..3)]),
        40..50 => replicas[leader].set([Link::Cut, Link::Mute, Link::Refused][rng.random_range(0..3)]),
        50..75 => replicas.iter().for_each(|replica| replica.set(Link::Whole)),
        75..82 => {
            if server
                .object("leases", "default/lock")
                .is_some_and(|lease| lease["spec"]["holderIdentity"] != "")
            {
                edit(server, ["stranger", "first", "second", "third"][rng.random_range(0..4)]);
            }
        }
        82..91 => {
            // A crash does not release the lease.
            replicas[leader].task.abort();
            replicas[leader] = join(server, tasks, of(NAMES[leader], rng));
        }
        _ => {
            replicas[leader].stop.cancel();
            while !replicas[leader].task.is_finished() {
                at_most_one_leads(replicas, 0);
                tokio::time::sleep(Duration::from_millis(97)).await;
            }
            replicas[leader] = join(server, tasks, of(NAMES[leader], rng));
        }
    }
}

fn faults() -> Vec<Injection> {
    let status = |code| Fault::Status { code, retry_after_seconds: None }.always();
    vec![
        status(409),
        status(429),
        status(500),
        status(503),
        Fault::HtmlPage { code: 502 }.always(),
        Fault::Refused.always(),
        Fault::Hang.always(),
        Fault::GarbageBody.always(),
        Fault::Delay(Duration::from_secs(3)).always(),
        Fault::Delay(Duration::from_secs(7)).always(),
        Fault::WrongKind.always(),
    ]
}
