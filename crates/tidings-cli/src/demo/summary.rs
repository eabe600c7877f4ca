//! The end of the demo: whether the caches are what the server has, and what it took.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::time::Duration;

use tidings::SharedInformerFactory;
use tidings::controller::ControllerHandle;
use tidings_apiserver::ApiServer;

use super::{Counts, Watched};

/// How long the informers may take to catch up when nothing changes any more, and how often is looked.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Whether, after a while, every cache is what the server has.
pub(super) async fn agreed(server: &ApiServer, watched: &[Watched]) -> bool {
    let agree = async {
        while !watched.iter().all(|one| cached(one) == server.list_versions(one.plural)) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::time::timeout(PATIENCE, agree).await.is_ok()
}

fn cached(one: &Watched) -> BTreeMap<String, u64> {
    let objects = one.informer.lister().list();
    objects.iter().filter_map(|object| Some((object.key().to_string(), object.version().number()?))).collect()
}

pub(super) fn print(
    factory: &SharedInformerFactory,
    controller: &ControllerHandle,
    counts: &Counts,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let stats = factory.stats();
    let sum = |figure: fn(&tidings::InformerStats) -> u64| stats.iter().map(figure).sum::<u64>();
    writeln!(out)?;
    for one in &stats {
        writeln!(
            out,
            "{:<18} {:>4} objects, {:>6} bytes, {} events, {} relists",
            one.name, one.objects, one.memory.object_bytes, one.requests.events, one.requests.relists
        )?;
    }
    writeln!(
        out,
        "{:<18} {} additions, {} updates, {} deletions",
        "heard",
        counts.adds(),
        counts.updates(),
        counts.deletes()
    )?;
    let work = controller.stats();
    writeln!(
        out,
        "{:<18} {} reconciles, {} waiting now",
        "controller",
        work.reconcile_time.count(),
        work.queue.waiting
    )?;
    writeln!(
        out,
        "{:<18} {} met, {} relists, nothing lost",
        "faults",
        sum(|one| one.faults.source),
        sum(|one| one.requests.relists)
    )?;
    writeln!(out, "{:<18} {:?} on average from the queue to the handlers", "latency", average(&stats))?;
    writeln!(
        out,
        "{:<18} {} bytes for all objects and indexes",
        "memory",
        sum(|one| one.memory.object_bytes + one.memory.index_bytes)
    )
}

fn average(stats: &[tidings::InformerStats]) -> Duration {
    let batches: u64 = stats.iter().map(|one| one.processing.batches).sum();
    let sum: Duration = stats.iter().map(|one| one.processing.sum).sum();
    sum.checked_div(u32::try_from(batches).unwrap_or(u32::MAX)).unwrap_or_default()
}
