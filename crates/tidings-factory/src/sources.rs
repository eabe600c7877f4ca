//! Opens what an informer lists and watches, over the factory's client.

use std::sync::Arc;

use kube_client::Client;
use tidings_informer::informer::Sources;
use tidings_object::{Intake, KnownObjects, Projection};
use tidings_source::{KubeSource, ListWatch, StreamScope};
use tokio::sync::Semaphore;

use crate::gate::Gated;
use crate::options::InformerOptions;

/// One informer's way to the server.
pub(crate) struct ClientSources {
    pub(crate) client: Client,
    pub(crate) intake: Arc<Intake>,
    pub(crate) projection: Projection,
    pub(crate) options: InformerOptions,
    pub(crate) lists: Arc<Semaphore>,
}

impl Sources for ClientSources {
    fn open(&self, scope: &StreamScope, known: Arc<dyn KnownObjects>) -> Arc<dyn ListWatch> {
        let resource = self.intake.origin().resource.clone();
        let mut source = KubeSource::builder(self.client.clone(), resource)
            .intake(Arc::clone(&self.intake))
            .projection(self.projection)
            .known(known);
        let options = &self.options;
        if let StreamScope::Namespace(namespace) = scope {
            source = source.namespace(&**namespace);
        }
        if let Some(selector) = &options.label_selector {
            source = source.label_selector(selector.clone());
        }
        if let Some(selector) = &options.field_selector {
            source = source.field_selector(selector.to_string());
        }
        if let Some(range) = options.shard {
            source = source.shard(range);
        }
        if let Some(tweak) = &options.tweak {
            let call = Arc::clone(&tweak.call);
            source = source.tweak(move |query| call(query));
        }
        if let Some(preference) = options.wire {
            source = source.wire(preference);
        }
        if options.compress_lists == Some(true) {
            source = source.gzip_lists();
        }
        if let Some(bytes) = options.frame_bytes_max {
            source = source.frame_bytes_max(bytes);
        }
        let source = source.build().expect("resource and scope were checked when they were given");
        Arc::new(Gated { source, lists: Arc::clone(&self.lists) })
    }
}
