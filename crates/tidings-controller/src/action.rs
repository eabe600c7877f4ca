//! What happens to a request after a reconcile that succeeded.

use std::any::type_name;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use kube_core::dynamic::DynamicObject;
use tidings_informer::SharedInformer;
use tidings_object::{Key, Kind, Object, Projection, ResourceKind};

use crate::caches::ControllerCaches;
use crate::condition::Condition;
use crate::error::ControllerError;

/// What happens to a request after its reconcile. In every case, a change of the object, or of anything that is watched
/// for it, requests another reconcile.
///
/// ```
/// use std::time::Duration;
/// use tidings_controller::{Action, Context, Error, Request};
///
/// async fn reconcile(_request: Request, context: Context) -> Result<Action, Error> {
///     # let is_rolled_out = true;
///     if is_rolled_out {
///         Ok(Action::await_change())
///     } else {
///         Ok(Action::requeue_after(Duration::from_secs(10)))
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an action has an effect only if the reconciler returns it"]
#[non_exhaustive]
pub enum Action {
    /// No reconcile until something changes.
    AwaitChange,
    /// Another reconcile, after the delay of the controller's rate limiter. The delay grows until the request ends in
    /// another way.
    Requeue,
    /// Another reconcile after this delay.
    RequeueAfter(Duration),
    /// Another reconcile when a cached object meets a condition, or after a time.
    AwaitObject(ObjectWait),
}

/// What a request waits for: a condition on one cached object, and the longest time. See [`Action::await_object`].
#[derive(Clone)]
pub struct ObjectWait(Arc<WaitSpec>);

struct WaitSpec {
    resource: ResourceKind,
    /// The line that declares the kind.
    declaration: String,
    key: Key,
    text: String,
    holds: Box<HoldsFn>,
    within: Duration,
}

type HoldsFn = dyn Fn(Option<&Object<()>>) -> bool + Send + Sync;

impl ObjectWait {
    fn new<K: 'static>(
        resource: ResourceKind,
        declaration: String,
        key: Key,
        condition: Condition<K>,
        within: Duration,
    ) -> Self {
        let text = condition.to_string();
        let holds = move |object: Option<&Object<()>>| {
            let object = object.map(Object::cast);
            condition.holds(object.as_ref()).unwrap_or(false)
        };
        ObjectWait(Arc::new(WaitSpec { resource, declaration, key, text, holds: Box::new(holds), within }))
    }

    pub(crate) fn key(&self) -> &Key {
        &self.0.key
    }

    pub(crate) fn within(&self) -> Duration {
        self.0.within
    }

    /// Whether the condition holds. A condition that can't be read, or that panics, does not.
    pub(crate) fn holds(&self, object: Option<&Object<()>>) -> bool {
        catch_unwind(AssertUnwindSafe(|| (self.0.holds)(object))).unwrap_or(false)
    }

    /// The cache that is watched.
    pub(crate) fn informer_in(&self, caches: &ControllerCaches) -> Option<SharedInformer<()>> {
        let full = caches.find(&self.0.resource, Projection::Full);
        let found = full.or_else(|| caches.find(&self.0.resource, Projection::Metadata));
        found.map(|cache| cache.informer.clone())
    }

    pub(crate) fn not_declared(&self, controller: &str) -> ControllerError {
        ControllerError::NotDeclared {
            controller: controller.to_owned(),
            resource: self.0.resource.to_string(),
            declaration: format!("`.{}`", self.0.declaration),
        }
    }
}

/// Equal if it is the same wait.
impl PartialEq for ObjectWait {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ObjectWait {}

impl fmt::Debug for ObjectWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WaitSpec { resource, key, text, within, .. } = &*self.0;
        write!(f, "ObjectWait({resource} {key} {text}, within {within:?})")
    }
}

impl Action {
    /// No reconcile until something changes.
    pub fn await_change() -> Self {
        Action::AwaitChange
    }

    /// Another reconcile, after the delay of the controller's rate limiter. The delay grows until the request ends in
    /// another way.
    pub fn requeue() -> Self {
        Action::Requeue
    }

    /// Another reconcile when a cached object meets a condition, at the latest after `within`. Nothing is polled: the
    /// condition is checked when the object changes. The next reconcile, for whatever reason, ends the wait.
    ///
    /// The reconciler reads the object to see whether the condition holds or the time is up. If the condition holds
    /// already, the request is reconciled again after the delay of the controller's rate limiter.
    ///
    /// ```
    /// use std::time::Duration;
    /// use k8s_openapi::api::batch::v1::Job;
    /// use tidings_controller::{Action, Condition, Context, Error, Request};
    ///
    /// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    ///     let is_complete = Condition::has_condition("Complete", "True");
    ///     let job = context.lister::<Job>()?.get(&request);
    ///     if !is_complete.holds(job.as_ref())? {
    ///         return Ok(Action::await_object::<Job>(&request, is_complete, Duration::from_secs(600)));
    ///     }
    ///     println!("the migration of {request} is complete");
    ///     Ok(Action::await_change())
    /// }
    /// ```
    pub fn await_object<K: Kind + 'static>(key: &Key, condition: Condition<K>, within: Duration) -> Self {
        let declaration = format!("reads::<{}>()", type_name::<K>());
        Action::AwaitObject(ObjectWait::new(K::resource(), declaration, key.clone(), condition, within))
    }

    /// As [`await_object`](Self::await_object), for a resource that is known only at run time.
    pub fn await_object_of(
        resource: impl Into<ResourceKind>,
        key: &Key,
        condition: Condition<DynamicObject>,
        within: Duration,
    ) -> Self {
        let declaration = "reads_resource(…)".to_owned();
        Action::AwaitObject(ObjectWait::new(resource.into(), declaration, key.clone(), condition, within))
    }

    /// Another reconcile after this delay.
    pub fn requeue_after(delay: Duration) -> Self {
        Action::RequeueAfter(delay)
    }
}
