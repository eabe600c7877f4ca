//! What happens to the world: people change objects, machines and networks fail, operators restart things.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tidings_apiserver::Ending;
use tidings_apiserver::SavedState;

use crate::plan::Plan;
use crate::reconcile::{COPY, FOR, WATCHED, WISH};
use crate::replica::{Life, MATCH, NAMESPACES};
use crate::wire::Condition;
use crate::world::World;

/// How many ServiceAccounts, Services and ConfigMaps there may be in each namespace.
const FEW: usize = 4;

/// Those who change things.
pub(crate) struct People {
    chance: SmallRng,
    pods: usize,
    saved: Option<SavedState>,
}

impl People {
    pub(crate) fn new(plan: &Plan) -> Self {
        People { chance: SmallRng::seed_from_u64(plan.seed), pods: plan.pods, saved: None }
    }

    /// What is there before the first replica.
    pub(crate) fn settle_in(&mut self, world: &World) {
        for _ in 0..self.pods * 2 {
            self.put_pod(world);
        }
        for _ in 0..FEW {
            self.put_account(world);
            self.put_service(world);
            self.put_map(world);
        }
    }

    /// One thing happens, and sometimes time passes.
    pub(crate) async fn step(&mut self, world: &World) {
        match self.chance.random_range(0..100) {
            0..22 => self.put_pod(world),
            22..30 => self.remove(world, "pods", "pod", self.pods),
            30..42 => self.change_pod_at_once(world),
            42..48 => self.put_service(world),
            48..51 => self.remove(world, "services", "service", FEW),
            51..55 => self.put_account(world),
            55..57 => self.remove(world, "serviceaccounts", "account", FEW),
            57..63 => self.put_map(world),
            63..65 => self.remove(world, "configmaps", "map", FEW),
            65..70 => self.meddle_with_secret(world),
            70..77 => self.cut_watches(world),
            77..79 => world.server.expire_history(),
            79..83 => self.let_lag(world),
            83..98 => self.trouble_replica(world),
            _ => self.go_back(world).await,
        }
        if self.chance.random_range(0..8) == 0 {
            self.let_lag(world);
        }
        if self.chance.random_range(0..3) == 0 {
            let most = if self.chance.random_range(0..8) == 0 { 100_000 } else { 5_000 };
            tokio::time::sleep(Duration::from_millis(self.chance.random_range(1..most))).await;
        }
    }

    /// Something small happens, with no harm meant. Writes of controllers follow it only if `all`.
    pub(crate) fn touch(&mut self, world: &World, all: bool) {
        self.put_pod(world);
        if self.chance.random() {
            self.change_pod_at_once(world);
        }
        self.put_service(world);
        self.put_account(world);
        if all {
            self.put_map(world);
            self.meddle_with_secret(world);
        }
    }

    fn namespace(&mut self) -> &'static str {
        NAMESPACES[self.chance.random_range(0..NAMESPACES.len())]
    }

    fn pod(&mut self, world: &World, namespace: &str, name: &str) -> Value {
        let account = format!("account-{}", self.chance.random_range(0..FEW + 1));
        let mut metadata = json!({ "namespace": namespace, "name": name, "labels": {
            MATCH: if self.chance.random() { "yes" } else { "no" },
            "round": self.chance.random_range(0..9u8).to_string(),
        } });
        if self.chance.random_range(0..4) != 0 {
            own(world, &mut metadata, ("serviceaccounts", "ServiceAccount"), namespace, &account);
        }
        let node = format!("node-{}", self.chance.random_range(0..4));
        json!({ "metadata": metadata, "spec": { "nodeName": node, "containers": [] } })
    }

    fn put(&self, world: &World, resource: &str, object: Value) {
        let key = format!("{}/{}", object["metadata"]["namespace"], object["metadata"]["name"]);
        let labels = object["metadata"]["labels"].clone();
        let version = world.server.put(resource, object);
        world.trace.note(|| format!("people put {resource} {key}@{version} {labels}").replace('"', ""));
    }

    fn put_pod(&mut self, world: &World) {
        let (namespace, number) = (self.namespace(), self.chance.random_range(0..self.pods));
        let pod = self.pod(world, namespace, &format!("pod-{number}"));
        self.put(world, "pods", pod);
    }

    /// Several changes of one Pod before anybody can look: it moves, stops matching, goes, comes back.
    fn change_pod_at_once(&mut self, world: &World) {
        let (namespace, number) = (self.namespace(), self.chance.random_range(0..self.pods));
        let name = format!("pod-{number}");
        for _ in 0..self.chance.random_range(2..6) {
            if self.chance.random_range(0..3) == 0 {
                self.remove_key(world, "pods", &format!("{namespace}/{name}"));
            } else {
                let pod = self.pod(world, namespace, &name);
                self.put(world, "pods", pod);
            }
        }
    }

    fn remove(&mut self, world: &World, resource: &str, name: &str, count: usize) {
        let key = format!("{}/{name}-{}", self.namespace(), self.chance.random_range(0..count));
        self.remove_key(world, resource, &key);
    }

    fn remove_key(&self, world: &World, resource: &str, key: &str) {
        if world.server.remove(resource, key) {
            world.trace.note(|| format!("people remove {resource} {key}@{}", world.server.version()));
        }
    }

    fn put_account(&mut self, world: &World) {
        let (namespace, number) = (self.namespace(), self.chance.random_range(0..FEW));
        let metadata = json!({ "namespace": namespace, "name": format!("account-{number}") });
        self.put(world, "serviceaccounts", json!({ "metadata": metadata }));
    }

    fn put_service(&mut self, world: &World) {
        let (namespace, number) = (self.namespace(), self.chance.random_range(0..FEW));
        for _ in 0..self.chance.random_range(1..4) {
            let labels = json!({
                FOR: format!("account-{}", self.chance.random_range(0..FEW + 1)),
                WATCHED: if self.chance.random() { "yes" } else { "no" },
            });
            let name = format!("service-{number}");
            let metadata = json!({ "namespace": namespace, "name": name, "labels": labels });
            self.put(world, "services", json!({ "metadata": metadata, "spec": {} }));
        }
        if self.chance.random_range(0..6) == 0 {
            self.remove_key(world, "services", &format!("{namespace}/service-{number}"));
        }
    }

    fn put_map(&mut self, world: &World) {
        let (namespace, number) = (self.namespace(), self.chance.random_range(0..FEW));
        let wish = self.chance.random_range(0..9u8).to_string();
        let metadata = json!({ "namespace": namespace, "name": format!("map-{number}") });
        self.put(world, "configmaps", json!({ "metadata": metadata, "data": { WISH: wish } }));
    }

    /// Somebody changes what a controller wrote: its text, its owner, whether it exists at all.
    fn meddle_with_secret(&mut self, world: &World) {
        let keys: Vec<_> = world.server.list_versions("secrets").into_keys().collect();
        let Some(key) = keys.choose(&mut self.chance).cloned() else { return };
        for _ in 0..self.chance.random_range(1..4) {
            let Some(mut secret) = world.server.object("secrets", &key) else { return };
            match self.chance.random_range(0..4) {
                0 => self.remove_key(world, "secrets", &key),
                1 => {
                    secret["metadata"]["annotations"][COPY] = json!("meddled");
                    self.put(world, "secrets", secret);
                }
                _ => {
                    let namespace = key.split('/').next().unwrap_or_default().to_owned();
                    let map = format!("map-{}", self.chance.random_range(0..FEW + 1));
                    let kind = ("configmaps", "ConfigMap");
                    own(world, &mut secret["metadata"], kind, &namespace, &map);
                    self.put(world, "secrets", secret);
                }
            }
        }
    }

    fn cut_watches(&mut self, world: &World) {
        let silent = if world.plan.stalls { Ending::Stalled } else { Ending::Broken };
        let ending = [Ending::Clean, Ending::Broken, silent][self.chance.random_range(0..3)];
        let faults = match &world.lagging {
            Some(lagging) if self.chance.random() => lagging.faults(),
            _ => world.server.faults(),
        };
        world.trace.note(|| format!("watches end: {ending:?}"));
        faults.cut_watches(ending);
    }

    /// The second server gets closer, or is left where it is.
    fn let_lag(&mut self, world: &World) {
        if let Some(lagging) = &world.lagging {
            let changes = [0, 1, 3, 20, usize::MAX][self.chance.random_range(0..5)];
            lagging.advance(changes);
            if lagging.behind() > 0 {
                world.count("lag");
            }
        }
    }

    fn trouble_replica(&mut self, world: &World) {
        let living = world.living();
        let Some(replica) = living.choose(&mut self.chance) else { return };
        let what = match self.chance.random_range(0..100) {
            0..35 => self.trouble_link(world, replica),
            35..50 => {
                living.iter().for_each(|replica| replica.link.set(Condition::Whole));
                "link-healed"
            }
            50..65 if world.plan.crashes => {
                replica.link.crash_after(self.chance.random_range(0..30));
                world.count("crash");
                "will crash"
            }
            65..70 => {
                replica.stop.cancel();
                world.count("restart");
                "stops"
            }
            70..82 => {
                let all = (0..NAMESPACES.len()).filter(|_| self.chance.random());
                let namespaces: BTreeSet<_> = all.map(|number| NAMESPACES[number]).collect();
                if namespaces.is_empty() {
                    return;
                }
                world.trace.note(|| format!("{} is to follow {namespaces:?}", replica.name));
                replica.set_namespaces(namespaces);
                "follows other namespaces"
            }
            82..86 => {
                replica.ask();
                "is asked for namespaces a and b"
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
        world.trace.note(|| format!("{} {what}", replica.name));
    }

    fn trouble_link(&mut self, world: &World, replica: &Arc<Life>) -> &'static str {
        let conditions = [
            (Condition::Cut, "link-cut"),
            (Condition::Refused, "link-refused"),
            (Condition::Mute, "link-mute"),
        ];
        let (condition, name) = conditions[self.chance.random_range(0..3)];
        replica.link.set(condition);
        world.count(name);
        name
    }

    /// The server is restored from a backup. A server that has passed a version again before a client looks can't be told
    /// from one that was never restored. A quiet server is asked at distances that double to an hour, so nobody writes for
    /// longer than that.
    async fn go_back(&mut self, world: &World) {
        if !world.plan.goes_back {
            return;
        }
        match self.saved.take() {
            None => self.saved = Some(world.server.save()),
            Some(saved) => {
                world.trace.note(|| format!("the server goes back to version {}", saved.version()));
                world.server.restore(&saved);
                // A replica that reaches nobody can't look either.
                world.living().iter().for_each(|replica| replica.link.set(Condition::Whole));
                tokio::time::sleep(Duration::from_secs(3 * 3600)).await;
            }
        }
    }
}

/// Makes an object controlled by another, in its label and in its reference.
fn own(world: &World, metadata: &mut Value, kind: (&str, &str), namespace: &str, owner: &str) {
    let found = world.server.object(kind.0, &format!("{namespace}/{owner}"));
    let uid =
        found.map_or_else(|| json!(format!("gone-{namespace}-{owner}")), |o| o["metadata"]["uid"].clone());
    metadata["labels"][FOR] = json!(owner);
    metadata["ownerReferences"] =
        json!([{ "apiVersion": "v1", "kind": kind.1, "name": owner, "uid": uid, "controller": true }]);
}
