//! The changes that are measured. Each is prepared before, and waited for until a handler has received what it causes.

use k8s_openapi::api::core::v1::{Node, Pod, Service};
use tidings::Object;

use super::collections::{Endpoints, ZONE};
use super::{Change, Running, Subject};

/// One change, and what its output must show.
pub(super) struct Step {
    input: Input,
    /// The key of the output and its test; `None` if nothing may change.
    output: Option<(String, Shows)>,
}

enum Input {
    Pod(Object<Pod>),
    Node(Object<Node>),
    Service(Object<Service>),
}

type Shows = Box<dyn Fn(&Endpoints) -> bool + Send + Sync>;

impl Step {
    /// Applies the change, and waits until a handler has received its output. A change without an output is not waited
    /// for: one that has an output follows.
    pub(super) async fn execute(&self, running: &Running) {
        match &self.input {
            Input::Pod(pod) => running.pods.set(pod.clone()),
            Input::Node(node) => running.nodes.set(node.clone()),
            Input::Service(service) => running.services.set(service.clone()),
        }
        if let Some((key, shows)) = &self.output {
            running.latest.shows(key, shows).await;
        }
    }
}

fn shows_address(ip: String) -> Shows {
    Box::new(move |found| found.addresses.iter().any(|address| *address.ip == *ip))
}

impl Subject {
    pub(super) fn prepare(&mut self, change: Change, count: usize) -> anyhow::Result<Vec<Step>> {
        let mut steps = Vec::with_capacity(count + 1);
        for at in 0..count {
            steps.push(match change {
                Change::PodIp => self.pod_address(at)?,
                Change::NodeZone => self.node_zone(at)?,
                Change::Selector => self.selector(at)?,
                Change::NodeHeartbeat => self.node_heartbeat(at)?,
                Change::PodHeartbeat => self.pod_heartbeat(at)?,
            });
        }
        if matches!(change, Change::NodeHeartbeat | Change::PodHeartbeat) {
            steps.push(self.pod_address(count)?);
        }
        Ok(steps)
    }

    fn pod_address(&mut self, at: usize) -> anyhow::Result<Step> {
        // An address that no pod had before.
        self.addresses += 1;
        let next = self.addresses;
        let ip = format!("10.{}.{}.{}", 200 + (next >> 16), next >> 8 & 255, next & 255);
        let pod = self.pods.change(at, |pod| pod["status"]["podIP"] = ip.clone().into())?;
        let app = pod.labels().value("app").unwrap_or_default().trim_start_matches("app-").to_owned();
        Ok(Step { input: Input::Pod(pod), output: Some((format!("shop/service-{app}"), shows_address(ip))) })
    }

    fn node_zone(&mut self, at: usize) -> anyhow::Result<Step> {
        let zone = format!("zone-{}", 1000 + at);
        let node = self.nodes.change(at, |node| node["metadata"]["labels"][ZONE] = zone.clone().into())?;
        let nodes = self.nodes.all.len();
        let expected = self.pods.all.len() / nodes;
        let shows: Shows = Box::new(move |found| {
            found.addresses.iter().filter(|address| *address.zone == *zone).count() == expected
        });
        let service = at % nodes % self.services.all.len();
        Ok(Step { input: Input::Node(node), output: Some((format!("shop/service-{service}"), shows)) })
    }

    fn selector(&mut self, at: usize) -> anyhow::Result<Step> {
        let services = self.services.all.len();
        let app = (at + 1 + at / services) % services;
        let name = format!("app-{app}");
        let service = self.services.change(at, |service| service["spec"]["selector"]["app"] = name.into())?;
        // No other change touches the last pod of an application.
        let pod = &self.pods.all[self.pods.all.len() - services + app];
        let ip = pod.field(".status.podIP")?.text().unwrap_or_default().into_owned();
        let key = service.key().to_string();
        Ok(Step { input: Input::Service(service), output: Some((key, shows_address(ip))) })
    }

    fn node_heartbeat(&mut self, at: usize) -> anyhow::Result<Step> {
        let node = self.nodes.change(at, |node| {
            node["status"]["conditions"][0]["lastHeartbeatTime"] = timestamp(at).into();
        })?;
        Ok(Step { input: Input::Node(node), output: None })
    }

    fn pod_heartbeat(&mut self, at: usize) -> anyhow::Result<Step> {
        let pod = self.pods.change(at, |pod| {
            pod["status"]["conditions"][0]["lastProbeTime"] = timestamp(at).into();
        })?;
        Ok(Step { input: Input::Pod(pod), output: None })
    }
}

fn timestamp(at: usize) -> String {
    format!("2026-01-{:02}T{:02}:{:02}:{:02}Z", 1 + at / 86_400 % 28, at / 3600 % 24, at / 60 % 60, at % 60)
}
