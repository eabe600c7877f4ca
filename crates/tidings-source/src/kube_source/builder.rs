//! What a source can be told before it is built.

use std::sync::Arc;

use kube_client::Client;
use tidings_object::{
    Budget, Intake, KnownObjects, LabelSelector, NothingKnown, Projection, ResourceKind, Scope,
};

use super::{FRAME_BYTES_MAX_DEFAULT, KubeSource, ListEncoding};
use crate::{NamespaceError, Query, ShardRange, StreamScope, WirePreference};

/// Builds a [`KubeSource`].
#[must_use]
pub struct KubeSourceBuilder {
    source: KubeSource,
    intake: Option<Arc<Intake>>,
}

/// Why there can be no such source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A part of the resource's path is empty, or has characters that no path of an API has.
    #[error("the {part} of a resource can't be {text:?}")]
    Resource {
        /// Which part.
        part: &'static str,
        /// What it was.
        text: String,
    },
    /// No namespace has that name. Leave it out for all namespaces.
    #[error(transparent)]
    Namespace(#[from] NamespaceError),
    /// The resource belongs to the cluster.
    #[error("{resource} are in no namespace, so not in {namespace:?}")]
    NotNamespaced {
        /// The resource.
        resource: String,
        /// The namespace.
        namespace: String,
    },
    /// The intake makes objects of another resource.
    #[error("an intake of {found} can't take {expected} in")]
    Intake {
        /// The source's resource.
        expected: String,
        /// The intake's resource.
        found: String,
    },
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

    /// Only this namespace.
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.source.scope = StreamScope::Namespace(namespace.into());
        self
    }

    /// All namespaces, which is the default.
    pub fn all_namespaces(mut self) -> Self {
        self.source.scope = StreamScope::All;
        self
    }

    /// Only objects with labels that match.
    pub fn label_selector(mut self, selector: LabelSelector) -> Self {
        self.source.label_selector = selector;
        self
    }

    /// Only objects with fields that match, such as `spec.nodeName=node-1`. The server knows which fields it
    /// can select by.
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.source.field_selector = selector.into();
        self
    }

    /// Only objects of this shard, chosen by the server if it can, and else here. Each list
    /// [says](crate::ListEnd::sharded) who did.
    pub fn shard(mut self, range: ShardRange) -> Self {
        self.source.shard = Some(range);
        self
    }

    /// Whole objects, or their metadata only.
    pub fn projection(mut self, projection: Projection) -> Self {
        self.source.projection = projection;
        self
    }

    /// Which wire to ask for; protobuf first if not given. [`wire`](crate::ListWatch::wire) tells which was got.
    pub fn wire(mut self, preference: WirePreference) -> Self {
        self.source.wire_preference = preference;
        self
    }

    /// Changes the options of every LIST and WATCH, after everything else has set them: limits, versions and
    /// timeouts too.
    pub fn tweak(mut self, tweak: impl Fn(&mut Query) + Send + Sync + 'static) -> Self {
        self.source.tweak = Some(Arc::new(tweak));
        self
    }

    /// Asks for lists packed with gzip: less traffic for more CPU time, here and on the server.
    pub fn gzip_lists(mut self) -> Self {
        self.source.list_encoding = ListEncoding::Gzip;
        self
    }

    /// Never tries a streaming list, for servers that are known not to have it.
    pub fn without_streaming_lists(mut self) -> Self {
        self.source.may_stream_lists = false;
        self
    }

    /// The largest frame, in bytes, that is taken: the default is 64 MiB. A larger one breaks the stream.
    pub fn frame_bytes_max(mut self, bytes: usize) -> Self {
        self.source.frame_bytes_max = bytes;
        self
    }

    /// What makes objects of frames.
    pub fn intake(mut self, intake: Arc<Intake>) -> Self {
        self.intake = Some(intake);
        self
    }

    /// The cache that objects go to: it lends what did not change.
    pub fn known(mut self, known: Arc<dyn KnownObjects>) -> Self {
        self.source.known = known;
        self
    }

    /// The source. Nothing is sent yet.
    pub fn build(self) -> Result<KubeSource, BuildError> {
        let KubeSourceBuilder { mut source, intake } = self;
        let KubeSource { resource, scope, projection, .. } = &source;
        check(resource)?;
        scope.check()?;
        if let (Scope::Cluster, Some(namespace)) = (resource.scope, scope.namespace()) {
            let (resource, namespace) = (resource.to_string(), namespace.to_owned());
            return Err(BuildError::NotNamespaced { resource, namespace });
        }
        let path = resource.url_path(scope.namespace());
        let intake = match intake {
            Some(intake) if intake.origin().resource == *resource => intake,
            Some(intake) => {
                let (expected, found) = (resource.to_string(), intake.origin().resource.to_string());
                return Err(BuildError::Intake { expected, found });
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

fn check(resource: &ResourceKind) -> Result<(), BuildError> {
    let parts = [("version", &resource.version), ("plural", &resource.plural), ("group", &resource.group)];
    for (part, text) in parts {
        let is_core = part == "group" && text.is_empty();
        if !is_core && !is_segment(text) {
            return Err(BuildError::Resource { part, text: text.to_string() });
        }
    }
    Ok(())
}

/// Whether a text can stand between two slashes of a path as it is, and means nothing but itself.
fn is_segment(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !text.is_empty() && !text.starts_with('.') && text.bytes().all(is_plain)
}
