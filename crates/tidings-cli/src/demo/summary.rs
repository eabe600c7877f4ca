//! The end of the demo: whether the caches are what the server has, and what it took.

use std::collections::BTreeMap;
use std::time::Duration;

use tidings::controller::ControllerHandle;
use tidings::{InformerStats, SharedInformerFactory};
use tidings_apiserver::ApiServer;

use super::{Counts, Watched};

/// How long the informers may take to catch up when nothing changes any more, and how often is looked.
const TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Whether every cache is what the server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    Same,
    Differ,
}

/// How caches and server compare, after a while if need be.
pub(super) async fn agreement(server: &ApiServer, watched: &[Watched]) -> Agreement {
    let agree = async {
        while !watched.iter().all(|one| cached(one) == server.list_versions(one.plural)) {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(TIMEOUT, agree).await.map_or(Agreement::Differ, |()| Agreement::Same)
}

fn cached(one: &Watched) -> BTreeMap<String, u64> {
    let objects = one.informer.lister().list();
    objects.iter().filter_map(|object| Some((object.key().to_string(), object.version().number()?))).collect()
}

/// A few lines for people.
pub(super) fn written(
    factory: &SharedInformerFactory,
    controller: &ControllerHandle,
    counts: &Counts,
    agreement: Agreement,
) -> String {
    let stats = factory.stats();
    let sum = |figure: fn(&InformerStats) -> u64| stats.iter().map(figure).sum::<u64>();
    let informers = stats.iter().map(|one| {
        let figures = format!(
            "{:>4} objects, {:>6} bytes, {} events, {} relists",
            one.objects, one.memory.object_bytes, one.requests.events, one.requests.relists
        );
        (&*one.name, figures)
    });
    let heard =
        format!("{} additions, {} updates, {} deletions", counts.adds(), counts.updates(), counts.deletes());
    let work = controller.stats();
    let worked = format!("{} reconciles, {} waiting now", work.reconcile_time.count(), work.queue.waiting);
    let lost = match agreement {
        Agreement::Same => "nothing lost: caches and server agree",
        Agreement::Differ => "caches and server do not agree",
    };
    let relists = sum(|one| one.requests.relists);
    let faults = format!("{} met, {relists} relists, {lost}", sum(|one| one.faults.source));
    let latency = format!("{:?} on average from the queue to the handlers", average(&stats));
    let bytes = sum(|one| one.memory.object_bytes + one.memory.index_bytes);
    let lines = informers.chain([
        ("heard", heard),
        ("controller", worked),
        ("faults", faults),
        ("latency", latency),
        ("memory", format!("{bytes} bytes for all objects and indexes")),
    ]);
    lines.map(|(name, text)| format!("\n{name:<18} {text}")).collect()
}

fn average(stats: &[InformerStats]) -> Duration {
    let batches: u64 = stats.iter().map(|one| one.processing.count()).sum();
    let sum: Duration = stats.iter().map(|one| one.processing.sum()).sum();
    sum.checked_div(u32::try_from(batches).unwrap_or(u32::MAX)).unwrap_or_default()
}
