//! The last lines of the demo: whether the caches equal the server, and statistics.

use std::collections::BTreeMap;
use std::time::Duration;

use tidings::controller::ControllerHandle;
use tidings::{InformerStats, SharedInformerFactory};
use tidings_apiserver::ApiServer;

use super::{Counts, Watched};

/// How long the informers may take to catch up after the last change.
const TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Whether every cache equals the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    Same,
    Differ,
}

/// Waits until the caches equal the server, up to the timeout.
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

/// The summary as text.
pub(super) fn text(
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
    let notifications =
        format!("{} additions, {} updates, {} deletions", counts.adds(), counts.updates(), counts.deletes());
    let work = controller.stats();
    let worked = format!("{} reconciles, {} keys waiting", work.reconcile_time.count(), work.queue.waiting);
    let lost = match agreement {
        Agreement::Same => "nothing lost: the caches equal the server",
        Agreement::Differ => "the caches differ from the server",
    };
    let relists = sum(|one| one.requests.relists);
    let faults = format!("{} faults, {relists} relists, {lost}", sum(|one| one.faults.source));
    let latency = format!("{:?} on average from the delta queue to the handlers", average(&stats));
    let bytes = sum(|one| one.memory.object_bytes + one.memory.index_bytes);
    let lines = informers.chain([
        ("notifications", notifications),
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
