//! Updates pods in an order that visits all pods before one is visited again. So no burst updates a pod twice, and
//! updates can't be merged.

use std::time::Duration;

use serde_json::{Value, json};
use tidings_apiserver::ApiServer;
use tokio::time::Instant;

use crate::protocol::SENT_LABEL;
use crate::wall_clock::now_ns;

/// A prime, so that its multiples visit every pod once, unless it divides the number of pods.
const STEP: usize = 611_953;

pub(super) struct Updates {
    server: ApiServer,
    keys: Vec<String>,
    at: usize,
}

impl Updates {
    pub(super) fn new(server: &ApiServer, keys: Vec<String>) -> Self {
        Updates { server: server.clone(), keys, at: 0 }
    }

    /// Updates this many pods, as fast as possible or at a rate. Returns their keys.
    pub(super) fn write(&mut self, count: u64, per_second: Option<u64>) -> Vec<String> {
        let mut changed = Vec::new();
        if self.keys.is_empty() {
            return changed;
        }
        let begun = Instant::now();
        for number in 0..count {
            self.at = (self.at + STEP) % self.keys.len();
            let pod = self.changed(&self.keys[self.at]);
            if let Some(rate) = per_second {
                sleep_until(begun + Duration::from_nanos(1_000_000_000 * number / rate.max(1)));
            }
            self.put_now(pod);
            changed.push(self.keys[self.at].clone());
        }
        changed
    }

    /// Updates one pod.
    pub(super) fn touch(&self, key: &str) {
        self.put_now(self.changed(key));
    }

    /// The pod after a restart of its container, as the kubelet writes it.
    fn changed(&self, key: &str) -> Option<Value> {
        let mut pod = self.server.object("pods", key)?;
        let restarts = &mut pod["status"]["containerStatuses"][0]["restartCount"];
        *restarts = json!(restarts.as_u64().unwrap_or(0) + 1);
        Some(pod)
    }

    fn put_now(&self, pod: Option<Value>) {
        if let Some(mut pod) = pod {
            pod["metadata"]["labels"][SENT_LABEL] = json!(now_ns().to_string());
            self.server.put("pods", pod);
        }
    }
}

/// Timers of the runtime have a resolution of a millisecond, which is too coarse for 2,000 updates per second.
#[expect(clippy::disallowed_methods, reason = "this thread has nothing else to do")]
fn sleep_until(due: Instant) {
    let left = due.saturating_duration_since(Instant::now());
    if !left.is_zero() {
        std::thread::sleep(left);
    }
}
