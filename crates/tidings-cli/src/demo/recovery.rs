//! Reports when all informers watch again after a fault.

use std::time::Duration;

use tidings::{InformerStats, SharedInformerFactory, StreamState};
use tokio::time::Instant;

use super::Watched;
use super::printer::LinePrinter;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Reports recoveries until it is dropped.
pub(super) async fn report(factory: &SharedInformerFactory, watched: &[Watched], printer: &LinePrinter) {
    // Compares counters, because an informer can fail and recover between two polls.
    let (mut reported, mut broken_since) = (faults(factory), None);
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let faults = faults(factory);
        if faults == reported {
            continue;
        }
        let since = *broken_since.get_or_insert_with(Instant::now);
        if watched.iter().all(is_watching) {
            let took = since.elapsed().as_millis();
            printer.print(
                "[RECOVER]",
                format_args!("all informers watch again, {took} ms after the first fault"),
            );
            (reported, broken_since) = (faults, None);
        }
    }
}

fn faults(factory: &SharedInformerFactory) -> u64 {
    let of_one = |one: &InformerStats| one.faults.source;
    factory.stats().iter().map(of_one).sum()
}

fn is_watching(one: &Watched) -> bool {
    let health = one.informer.health();
    health.is_healthy() && health.streams.iter().all(|stream| stream.state == StreamState::Watching)
}
