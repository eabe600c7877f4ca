//! Faults of the demo cluster: breaks the watches now and then, so that informers must recover.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tidings_apiserver::{ApiServer, Ending, Fault};

/// Injects faults until it is dropped, and calls `report` with a description of each.
pub(crate) async fn inject(server: &ApiServer, seed: u64, report: impl Fn(&str)) {
    // The seed differs from the workload's, so that the two random sequences are independent.
    let mut rng = SmallRng::seed_from_u64(seed ^ 0x7261_696e);
    loop {
        tokio::time::sleep(Duration::from_millis(rng.random_range(1500..4000))).await;
        match rng.random_range(0..3) {
            0 => report("all watches are cut"),
            1 => {
                report("the server drops its history, and all watches are cut: informers must list again");
                server.faults().inject(Fault::ExpireOnOpen.once());
            }
            _ => {
                report("the server responds 503 to the next request, and all watches are cut");
                server.faults().inject(Fault::Status { code: 503, retry_after_seconds: Some(1) }.once());
            }
        }
        server.faults().cut_watches(Ending::Broken);
    }
}
