//! Makes the sources of an informer, over the client of the factory.

use std::sync::Arc;

use kube_client::Client;
use tidings_informer::Sources;
use tidings_object::{Intake, KnownObjects, Projection};
use tidings_source::{KubeSource, ListWatch, StreamScope};
use tokio::sync::Semaphore;

use crate::list_limit::LimitedSource;
use crate::options::InformerOptions;

/// Makes the sources of one informer.
pub(crate) struct ClientSources {
    pub(crate) client: Client,
    pub(crate) intake: Arc<Intake>,
    pub(crate) projection: Projection,
    pub(crate) options: InformerOptions,
    pub(crate) list_limit: Arc<Semaphore>,
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
        if options.gzip_lists == Some(true) {
            source = source.gzip_lists();
        }
        if let Some(bytes) = options.frame_bytes_max {
            source = source.frame_bytes_max(bytes);
        }
        let source = source.build().expect("the resource and the scope were checked before");
        Arc::new(LimitedSource { source, list_limit: Arc::clone(&self.list_limit) })
    }
}
