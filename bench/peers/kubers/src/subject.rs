//! What the commands act on: one informer at a time, and the thousand of `many`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use futures::StreamExt;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::api::{Api, DynamicObject, ListParams, WatchParams};
use kube::runtime::reflector::Store;
use kube::runtime::watcher;
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::command::{Command, Plan, Read, Resource};
use crate::informer::{Informer, Watched};
use crate::meter::Meter;
use crate::specimen::{Specimen, widgets};
use crate::{ALLOCATOR_NAME, Arguments, List, Wire, reads, say, updates};

/// The exact version of kube and kube-runtime in `Cargo.toml`.
const KUBE_VERSION: &str = "5.0.0";

/// How long to wait until memory is stable.
const SETTLE: Duration = Duration::from_secs(1);

pub(crate) struct Subject {
    client: Client,
    list: List,
    running: Option<Running>,
    many: Vec<Informer<ConfigMap>>,
    connections: JoinSet<()>,
}

struct Running {
    plan: Plan,
    objects: usize,
    meters: Vec<Arc<Meter>>,
    tasks: JoinSet<()>,
    /// Its store, if it has pods. The comparison reads nothing else.
    pods: Option<Store<Pod>>,
}

impl Subject {
    pub(crate) fn new(arguments: &Arguments) -> anyhow::Result<Self> {
        ensure!(arguments.wire == Wire::Json, "kube-rs has no protobuf");
        let server = arguments.server.parse().with_context(|| format!("reading {:?}", arguments.server))?;
        Ok(Subject {
            client: Client::try_from(Config::new(server)).context("making a client")?,
            list: arguments.list,
            running: None,
            many: Vec::new(),
            connections: JoinSet::new(),
        })
    }

    pub(crate) async fn obey(&mut self, command: Command) -> anyhow::Result<()> {
        match command {
            Command::Sync(plan) => {
                let objects = self.sync(plan).await?;
                say(&json!({ "synced": objects }))
            }
            Command::Settle => {
                sleep(SETTLE).await;
                say(&json!({ "settled": true }))
            }
            Command::Expect { updates } => {
                let seconds = updates::expected(&self.running()?.meters, updates).await?;
                say(&json!({ "updates": updates, "first_to_last_seconds": seconds }))
            }
            Command::Latency { updates } => say(&updates::timed(&self.running()?.meters, updates).await?),
            Command::LatencyUnderReaders { updates, readers } => {
                let running = self.running()?;
                let timed = updates::timed_under_readers(&running.meters, running.pods()?, updates, readers);
                say(&timed.await?)
            }
            Command::Reads => {
                if self.running.is_none() {
                    self.sync(Plan { resource: Resource::Pods, handlers: 0, read: Read::Identity }).await?;
                }
                say(&json!({ "reads": reads::measured(self.running()?.pods()?)? }))
            }
            Command::Relist { sentinel } => {
                let running = self.running()?;
                let meter = running.meters.first().context("there is no handler")?;
                let notifications = updates::relisted(meter, running.pods()?, &sentinel).await?;
                say(&json!({ "notifications": notifications }))
            }
            Command::Restart => self.restart().await,
            Command::Many { informers } => self.many(informers).await,
            Command::Connections { count } => self.connect(count).await,
            Command::Info => say(&self.info()),
        }
    }

    fn running(&self) -> anyhow::Result<&Running> {
        self.running.as_ref().context("nothing was synced yet")
    }

    async fn sync(&mut self, plan: Plan) -> anyhow::Result<usize> {
        ensure!(self.running.is_none(), "an informer runs already");
        let running = match plan.resource {
            Resource::Pods => {
                let pods = self.all::<Pod>().start(plan.handlers, plan.read).await?;
                let store = pods.store.clone();
                Running { pods: Some(store), ..Running::new(plan, pods) }
            }
            Resource::ConfigMaps => {
                Running::new(plan, self.all::<ConfigMap>().start(plan.handlers, plan.read).await?)
            }
            Resource::Secrets => {
                Running::new(plan, self.all::<Secret>().start(plan.handlers, plan.read).await?)
            }
            Resource::Leases => {
                Running::new(plan, self.all::<Lease>().start(plan.handlers, plan.read).await?)
            }
            Resource::Widgets => {
                let api = Api::<DynamicObject>::all_with(self.client.clone(), &widgets());
                let watched = Watched { api, kind: widgets(), config: self.config() };
                Running::new(plan, watched.start(plan.handlers, plan.read).await?)
            }
        };
        let objects = running.objects;
        self.running = Some(running);
        Ok(objects)
    }

    async fn restart(&mut self) -> anyhow::Result<()> {
        let Some(mut before) = self.running.take() else { bail!("nothing was synced yet") };
        before.tasks.shutdown().await;
        let plan = before.plan;
        drop(before);
        let objects = self.sync(plan).await?;
        say(&json!({ "synced": objects }))
    }

    async fn many(&mut self, informers: usize) -> anyhow::Result<()> {
        let watched = (0..informers).map(|number| {
            let api = Api::namespaced(self.client.clone(), &many_namespace(number));
            Watched { api, kind: (), config: self.config() }
        });
        let starting = watched.map(|watched: Watched<ConfigMap>| watched.start(0, Read::Identity));
        self.many = futures::future::try_join_all(starting).await?;
        let objects: usize = self.many.iter().map(|informer| informer.store.len()).sum();
        say(&json!({ "synced": objects }))
    }

    /// Opens watches without reflectors, to measure the memory of connections alone.
    async fn connect(&mut self, count: usize) -> anyhow::Result<()> {
        let first = Api::<ConfigMap>::namespaced(self.client.clone(), &many_namespace(0));
        let newest = first.list(&ListParams::default().limit(1)).await.context("listing")?;
        let version = newest.metadata.resource_version.context("a list has a version")?;
        for number in 0..count {
            let api = Api::<ConfigMap>::namespaced(self.client.clone(), &many_namespace(number));
            let events = api.watch(&WatchParams::default(), &version).await.context("opening a watch")?;
            self.connections.spawn(events.for_each(async |_| ()));
        }
        say(&json!({ "open": self.connections.len() }))
    }

    fn all<K: Specimen<DynamicType = ()>>(&self) -> Watched<K> {
        Watched { api: Api::all(self.client.clone()), kind: (), config: self.config() }
    }

    fn config(&self) -> watcher::Config {
        match self.list {
            List::Stream => watcher::Config::default().streaming_lists(),
            List::Pages => watcher::Config::default(),
        }
    }

    fn info(&self) -> Value {
        json!({
            "name": "kube-rs",
            "version": KUBE_VERSION,
            "allocator": ALLOCATOR_NAME,
            "wire": "json",
            // A watcher never falls back from one to the other.
            "list": match self.list { List::Stream => "stream", List::Pages => "pages" },
            // Only code between watcher and store can see an old object. Subscribers can't.
            "old": self.running.as_ref().is_none_or(|running| running.meters.len() < 2),
        })
    }
}

impl Running {
    fn new<K: Specimen>(plan: Plan, informer: Informer<K>) -> Self {
        let Informer { store, meters, tasks } = informer;
        Running { plan, objects: store.len(), meters, tasks, pods: None }
    }

    fn pods(&self) -> anyhow::Result<&Store<Pod>> {
        self.pods.as_ref().context("only pods are read")
    }
}

fn many_namespace(number: usize) -> String {
    format!("many-{number}")
}
