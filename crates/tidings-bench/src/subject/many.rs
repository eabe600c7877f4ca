//! A thousand small informers in one process, with one client.

use k8s_openapi::api::core::v1::ConfigMap;
use tidings::{InformerOptions, Running, SharedInformer, SharedInformerFactory};

/// Informers of config maps, one per namespace.
pub(super) struct Many {
    informers: Vec<SharedInformer<ConfigMap>>,
    _running: Running,
}

impl Many {
    /// Starts the informers and waits until all are synced.
    pub(super) async fn start(factory: &SharedInformerFactory, count: usize) -> anyhow::Result<Self> {
        let informer = |number| {
            let options = InformerOptions::new().namespace(format!("many-{number}"))?;
            anyhow::Ok(factory.informer_with::<ConfigMap>(options)?)
        };
        let informers = (0..count).map(informer).collect::<Result<Vec<_>, _>>()?;
        let running = factory.start();
        running.synced().await?;
        Ok(Many { informers, _running: running })
    }

    pub(super) fn objects(&self) -> usize {
        self.informers.iter().map(|informer| informer.lister().len()).sum()
    }
}
