//! What goes wrong in the demo: now and then the watches break, and the informers show how they recover.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tidings_apiserver::{ApiServer, Ending, Fault};

use super::say;

/// Makes trouble until it is dropped.
pub(super) async fn make(server: &ApiServer, seed: u64) {
    // Another sequence than the workload's, or they would go in step.
    let mut chance = SmallRng::seed_from_u64(seed ^ 0x7261_696e);
    loop {
        tokio::time::sleep(Duration::from_millis(chance.random_range(1500..4000))).await;
        match chance.random_range(0..3) {
            0 => {
                say("[BREAK]", "all watches are cut off");
                server.faults().cut_watches(Ending::Broken);
            }
            1 => {
                say(
                    "[BREAK]",
                    "the server forgets its history, and the watches are cut off: everything is listed again",
                );
                server.faults().inject(Fault::ExpireOnOpen.once());
                server.faults().cut_watches(Ending::Broken);
            }
            _ => {
                say("[BREAK]", "the server answers 503 to the next request, and the watches are cut off");
                server.faults().inject(Fault::Status { code: 503, retry_after_seconds: Some(1) }.once());
                server.faults().cut_watches(Ending::Broken);
            }
        }
    }
}
