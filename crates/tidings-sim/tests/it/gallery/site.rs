//! The custom resource of the gallery, and what most of its controllers share.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use kube_client::{Api, ResourceExt};
use kube_core::CustomResourceExt as _;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_value, json};
use tidings::Key;
use tidings::controller::{Context, Error, set_controller};
use tidings_sim::Sim;

/// A web site.
#[derive(CustomResource, Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "gallery.example",
    version = "v1",
    kind = "Site",
    namespaced,
    status = "SiteStatus",
    crates(kube_core = "::kube_core")
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SiteSpec {
    pub(crate) replicas: usize,
    pub(crate) colour: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SiteStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pod: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replicas: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<String>,
}

impl Site {
    pub(crate) fn phase(&self) -> Option<&str> {
        self.status.as_ref()?.phase.as_deref()
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.metadata.deletion_timestamp.is_some()
    }

    /// The key of an object of this site.
    pub(crate) fn key(&self, name: &str) -> Key {
        Key::new(self.namespace().as_deref(), name).expect("it is a name")
    }
}

/// Installs the resource and creates one site, whose colour and number of replicas change.
pub(crate) fn one_site(sim: &mut Sim) {
    sim.install(Site::crd());
    sim.scenario(|client| async move {
        let sites: Api<Site> = Api::default_namespaced(client);
        sites.create(&PostParams::default(), &site(1)).await?;
        patch_spec(&sites, json!({ "colour": "blue" })).await?;
        patch_spec(&sites, json!({ "replicas": 2 })).await
    });
}

/// Installs the resource, and creates one site. No later step hides what goes wrong.
pub(crate) fn new_site(sim: &mut Sim) {
    sim.install(Site::crd());
    sim.scenario(|client| async move {
        let sites: Api<Site> = Api::default_namespaced(client);
        sites.create(&PostParams::default(), &site(1)).await.map(drop)
    });
}

/// Installs the resource, creates one site, and changes its colour. No later step hides what goes wrong.
pub(crate) fn new_colour(sim: &mut Sim) {
    sim.install(Site::crd());
    sim.scenario(|client| async move {
        let sites: Api<Site> = Api::default_namespaced(client);
        sites.create(&PostParams::default(), &site(1)).await?;
        patch_spec(&sites, json!({ "colour": "blue" })).await
    });
}

/// Installs the resource, and creates and deletes one site.
pub(crate) fn short_life(sim: &mut Sim) {
    sim.install(Site::crd());
    sim.scenario(|client| async move {
        let sites: Api<Site> = Api::default_namespaced(client);
        sites.create(&PostParams::default(), &site(1)).await?;
        sites.delete("shop", &DeleteParams::default()).await.map(drop)
    });
}

pub(crate) fn site(replicas: usize) -> Site {
    Site::new("shop", SiteSpec { replicas, colour: "red".to_owned() })
}

pub(crate) async fn patch_spec(sites: &Api<Site>, spec: Value) -> kube_client::Result<()> {
    let patch = Patch::Merge(json!({ "spec": spec }));
    sites.patch("shop", &PatchParams::default(), &patch).await.map(drop)
}

/// A pod that the site controls.
pub(crate) fn pod(site: &Site, metadata: Value) -> Pod {
    let mut pod: Pod = from_value(json!({
        "metadata": metadata,
        "spec": { "containers": [{ "name": "web", "image": "web" }] },
    }))
    .expect("it is a pod");
    pod.metadata.namespace = site.namespace();
    set_controller(&mut pod, site).expect("the site has a uid");
    pod
}

/// A config map of a site, without an owner.
pub(crate) fn map(site: &Site, name: &str, data: Value) -> ConfigMap {
    let metadata =
        json!({ "name": name, "namespace": site.namespace(), "labels": { "site": site.name_any() } });
    from_value(json!({ "metadata": metadata, "data": data })).expect("it is a config map")
}

/// A config map that the site controls.
pub(crate) fn owned_map(site: &Site, name: &str, data: Value) -> ConfigMap {
    let mut map = map(site, name, data);
    set_controller(&mut map, site).expect("the site has a uid");
    map
}

/// Creates or updates a config map, if the cache shows another state.
pub(crate) async fn ensure_map(context: &Context, wanted: &ConfigMap) -> Result<(), Error> {
    let key = Key::new(wanted.metadata.namespace.as_deref(), &wanted.name_any())?;
    let found = context.get::<ConfigMap>(&key).await?;
    if found.is_none_or(|found| found.data != wanted.data) {
        context.api::<ConfigMap>().apply("site", wanted).await?;
    }
    Ok(())
}

/// Deletes a config map. It may be gone already.
pub(crate) async fn delete_map(context: &Context, name: &str) -> Result<(), Error> {
    match context.api::<ConfigMap>().delete(name).await {
        Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
        result => Ok(result.map(drop)?),
    }
}

/// Creates an object that may exist already.
pub(crate) async fn create_pod(context: &Context, pod: &Pod) -> Result<(), Error> {
    match context.api::<Pod>().create(pod).await {
        Err(kube_client::Error::Api(status)) if status.code == 409 => Ok(()),
        result => Ok(result.map(drop)?),
    }
}

/// Writes a part of the status.
pub(crate) async fn set_status(context: &Context, site: &Site, status: Value) -> Result<(), Error> {
    let patch = Patch::Merge(json!({ "status": status }));
    context.api::<Site>().patch_status(&site.name_any(), &PatchParams::default(), &patch).await?;
    Ok(())
}

pub(crate) async fn set_phase(context: &Context, site: &Site, phase: &str) -> Result<(), Error> {
    if site.phase() == Some(phase) {
        return Ok(());
    }
    set_status(context, site, json!({ "phase": phase })).await
}

/// A kube API, without the tracking of writes that `context.api` has.
pub(crate) fn plain<K>(context: &Context) -> Api<K>
where
    K: kube_core::Resource<DynamicType = (), Scope = kube_core::NamespaceResourceScope>,
{
    Api::namespaced(context.client().clone(), context.request().namespace().unwrap_or_default())
}

/// Deletes only the object with this uid.
pub(crate) fn only(uid: &str) -> DeleteParams {
    let preconditions = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() }
}
