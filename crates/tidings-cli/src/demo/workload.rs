//! What happens in the demo's cluster: pods come, start, and go; now and then the watch breaks.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tidings_apiserver::{ApiServer, Ending, Fault};

use super::say;

/// Lives until it is dropped.
pub(super) async fn live(server: &ApiServer, seed: u64) {
    let mut chance = SmallRng::seed_from_u64(seed);
    let mut born = 0u32;
    let mut alive: Vec<(String, &'static str)> = Vec::new();
    loop {
        tokio::time::sleep(Duration::from_millis(chance.random_range(50..350))).await;
        match chance.random_range(0..20) {
            0..8 => {
                let name = format!("web-{born}");
                born += 1;
                let node = ["node-1", "node-2", "node-3"][chance.random_range(0..3)];
                put(server, &name, node, "Pending");
                alive.push((name, node));
            }
            8..15 if !alive.is_empty() => {
                let (name, node) = &alive[chance.random_range(0..alive.len())];
                put(
                    server,
                    name,
                    node,
                    ["Running", "Running", "Succeeded", "Failed"][chance.random_range(0..4)],
                );
            }
            15..18 if alive.len() > 4 => {
                let (name, _) = alive.swap_remove(chance.random_range(0..alive.len()));
                server.remove("pods", &format!("default/{name}"));
            }
            18 => {
                say("[BREAK]", "the watch is cut off in the middle");
                server.faults().cut_watches(Ending::Broken);
            }
            19 => {
                say("[BREAK]", "the server forgets its history, and the watch is cut off");
                server.faults().inject(Fault::ExpireOnOpen.once());
                server.faults().cut_watches(Ending::Broken);
            }
            _ => {}
        }
    }
}

fn put(server: &ApiServer, name: &str, node: &str, phase: &str) {
    server.put(
        "pods",
        json!({
            "metadata": { "namespace": "default", "name": name, "labels": { "app": "web" } },
            "spec": { "nodeName": node, "containers": [{ "name": "web", "image": "nginx:1.29" }] },
            "status": { "phase": phase },
        }),
    );
}
