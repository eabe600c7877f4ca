//! One shared informer with its handlers, from start to stop.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Context;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube_core::dynamic::DynamicObject;
use serde::de::DeserializeOwned;
use tidings::SharedInformerFactory;
use tidings::{Index, ListMode, Lister, Registration, ResourceKind, Running, Scope, SharedInformer};

use super::handlers::handler;
use super::meter::Meter;
use crate::protocol::{Read, Resource};

/// The index over `.spec.nodeName`.
pub(super) const NODE_INDEX: &str = "node";

/// What is synced, and with which handlers.
#[derive(Clone, Copy, Debug)]
pub(super) struct SessionConfig {
    pub(super) resource: Resource,
    pub(super) handlers: usize,
    pub(super) read: Read,
}

/// A synced informer.
pub(super) struct Session {
    plan: SessionConfig,
    /// Any kind, viewed as pods. Only pods are decoded through this view.
    informer: SharedInformer<Pod>,
    meters: Vec<Arc<Meter>>,
    running: Running,
}

impl Session {
    /// Starts the informer and waits until the cache and all handlers have everything.
    pub(super) async fn start(factory: &SharedInformerFactory, plan: SessionConfig) -> anyhow::Result<Self> {
        let meters: Vec<_> = (0..plan.handlers).map(|_| Arc::new(Meter::new())).collect();
        let (informer, registrations) = match plan.resource {
            Resource::Pods => {
                let pods = factory.informer::<Pod>();
                pods.add_index(Index::field(NODE_INDEX, ".spec.nodeName"))?;
                listen(&pods, plan.read, touch_pod, &meters)?
            }
            Resource::ConfigMaps => listen(&factory.informer::<ConfigMap>(), plan.read, touch_any, &meters)?,
            Resource::Secrets => listen(&factory.informer::<Secret>(), plan.read, touch_any, &meters)?,
            Resource::Leases => listen(&factory.informer::<Lease>(), plan.read, touch_any, &meters)?,
            Resource::Widgets => {
                listen::<DynamicObject>(&factory.dynamic(widgets())?, plan.read, touch_any, &meters)?
            }
        };
        let running = factory.start();
        running.synced().await.context("syncing")?;
        for registration in &registrations {
            registration.synced().await.context("delivering the initial objects to a handler")?;
        }
        Ok(Session { plan, informer, meters, running })
    }

    /// Stops the informer and drops everything. Returns its configuration.
    pub(super) async fn stop(self) -> SessionConfig {
        drop(self.informer);
        self.running.shutdown().await;
        self.plan
    }

    pub(super) fn objects(&self) -> usize {
        self.lister().len()
    }

    pub(super) fn meters(&self) -> &[Arc<Meter>] {
        &self.meters
    }

    pub(super) fn lister(&self) -> Lister<Pod> {
        self.informer.lister()
    }

    /// The encoding of the server's responses.
    pub(super) fn wire(&self) -> Option<String> {
        let health = self.informer.health();
        Some(health.streams.first()?.wire?.to_string())
    }

    /// The mode of the last list.
    pub(super) fn list(&self) -> Option<&'static str> {
        let health = self.informer.health();
        Some(match health.streams.first()?.list_mode? {
            ListMode::Streaming => "stream",
            ListMode::Chunked => "pages",
        })
    }
}

fn listen<K>(
    informer: &SharedInformer<K>,
    read: Read,
    touch: fn(&K),
    meters: &[Arc<Meter>],
) -> anyhow::Result<(SharedInformer<Pod>, Vec<Registration>)>
where
    K: DeserializeOwned + Send + Sync + 'static,
{
    let add = |meter: &Arc<Meter>| informer.add_handler(handler(read, touch, Arc::clone(meter)));
    let registrations = meters.iter().map(add).collect::<Result<_, _>>()?;
    Ok((informer.cast(), registrations))
}

fn touch_pod(pod: &Pod) {
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    black_box((node, phase));
}

fn touch_any<K>(object: &K) {
    black_box(object);
}

fn widgets() -> ResourceKind {
    ResourceKind {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
        scope: Scope::Namespaced,
    }
}
