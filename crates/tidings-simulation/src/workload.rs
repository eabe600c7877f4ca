//! The workload: changes objects, and makes servers, networks and replicas fail.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tidings_apiserver::Ending;
use tidings_apiserver::SavedState;

use crate::cluster::Cluster;
use crate::network::LinkState;
use crate::plan::Plan;
use crate::reconcile::{CONTENT, COPY, FOR, WATCHED};
use crate::replica::{Incarnation, MATCH, NAMESPACES};

/// The number of ServiceAccounts, Services and ConfigMaps in each namespace.
const FEW: usize = 4;

/// How many Pods without an owner fill the mailbox of the slow subscriber: more than it empties while owners reconcile.
const UNOWNED_PODS: usize = 300;

pub(crate) struct Workload {
    rng: SmallRng,
    pods: usize,
    saved: Option<SavedState>,
}

impl Workload {
    pub(crate) fn new(plan: &Plan) -> Self {
        Workload { rng: SmallRng::seed_from_u64(plan.seed), pods: plan.pods, saved: None }
    }

    /// Creates the objects that exist before the first replica starts.
    pub(crate) fn create_initial_objects(&mut self, cluster: &Cluster) {
        for _ in 0..self.pods * 2 {
            self.put_pod(cluster);
        }
        for _ in 0..FEW {
            self.put_account(cluster);
            self.put_service(cluster);
            self.put_map(cluster);
        }
    }

    /// One random step, sometimes followed by a pause.
    pub(crate) async fn step(&mut self, cluster: &Cluster) {
        match self.rng.random_range(0..100) {
            0..22 => self.put_pod(cluster),
            22..30 => self.remove(cluster, "pods", "pod", self.pods),
            30..42 => self.change_pod_at_once(cluster),
            42..48 => self.put_service(cluster),
            48..51 => self.remove(cluster, "services", "service", FEW),
            51..55 => self.put_account(cluster),
            55..57 => self.remove(cluster, "serviceaccounts", "account", FEW),
            57..63 => self.put_map(cluster),
            63..65 => self.remove(cluster, "configmaps", "map", FEW),
            65..70 => self.tamper_with_secret(cluster),
            70..77 => self.cut_watches(cluster),
            77..79 => cluster.server.expire_history(),
            79..83 => self.advance_lagging_server(cluster),
            83..98 => self.disturb_replica(cluster),
            _ => self.restore_from_backup(cluster).await,
        }
        if self.rng.random_range(0..8) == 0 {
            self.advance_lagging_server(cluster);
        }
        if self.rng.random_range(0..3) == 0 {
            let most = if self.rng.random_range(0..8) == 0 { 100_000 } else { 5_000 };
            tokio::time::sleep(Duration::from_millis(self.rng.random_range(1..most))).await;
        }
    }

    /// Small changes without faults. Controllers write in response only if `all`.
    pub(crate) fn make_small_changes(&mut self, cluster: &Cluster, all: bool) {
        self.put_pod(cluster);
        if self.rng.random() {
            self.change_pod_at_once(cluster);
        }
        self.put_service(cluster);
        self.put_account(cluster);
        if all {
            self.put_map(cluster);
            self.tamper_with_secret(cluster);
        }
    }

    /// Adds and removes a Pod of each ServiceAccount while the subscriber of Pods is behind, as the last step.
    ///
    /// This finds a lost request (rule 1b). During the run a later change of the same owner would repair the loss
    /// before it is noticed. After this step there is no later change. Step by step:
    ///
    /// 1. Pods without an owner change, and fill the mailbox of the slow subscriber.
    /// 2. A Pod of each account is added, and a Service that maps to the account changes.
    /// 3. The Service's subscriber is quick: the account is reconciled and counts the Pod, which is in the cache.
    /// 4. The Pod moves to another account or is deleted. If its notifications merge, the account is not reconciled again.
    pub(crate) async fn churn_behind_slow_subscriber(&mut self, cluster: &Cluster) {
        for number in 0..UNOWNED_PODS {
            let metadata = json!({ "namespace": "a", "name": format!("unowned-{number}") });
            self.put(cluster, "pods", json!({ "metadata": metadata, "spec": { "containers": [] } }));
        }
        self.yield_up_to(8).await;
        for namespace in NAMESPACES {
            for account in (0..FEW).map(|number| format!("account-{number}")) {
                self.put_burst_pod(cluster, namespace, &account, &account);
                let labels = json!({ FOR: account, WATCHED: "yes" });
                let metadata =
                    json!({ "namespace": namespace, "name": format!("burst-{account}"), "labels": labels });
                self.put(cluster, "services", json!({ "metadata": metadata, "spec": {} }));
                self.yield_up_to(4).await;
            }
        }
        self.yield_up_to(12).await;
        for namespace in NAMESPACES {
            for account in (0..FEW).map(|number| format!("account-{number}")) {
                match self.rng.random_range(0..3) {
                    0 => self.put_burst_pod(cluster, namespace, &account, "account-none"),
                    _ => self.remove_key(cluster, "pods", &format!("{namespace}/burst-{account}")),
                }
                self.yield_up_to(2).await;
            }
        }
    }

    fn put_burst_pod(&mut self, cluster: &Cluster, namespace: &str, account: &str, owner: &str) {
        let mut metadata =
            json!({ "namespace": namespace, "name": format!("burst-{account}"), "labels": {} });
        set_owner(cluster, &mut metadata, ("serviceaccounts", "ServiceAccount"), namespace, owner);
        self.put(cluster, "pods", json!({ "metadata": metadata, "spec": { "containers": [] } }));
    }

    /// Yields to the tasks of the replicas, up to this many times.
    async fn yield_up_to(&mut self, times_max: usize) {
        for _ in 0..self.rng.random_range(0..times_max) {
            tokio::task::yield_now().await;
        }
    }

    fn namespace(&mut self) -> &'static str {
        NAMESPACES[self.rng.random_range(0..NAMESPACES.len())]
    }

    fn pod(&mut self, cluster: &Cluster, namespace: &str, name: &str) -> Value {
        let account = format!("account-{}", self.rng.random_range(0..FEW + 1));
        let mut metadata = json!({ "namespace": namespace, "name": name, "labels": {
            MATCH: if self.rng.random() { "yes" } else { "no" },
            "round": self.rng.random_range(0..9u8).to_string(),
        } });
        if self.rng.random_range(0..4) != 0 {
            set_owner(cluster, &mut metadata, ("serviceaccounts", "ServiceAccount"), namespace, &account);
        }
        let node = format!("node-{}", self.rng.random_range(0..4));
        json!({ "metadata": metadata, "spec": { "nodeName": node, "containers": [] } })
    }

    fn put(&self, cluster: &Cluster, resource: &str, object: Value) {
        let key = format!("{}/{}", object["metadata"]["namespace"], object["metadata"]["name"]);
        let labels = object["metadata"]["labels"].clone();
        let version = cluster.server.put(resource, object);
        cluster
            .trace
            .record(|| format!("workload: put {resource} {key}@{version} {labels}").replace('"', ""));
    }

    fn put_pod(&mut self, cluster: &Cluster) {
        let (namespace, number) = (self.namespace(), self.rng.random_range(0..self.pods));
        let pod = self.pod(cluster, namespace, &format!("pod-{number}"));
        self.put(cluster, "pods", pod);
    }

    /// Changes one Pod several times without a pause: other owner, other labels, deletion, creation.
    fn change_pod_at_once(&mut self, cluster: &Cluster) {
        let (namespace, number) = (self.namespace(), self.rng.random_range(0..self.pods));
        let name = format!("pod-{number}");
        for _ in 0..self.rng.random_range(2..6) {
            if self.rng.random_range(0..3) == 0 {
                self.remove_key(cluster, "pods", &format!("{namespace}/{name}"));
            } else {
                let pod = self.pod(cluster, namespace, &name);
                self.put(cluster, "pods", pod);
            }
        }
    }

    fn remove(&mut self, cluster: &Cluster, resource: &str, name: &str, count: usize) {
        let key = format!("{}/{name}-{}", self.namespace(), self.rng.random_range(0..count));
        self.remove_key(cluster, resource, &key);
    }

    fn remove_key(&self, cluster: &Cluster, resource: &str, key: &str) {
        if cluster.server.remove(resource, key) {
            cluster
                .trace
                .record(|| format!("workload: remove {resource} {key}@{}", cluster.server.version()));
        }
    }

    fn put_account(&mut self, cluster: &Cluster) {
        let (namespace, number) = (self.namespace(), self.rng.random_range(0..FEW));
        let metadata = json!({ "namespace": namespace, "name": format!("account-{number}") });
        self.put(cluster, "serviceaccounts", json!({ "metadata": metadata }));
    }

    fn put_service(&mut self, cluster: &Cluster) {
        let (namespace, number) = (self.namespace(), self.rng.random_range(0..FEW));
        for _ in 0..self.rng.random_range(1..4) {
            let labels = json!({
                FOR: format!("account-{}", self.rng.random_range(0..FEW + 1)),
                WATCHED: if self.rng.random() { "yes" } else { "no" },
            });
            let name = format!("service-{number}");
            let metadata = json!({ "namespace": namespace, "name": name, "labels": labels });
            self.put(cluster, "services", json!({ "metadata": metadata, "spec": {} }));
        }
        if self.rng.random_range(0..6) == 0 {
            self.remove_key(cluster, "services", &format!("{namespace}/service-{number}"));
        }
    }

    fn put_map(&mut self, cluster: &Cluster) {
        let (namespace, number) = (self.namespace(), self.rng.random_range(0..FEW));
        let content = self.rng.random_range(0..9u8).to_string();
        let metadata = json!({ "namespace": namespace, "name": format!("map-{number}") });
        self.put(cluster, "configmaps", json!({ "metadata": metadata, "data": { CONTENT: content } }));
    }

    /// Changes a Secret that a controller wrote: its content, its owner, or its existence.
    fn tamper_with_secret(&mut self, cluster: &Cluster) {
        let keys: Vec<_> = cluster.server.list_versions("secrets").into_keys().collect();
        let Some(key) = keys.choose(&mut self.rng).cloned() else { return };
        for _ in 0..self.rng.random_range(1..4) {
            let Some(mut secret) = cluster.server.object("secrets", &key) else { return };
            match self.rng.random_range(0..4) {
                0 => self.remove_key(cluster, "secrets", &key),
                1 => {
                    secret["metadata"]["annotations"][COPY] = json!("meddled");
                    self.put(cluster, "secrets", secret);
                }
                _ => {
                    let namespace = key.split('/').next().unwrap_or_default().to_owned();
                    let map = format!("map-{}", self.rng.random_range(0..FEW + 1));
                    let kind = ("configmaps", "ConfigMap");
                    set_owner(cluster, &mut secret["metadata"], kind, &namespace, &map);
                    self.put(cluster, "secrets", secret);
                }
            }
        }
    }

    fn cut_watches(&mut self, cluster: &Cluster) {
        let silent = if cluster.plan.has_stalls { Ending::Stalled } else { Ending::Broken };
        let ending = [Ending::Clean, Ending::Broken, silent][self.rng.random_range(0..3)];
        let faults = match &cluster.lagging {
            Some(lagging) if self.rng.random() => lagging.faults(),
            _ => cluster.server.faults(),
        };
        cluster.trace.record(|| format!("watches end: {ending:?}"));
        faults.cut_watches(ending);
    }

    /// Lets the lagging server apply some changes.
    fn advance_lagging_server(&mut self, cluster: &Cluster) {
        if let Some(lagging) = &cluster.lagging {
            let changes = [0, 1, 3, 20, usize::MAX][self.rng.random_range(0..5)];
            lagging.advance(changes);
            if lagging.behind() > 0 {
                cluster.count("lag");
            }
        }
    }

    fn disturb_replica(&mut self, cluster: &Cluster) {
        let running = cluster.running();
        let Some(replica) = running.choose(&mut self.rng) else { return };
        let what = match self.rng.random_range(0..100) {
            0..35 => self.break_link(cluster, replica),
            35..50 => {
                running.iter().for_each(|replica| replica.link.set(LinkState::Up));
                "link-healed"
            }
            50..65 if cluster.plan.has_crashes => {
                replica.link.crash_after(self.rng.random_range(0..30));
                cluster.count("crash");
                "will crash"
            }
            65..70 => {
                replica.stop.cancel();
                cluster.count("restart");
                "stops"
            }
            70..82 => {
                let all = (0..NAMESPACES.len()).filter(|_| self.rng.random());
                let namespaces: BTreeSet<_> = all.map(|number| NAMESPACES[number]).collect();
                if namespaces.is_empty() {
                    return;
                }
                cluster.trace.record(|| format!("{} must follow {namespaces:?}", replica.name));
                replica.set_namespaces(namespaces);
                "follows other namespaces"
            }
            82..86 => {
                replica.ask();
                "gets a request for namespaces a and b"
            }
            86..94 => {
                replica.add_late_handler();
                "has another handler"
            }
            _ => {
                replica.remove_late_handler();
                "has one handler less"
            }
        };
        cluster.trace.record(|| format!("{} {what}", replica.name));
    }

    fn break_link(&mut self, cluster: &Cluster, replica: &Arc<Incarnation>) -> &'static str {
        let conditions = [
            (LinkState::Cut, "link-cut"),
            (LinkState::Refused, "link-refused"),
            (LinkState::ResponsesLost, "link-mute"),
        ];
        let (link_state, name) = conditions[self.rng.random_range(0..3)];
        replica.link.set(link_state);
        cluster.count(name);
        name
    }

    /// Restores the server from a backup. A client can't detect this if the server has reached the old version again
    /// before the client asks. Clients probe a silent server at intervals that double up to an hour, so the workload
    /// pauses for longer than that.
    async fn restore_from_backup(&mut self, cluster: &Cluster) {
        if !cluster.plan.is_restored {
            return;
        }
        match self.saved.take() {
            None => self.saved = Some(cluster.server.save()),
            Some(saved) => {
                cluster.trace.record(|| format!("the server goes back to version {}", saved.version()));
                cluster.server.restore(&saved);
                // A replica that is cut off can't probe the server either.
                cluster.running().iter().for_each(|replica| replica.link.set(LinkState::Up));
                tokio::time::sleep(Duration::from_secs(3 * 3600)).await;
            }
        }
    }
}

/// Makes `owner` the controller of an object, in its label and in its owner reference.
fn set_owner(cluster: &Cluster, metadata: &mut Value, kind: (&str, &str), namespace: &str, owner: &str) {
    let found = cluster.server.object(kind.0, &format!("{namespace}/{owner}"));
    let uid =
        found.map_or_else(|| json!(format!("gone-{namespace}-{owner}")), |o| o["metadata"]["uid"].clone());
    metadata["labels"][FOR] = json!(owner);
    metadata["ownerReferences"] =
        json!([{ "apiVersion": "v1", "kind": kind.1, "name": owner, "uid": uid, "controller": true }]);
}
