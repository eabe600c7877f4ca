//! Runs the stand-ins over a server whose custom resources come and go.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionCondition,
};
use kube_client::Client;
use tidings::controller::Error;
use tidings::{Lister, SharedInformerFactory};

use crate::GarbageCollector;
use crate::cluster::Cluster;

/// How long the stand-ins run without a resource that is defined and not served yet.
const NOT_SERVED_RECHECK: Duration = Duration::from_secs(1);

/// The definitions that the server accepted, and the versions that each serves.
type Definitions = BTreeMap<String, Definition>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Definition {
    group: String,
    plural: String,
    served: Vec<String>,
}

impl Cluster {
    /// Runs the stand-ins until this is dropped. A garbage collector follows everything that the server has. All
    /// stand-ins are started again when custom resources are defined or removed, so that it follows those too.
    ///
    /// # Errors
    ///
    /// The server refuses a list, or a stand-in fails. It never returns `Ok`.
    pub async fn run(&self, client: Client) -> Result<(), Error> {
        let factory = SharedInformerFactory::new(client.clone());
        let informer = factory.informer::<CustomResourceDefinition>();
        let mut changes = informer.notifications()?;
        let lister = informer.lister();
        let running = factory.start();
        running.synced().await?;
        loop {
            // Read before the resources: a definition that arrives while they are read counts as a change.
            let known = definitions(&lister)?;
            let mut cluster = self.clone();
            let mut is_complete = true;
            if cluster.contains("gc") {
                let collector = GarbageCollector::discovered(&client).await?;
                let is_followed = |known: &Definition| collector.follows(&known.group, &known.plural);
                is_complete = known.values().all(is_followed);
                cluster = cluster.with(collector);
            }
            let is_other = async {
                while definitions(&lister).is_ok_and(|now| now == known) {
                    changes.next().await;
                }
            };
            let is_over = async {
                match is_complete {
                    true => is_other.await,
                    // A server stores a definition before it serves its resources.
                    false => drop(tokio::time::timeout(NOT_SERVED_RECHECK, is_other).await),
                }
            };
            cluster.manager(SharedInformerFactory::new(client.clone())).run_until(is_over).await?;
        }
    }
}

fn definitions(lister: &Lister<CustomResourceDefinition>) -> Result<Definitions, Error> {
    let mut found = Definitions::new();
    for object in lister.list() {
        let definition = object.decoded()?;
        let conditions = definition.status.as_ref().and_then(|status| status.conditions.as_ref());
        let is_refused = |condition: &CustomResourceDefinitionCondition| {
            condition.type_ == "Established" && condition.status != "True"
        };
        if conditions.into_iter().flatten().any(is_refused) {
            continue;
        }
        let spec = &definition.spec;
        let served =
            spec.versions.iter().filter(|version| version.served).map(|version| version.name.clone());
        let described = Definition {
            group: spec.group.clone(),
            plural: spec.names.plural.clone(),
            served: served.collect(),
        };
        if !described.served.is_empty() {
            found.insert(object.key().to_string(), described);
        }
    }
    Ok(found)
}
