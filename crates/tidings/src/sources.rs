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
        let mut source = KubeSource::builder(self.client.clone(), Arc::clone(&self.intake))
            .scope(scope.clone())
            .projection(self.projection)
            .known(known);
        let options = &self.options;
        if let Some(selector) = &options.label_selector {
            source = source.label_selector(selector);
        }
        if let Some(selector) = &options.field_selector {
            source = source.field_selector(selector);
        }
        if let Some(tweak) = &options.tweak {
            source = source.tweak(Arc::clone(tweak));
        }
        if options.compress_lists == Some(true) {
            source = source.compressed_lists();
        }
        if let Some(bytes) = options.frame_bytes_max {
            source = source.frame_bytes_max(bytes);
        }
        Arc::new(Gated { source: source.build(), lists: Arc::clone(&self.lists) })
    }
}
