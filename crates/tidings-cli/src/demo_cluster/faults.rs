//! What goes wrong in this world: now and then the watches break, and informers show how they recover.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tidings_apiserver::{ApiServer, Ending, Fault};

/// Makes trouble until it is dropped, and tells of each.
pub(crate) async fn inject(server: &ApiServer, seed: u64, tell: impl Fn(&str)) {
    // Another sequence than the workload's, or they would go in step.
    let mut rng = SmallRng::seed_from_u64(seed ^ 0x7261_696e);
    loop {
        tokio::time::sleep(Duration::from_millis(rng.random_range(1500..4000))).await;
        match rng.random_range(0..3) {
            0 => tell("all watches are cut off"),
            1 => {
                tell(
                    "the server forgets its history, and the watches are cut off: everything is listed again",
                );
                server.faults().inject(Fault::ExpireOnOpen.once());
            }
            _ => {
                tell("the server answers 503 to the next request, and the watches are cut off");
                server.faults().inject(Fault::Status { code: 503, retry_after_seconds: Some(1) }.once());
            }
        }
        server.faults().cut_watches(Ending::Broken);
    }
}
