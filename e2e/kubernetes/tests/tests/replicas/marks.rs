//! What leaders leave behind: a Secret for each version of each object that one has looked at, never changed again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kube_client::api::PostParams;
use kube_client::{Api, Client};
use serde_json::json;
use tokio::time::Instant;

/// The marks in a namespace.
pub(crate) struct Marks(Api<Secret>);

/// One mark.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    /// Who left it.
    pub(crate) by: String,
    /// Which object was looked at, and which version of it.
    seen: (String, String),
}

/// A lease runs out and another replica sees it: seconds, on a machine that may be busy.
const REACH_MAX: Duration = Duration::from_secs(240);

const PAUSE: Duration = Duration::from_millis(100);

impl Marks {
    pub(crate) fn new(client: &Client, namespace: &str) -> Marks {
        Marks(Api::namespaced(client.clone(), namespace))
    }

    /// Leaves a mark.
    pub(crate) async fn leave(&self, by: &str, name: &str, version: &str) -> Result<(), kube_client::Error> {
        let mark = json!({
            "metadata": { "generateName": "mark-" },
            "stringData": { "by": by, "name": name, "version": version },
        });
        let mark = serde_json::from_value(mark).map_err(kube_client::Error::SerdeError)?;
        self.0.create(&PostParams::default(), &mark).await.map(drop)
    }

    /// All marks, in the order in which the server took them.
    pub(crate) async fn in_order(&self) -> Vec<Mark> {
        let list = self.0.list(&Default::default()).await.unwrap();
        let by_version: BTreeMap<u64, Mark> = list.items.into_iter().map(Mark::read).collect();
        by_version.into_values().collect()
    }

    /// Waits until each of these versions has been looked at.
    pub(crate) async fn reach(&self, tasks: &[(String, String)]) {
        let deadline = Instant::now() + REACH_MAX;
        loop {
            let seen: BTreeSet<_> = self.in_order().await.into_iter().map(|mark| mark.seen).collect();
            let lost: Vec<_> = tasks.iter().filter(|task| !seen.contains(*task)).collect();
            if lost.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "nobody looked at {lost:?} within {REACH_MAX:?}");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Mark {
    /// With its version: it was never changed, so that this is when it was made.
    fn read(secret: Secret) -> (u64, Mark) {
        let data = secret.data.unwrap_or_default();
        let text = |name: &str| String::from_utf8(data[name].0.clone()).expect("a mark is text");
        let version = secret.metadata.resource_version.and_then(|version| version.parse().ok());
        let mark = Mark { by: text("by"), seen: (text("name"), text("version")) };
        (version.expect("the server numbers its versions"), mark)
    }
}
