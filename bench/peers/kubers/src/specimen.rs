//! The compared kinds, and what handlers read of them. kube-rs decodes an object when it arrives, so reading the whole
//! object means reading two of its fields.

use std::fmt::Debug;
use std::hash::Hash;
use std::hint::black_box;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::BoxStream;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use kube::runtime::reflector::store::Writer;
use kube::{Resource, ResourceExt};
use serde::de::DeserializeOwned;

pub(crate) trait Specimen:
    Resource<DynamicType: Clone + Debug + Eq + Hash + Send + Sync + Unpin>
    + Clone
    + Debug
    + DeserializeOwned
    + Send
    + Sync
    + Unpin
    + 'static
{
    /// Reads fields that only a decoded object has.
    fn look(&self);

    /// A further subscriber of a shared store, if kube-rs supports it for this kind.
    fn subscribe(writer: &Writer<Self>) -> Option<BoxStream<'static, Arc<Self>>>;
}

/// Reads namespace, name, version and one label.
pub(crate) fn look_at_identity<K: Specimen>(object: &K) {
    let meta = object.meta();
    black_box((&meta.namespace, &meta.name, &meta.resource_version, object.labels().get("app")));
}

pub(crate) fn widgets() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("example.com", "v1", "Widget"), "widgets")
}

impl Specimen for Pod {
    fn look(&self) {
        let node = self.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
        let phase = self.status.as_ref().and_then(|status| status.phase.as_deref());
        black_box((node, phase));
    }

    fn subscribe(writer: &Writer<Self>) -> Option<BoxStream<'static, Arc<Self>>> {
        writer.subscribe().map(StreamExt::boxed)
    }
}

impl Specimen for ConfigMap {
    fn look(&self) {
        black_box(&self.data);
    }

    fn subscribe(writer: &Writer<Self>) -> Option<BoxStream<'static, Arc<Self>>> {
        writer.subscribe().map(StreamExt::boxed)
    }
}

impl Specimen for Secret {
    fn look(&self) {
        black_box(&self.data);
    }

    fn subscribe(writer: &Writer<Self>) -> Option<BoxStream<'static, Arc<Self>>> {
        writer.subscribe().map(StreamExt::boxed)
    }
}

impl Specimen for Lease {
    fn look(&self) {
        black_box(self.spec.as_ref().and_then(|spec| spec.holder_identity.as_deref()));
    }

    fn subscribe(writer: &Writer<Self>) -> Option<BoxStream<'static, Arc<Self>>> {
        writer.subscribe().map(StreamExt::boxed)
    }
}

impl Specimen for DynamicObject {
    fn look(&self) {
        black_box(self.data.get("spec"));
    }

    /// A subscriber needs a kind that is known at compile time.
    fn subscribe(_: &Writer<Self>) -> Option<BoxStream<'static, Arc<Self>>> {
        None
    }
}
