//! Random writes to config maps without end. A seed repeats the choices, but not their times.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub(crate) struct Workload {
    chance: SmallRng,
    maps: Api<ConfigMap>,
    prefix: String,
}

/// Few names, so that objects are changed, deleted and created again.
const NAMES: usize = 15;

/// The pause after a failed write, because the server may be down.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A server that is killed may never respond to a write.
const ANSWER_MAX: Duration = Duration::from_secs(5);

impl Workload {
    pub(crate) fn new(seed: u64, maps: Api<ConfigMap>, prefix: String) -> Workload {
        Workload { chance: SmallRng::seed_from_u64(seed), maps, prefix }
    }

    /// Writes until it is stopped. Returns how many writes the server accepted.
    pub(crate) async fn run(mut self, stop: CancellationToken) -> u64 {
        let mut taken = 0;
        while !stop.is_cancelled() {
            match tokio::time::timeout(ANSWER_MAX, self.write()).await {
                Ok(Ok(())) => taken += 1,
                // The server is down, or the object does not exist.
                Ok(Err(_)) | Err(_) => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
        taken
    }

    async fn write(&mut self) -> Result<(), kube_client::Error> {
        let name = format!("{}-{}", self.prefix, self.chance.random_range(0..NAMES));
        if self.chance.random_ratio(1, 5) {
            return self.maps.delete(&name, &DeleteParams::default()).await.map(drop);
        }
        let app = ["web", "db"][self.chance.random_range(0..2)];
        let map = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "name": name, "labels": { "app": app } },
            "data": { "value": self.chance.random::<u64>().to_string() },
        });
        let apply = PatchParams::apply("workload").force();
        self.maps.patch(&name, &apply, &Patch::Apply(map)).await.map(drop)
    }
}
