//! EndpointSlices: the addresses of the pods that a Service selects, at most 100 in a slice.
//!
//! Slices of others are left alone, as are Services without a selector.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Pod, Service, ServicePort, ServiceSpec};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube_client::api::{Patch, PatchParams};
use serde_json::{Value, from_value, json};
use tidings::controller::{
    Action, Context, Controller, Error, Request, controller_reference, is_controlled_by,
};
use tidings::{LabelSelector, Notification, SharedInformerFactory};

use crate::cluster::{Setup, StandIn};
use crate::object::{in_namespace, is_deleting, name, namespace, part, uid};
use crate::pods;

const SERVICE_NAME: &str = "kubernetes.io/service-name";
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const MANAGER: &str = "endpointslice-controller.k8s.io";

/// How many endpoints a slice has at most.
const ENDPOINTS_MAX: usize = 100;

/// Imitates the EndpointSlice controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndpointSlices;

impl StandIn for EndpointSlices {
    fn name(&self) -> &'static str {
        "endpointslices"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        vec![
            Controller::for_kind::<Service>("endpointslice-controller")
                .owns::<EndpointSlice>()
                .watches::<Pod>(services_of(setup.factory()))
                .reconcile(reconcile),
        ]
    }
}

/// The Services that select a pod, or selected it before the change.
fn services_of(
    factory: &SharedInformerFactory,
) -> impl Fn(&Notification<Pod>) -> Vec<Request> + Send + Sync + 'static {
    let services = factory.informer::<Service>().lister();
    move |notification| {
        let mut requests = Vec::new();
        for pod in notification.objects() {
            for service in services.namespace(pod.namespace().unwrap_or_default()).list() {
                let selects = || {
                    let selector = selector_of(&*service.decoded().ok()?)?;
                    Some(selector.matches(|key| pod.labels().value(key)))
                };
                if selects().unwrap_or(false) {
                    requests.push(Request::from(service.key()));
                }
            }
        }
        requests
    }
}

/// The selector of a Service. `None` if it has none: somebody else provides its endpoints.
fn selector_of(service: &Service) -> Option<LabelSelector> {
    let selector = part::<ServiceSpec>(&service.spec)?.selector.clone()?;
    (!selector.is_empty()).then(|| LabelSelector::from(selector))
}

async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    let Some(service) = context.get::<Service>(&request).await? else { return Ok(Action::await_change()) };
    let Some(selector) = selector_of(&service).filter(|_| !is_deleting(&*service)) else {
        return Ok(Action::await_change());
    };
    let pods: Vec<Pod> = in_namespace::<Pod>(&context)?
        .into_iter()
        .filter(|pod| {
            let labels = pod.metadata.labels.as_ref();
            selector.matches(|key| labels?.get(key).map(String::as_str))
        })
        .filter(|pod| address(pod).is_some() && !pods::has_ended(pod))
        .collect();
    let existing: Vec<EndpointSlice> = in_namespace::<EndpointSlice>(&context)?
        .into_iter()
        .filter(|slice| is_controlled_by(slice, uid(&*service)) && !is_deleting(slice))
        .collect();
    let wanted = slices(&service, &pods)?;
    for (slice, content) in existing.iter().zip(&wanted) {
        update(&context, slice, content).await?;
    }
    for content in wanted.iter().skip(existing.len()) {
        context.api::<EndpointSlice>().create(&new_slice(&service, content)?).await?;
    }
    for surplus in existing.iter().skip(wanted.len()) {
        context.api::<EndpointSlice>().delete(name(surplus)).await?;
    }
    Ok(Action::await_change())
}

fn address(pod: &Pod) -> Option<&str> {
    pod.status.as_ref()?.pod_ip.as_deref().filter(|address| !address.is_empty())
}

/// The content of all slices: endpoints and ports. Pods whose named ports have different numbers are in different
/// slices. A Service without pods has one empty slice.
fn slices(service: &Service, pods: &[Pod]) -> Result<Vec<Value>, Error> {
    let mut by_ports: BTreeMap<String, (Value, Vec<Value>)> = BTreeMap::new();
    for pod in pods {
        let ports = ports(service, pod);
        let entry = by_ports.entry(ports.to_string()).or_insert_with(|| (ports, Vec::new()));
        entry.1.push(endpoint(service, pod));
    }
    let mut found = Vec::new();
    for (ports, endpoints) in by_ports.values() {
        for part in endpoints.chunks(ENDPOINTS_MAX) {
            found.push(json!({ "endpoints": part, "ports": ports }));
        }
    }
    if found.is_empty() {
        found.push(json!({ "endpoints": [], "ports": [] }));
    }
    Ok(found)
}

fn endpoint(service: &Service, pod: &Pod) -> Value {
    let publishes_all = part::<ServiceSpec>(&service.spec).and_then(|spec| spec.publish_not_ready_addresses);
    let (is_ready, is_terminating) = (pods::is_ready(pod), is_deleting(pod));
    let mut endpoint = json!({
        "addresses": [address(pod)],
        "conditions": {
            "ready": publishes_all == Some(true) || is_ready && !is_terminating,
            "serving": is_ready,
            "terminating": is_terminating,
        },
        "targetRef": { "kind": "Pod", "namespace": namespace(pod), "name": name(pod), "uid": uid(pod) },
    });
    if let Some(node) = pods::node_name(pod) {
        endpoint["nodeName"] = json!(node);
    }
    let spec = pod.spec.as_ref();
    let is_named = spec.and_then(|spec| spec.subdomain.as_deref()) == Some(name(service));
    if let Some(hostname) = spec.and_then(|spec| spec.hostname.as_deref()).filter(|_| is_named) {
        endpoint["hostname"] = json!(hostname);
    }
    endpoint
}

fn ports(service: &Service, pod: &Pod) -> Value {
    let ports = part::<ServiceSpec>(&service.spec).and_then(|spec| spec.ports.as_ref());
    let ports = ports.into_iter().flatten().filter_map(|port| {
        Some(json!({
            "name": port.name.as_deref().unwrap_or_default(),
            "port": target_port(port, pod)?,
            "protocol": port.protocol.as_deref().unwrap_or("TCP"),
        }))
    });
    ports.collect()
}

/// The number of the port in a pod: that of the Service, another number, or that of a named port of a container.
fn target_port(port: &ServicePort, pod: &Pod) -> Option<i32> {
    match &port.target_port {
        None | Some(IntOrString::Int(0)) => Some(port.port),
        Some(IntOrString::Int(number)) => Some(*number),
        Some(IntOrString::String(wanted)) => {
            let containers = pod.spec.as_ref()?.containers.iter();
            let mut named = containers.flat_map(|container| container.ports.iter().flatten());
            let found = named.find(|own| own.name.as_deref() == Some(wanted))?;
            Some(found.container_port)
        }
    }
}

fn new_slice(service: &Service, content: &Value) -> Result<EndpointSlice, Error> {
    let mut labels = service.metadata.labels.clone().unwrap_or_default();
    labels.insert(SERVICE_NAME.to_owned(), name(service).to_owned());
    labels.insert(MANAGED_BY.to_owned(), MANAGER.to_owned());
    Ok(from_value(json!({
        "metadata": {
            "generateName": format!("{}-", name(service)),
            "namespace": namespace(service),
            "labels": labels,
            "ownerReferences": [controller_reference(service)?],
        },
        "addressType": "IPv4",
        "endpoints": content["endpoints"],
        "ports": content["ports"],
    }))?)
}

/// Replaces the content of a slice, if it differs.
async fn update(context: &Context, slice: &EndpointSlice, content: &Value) -> Result<(), Error> {
    let wanted: EndpointSlice = from_value(json!({
        "metadata": slice.metadata,
        "addressType": slice.address_type,
        "endpoints": content["endpoints"],
        "ports": content["ports"],
    }))?;
    if serde_json::to_value(&wanted)? == serde_json::to_value(slice)? {
        return Ok(());
    }
    let patch = json!({
        "metadata": { "resourceVersion": slice.metadata.resource_version },
        "endpoints": content["endpoints"],
        "ports": content["ports"],
    });
    context.api::<EndpointSlice>().patch(name(slice), &PatchParams::default(), &Patch::Merge(patch)).await?;
    Ok(())
}
