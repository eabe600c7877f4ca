//! The caches that the map of a watched kind reads. It never keeps an informer running.

use std::any::type_name;
use std::fmt;

use tidings_informer::{Lister, SharedInformer};
use tidings_object::{Kind, Projection, ResourceKind};
use tokio::sync::mpsc;

use crate::caches::ControllerCaches;
use crate::error::ControllerError;
use crate::reconciler::Error;
use crate::request::Request;

/// What a map of [`Watched::with_context`](super::Watched::with_context) reads: the caches of the controller's own kind,
/// of the watched kind, and of the kinds that were declared before it.
///
/// A cache may still be empty while the first lists run. Objects that arrive there later need a watch of their own.
pub struct MapContext {
    controller: String,
    watched: String,
    caches: Vec<MappedCache>,
}

struct MappedCache {
    resource: ResourceKind,
    lister: Lister<()>,
}

/// The maps' side of the first error of a map, which ends the controller.
#[derive(Clone)]
pub(super) struct MapFailures(mpsc::Sender<ControllerError>);

/// The side of the controller's task.
pub(super) struct MapFailure(mpsc::Receiver<ControllerError>);

impl MapContext {
    /// The caches that are attached so far, and the one of the watched kind. Metadata is not included.
    pub(super) fn new(controller: &str, attached: &ControllerCaches, watched: &SharedInformer<()>) -> Self {
        let attached = attached.iter().filter(|cache| cache.projection == Projection::Full);
        let informers = attached.map(|cache| &cache.informer).chain([watched]);
        let caches = informers
            .map(|informer| MappedCache {
                resource: informer.resource().clone(),
                lister: Lister::over(informer.reader().clone(), informer.resource().clone()),
            })
            .collect();
        MapContext { controller: controller.to_owned(), watched: watched.resource().to_string(), caches }
    }

    /// Reads objects of a kind from the controller's cache. It sends no request to the server, and never waits for an
    /// informer.
    ///
    /// # Errors
    ///
    /// If the controller did not declare this kind before the watched one: declare it with `reads::<K>()`.
    pub fn lister<K: Kind>(&self) -> Result<Lister<K>, ControllerError> {
        let resource = K::resource();
        let found = self.caches.iter().find(|cache| cache.resource == resource);
        let found = found.ok_or_else(|| ControllerError::NotDeclared {
            controller: self.controller.clone(),
            resource: resource.to_string(),
            declaration: format!("`.reads::<{}>()` before the watched kind", type_name::<K>()),
        })?;
        Ok(found.lister.clone().cast())
    }
}

impl MapFailures {
    pub(super) fn new() -> (MapFailures, MapFailure) {
        let (sender, receiver) = mpsc::channel(1);
        (MapFailures(sender), MapFailure(receiver))
    }

    /// Ends the controller with the error of a map, which has no requests then.
    pub(super) fn report(&self, context: &MapContext, error: Error) -> Vec<Request> {
        let MapContext { controller, watched, .. } = context;
        let (controller, resource) = (controller.clone(), watched.clone());
        // This fails if there was an error before, or if the controller has ended.
        let _ = self.0.try_send(ControllerError::Map { controller, resource, source: error });
        Vec::new()
    }
}

impl MapFailure {
    /// Completes with the first error of a map. Never, if there is none.
    pub(super) async fn first(&mut self) -> ControllerError {
        match self.0.recv().await {
            Some(error) => error,
            None => std::future::pending().await,
        }
    }
}

impl fmt::Debug for MapContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapContext").field("controller", &self.controller).finish_non_exhaustive()
    }
}
