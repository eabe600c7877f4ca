//! The options of a [`KubeSource`].

use std::sync::Arc;

use kube_client::Client;
use tidings_object::{
    Budget, Intake, KnownObjects, LabelSelector, NothingKnown, Projection, ResourceKind, Scope,
};

use super::{FRAME_BYTES_MAX_DEFAULT, KubeSource, ListEncoding};
use crate::{ClientError, Query, ShardRange, StreamScope, WirePreference};

/// Builds a [`KubeSource`].
#[must_use]
pub struct KubeSourceBuilder {
    source: KubeSource,
    intake: Option<Arc<Intake>>,
}

impl KubeSourceBuilder {
    pub(super) fn new(client: Client, resource: ResourceKind) -> KubeSourceBuilder {
        let intake = Arc::new(intake_of(&resource));
        let source = KubeSource {
            client,
            resource,
            scope: StreamScope::All,
            path: String::new(),
            label_selector: LabelSelector::everything(),
            field_selector: String::new(),
            projection: Projection::Full,
            wire_preference: WirePreference::default(),
            negotiation: Arc::default(),
            list_encoding: ListEncoding::Identity,
            may_stream_lists: true,
            frame_bytes_max: FRAME_BYTES_MAX_DEFAULT,
            shard: None,
            tweak: None,
            intake,
            known: Arc::new(NothingKnown),
        };
        KubeSourceBuilder { source, intake: None }
    }

    /// Reads only this namespace.
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.source.scope = StreamScope::Namespace(namespace.into());
        self
    }

    /// Reads all namespaces. This is the default.
    pub fn all_namespaces(mut self) -> Self {
        self.source.scope = StreamScope::All;
        self
    }

    /// Reads only objects whose labels match.
    pub fn label_selector(mut self, selector: LabelSelector) -> Self {
        self.source.label_selector = selector;
        self
    }

    /// Reads only objects whose fields match, such as `spec.nodeName=node-1`. The server decides which fields it supports.
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.source.field_selector = selector.into();
        self
    }

    /// Reads only objects of this shard. The server selects them if it can, and otherwise the source does; each list
    /// [reports](crate::ListEnd::sharded) which.
    pub fn shard(mut self, range: ShardRange) -> Self {
        self.source.shard = Some(range);
        self
    }

    /// Reads whole objects, or only their metadata.
    pub fn projection(mut self, projection: Projection) -> Self {
        self.source.projection = projection;
        self
    }

    /// Which wire to request, by default protobuf first. [`wire`](crate::ListWatch::wire) returns the wire of the last
    /// response.
    pub fn wire(mut self, preference: WirePreference) -> Self {
        self.source.wire_preference = preference;
        self
    }

    /// Changes the query of every LIST and WATCH after all other options are set, limits, versions and timeouts included.
    pub fn tweak(mut self, tweak: impl Fn(&mut Query) + Send + Sync + 'static) -> Self {
        self.source.tweak = Some(Arc::new(tweak));
        self
    }

    /// Requests lists compressed with gzip, streaming lists included: less traffic for more CPU time, here and on the
    /// server. Servers before Kubernetes 1.37 compress no streaming list. Newer ones compress also the updates that follow
    /// on it, one by one, which costs most CPU time: with many updates, add
    /// [`without_streaming_lists`](Self::without_streaming_lists).
    pub fn gzip_lists(mut self) -> Self {
        self.source.list_encoding = ListEncoding::Gzip;
        self
    }

    /// Never tries a streaming list. Use it for servers that do not support them.
    pub fn without_streaming_lists(mut self) -> Self {
        self.source.may_stream_lists = false;
        self
    }

    /// The largest frame in bytes, by default 64 MiB. A larger one is an error that ends the stream.
    pub fn frame_bytes_max(mut self, bytes: usize) -> Self {
        self.source.frame_bytes_max = bytes;
        self
    }

    /// The intake, which makes objects of frames. A cache and its sources share one.
    pub fn intake(mut self, intake: Arc<Intake>) -> Self {
        self.intake = Some(intake);
        self
    }

    /// The cache of the objects. An object that did not change is yielded as the `Arc` that the cache has.
    pub fn known(mut self, known: Arc<dyn KnownObjects>) -> Self {
        self.source.known = known;
        self
    }

    /// Makes the source. Nothing is sent yet.
    pub fn build(self) -> Result<KubeSource, ClientError> {
        let KubeSourceBuilder { mut source, intake } = self;
        let KubeSource { resource, scope, projection, .. } = &source;
        check(resource)?;
        scope.check()?;
        if let (Scope::Cluster, Some(namespace)) = (resource.scope, scope.namespace()) {
            let (resource, namespace) = (resource.to_string(), namespace.to_owned());
            return Err(ClientError::NotNamespaced { resource, namespace });
        }
        let path = resource.url_path(scope.namespace());
        let intake = match intake {
            Some(intake) if intake.origin().resource == *resource => intake,
            Some(intake) => {
                let (expected, found) = (resource.to_string(), intake.origin().resource.to_string());
                return Err(ClientError::WrongIntake { expected, found });
            }
            None => Arc::new(intake_of(resource).with_projection(*projection)),
        };
        (source.path, source.intake) = (path, intake);
        Ok(source)
    }
}

fn intake_of(resource: &ResourceKind) -> Intake {
    Intake::new(resource.clone(), Arc::new(Budget::default()))
}

fn check(resource: &ResourceKind) -> Result<(), ClientError> {
    let parts = [("version", &resource.version), ("plural", &resource.plural), ("group", &resource.group)];
    for (part, text) in parts {
        let is_core = part == "group" && text.is_empty();
        if !is_core && !is_path_segment(text) {
            return Err(ClientError::InvalidResource { part, text: text.to_string() });
        }
    }
    Ok(())
}

/// Whether a text can be a segment of a URL path without escaping, and is not `.` or `..`.
fn is_path_segment(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !text.is_empty() && !text.starts_with('.') && text.bytes().all(is_plain)
}
