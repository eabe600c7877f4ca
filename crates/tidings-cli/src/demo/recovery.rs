//! Tells when all informers watch again after something broke.

use std::time::Duration;

use tidings::{InformerStats, SharedInformerFactory, StreamState};
use tokio::time::Instant;

use super::Watched;
use super::printer::LinePrinter;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Tells of recoveries until it is dropped.
pub(super) async fn report(factory: &SharedInformerFactory, watched: &[Watched], printer: &LinePrinter) {
    // A break can be over between two looks: what has been met is counted, and does not pass.
    let (mut told, mut broken_since) = (faults(factory), None);
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let met = faults(factory);
        if met == told {
            continue;
        }
        let since = *broken_since.get_or_insert_with(Instant::now);
        if watched.iter().all(follows) {
            let took = since.elapsed().as_millis();
            printer.print(
                "[RECOVER]",
                format_args!("all informers watch again, {took} ms after the first fault"),
            );
            (told, broken_since) = (met, None);
        }
    }
}

fn faults(factory: &SharedInformerFactory) -> u64 {
    let of_one = |one: &InformerStats| one.faults.source;
    factory.stats().iter().map(of_one).sum()
}

fn follows(one: &Watched) -> bool {
    let health = one.informer.health();
    health.is_healthy() && health.streams.iter().all(|stream| stream.state == StreamState::Watching)
}
