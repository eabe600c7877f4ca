//! Subscribers: listeners that receive every notification, none merged.

use std::sync::Arc;

use super::super::handler::{HandlerOptions, Subscriber};
use super::super::listener::{CallerRuns, Overflow};
use super::super::notification::Notification;
use super::super::registration::Registration;
use super::{InformerError, SharedInformer};

impl<K> SharedInformer<K> {
    /// Adds a subscriber: it receives every notification, and none is merged with another. Use it where the states in between
    /// matter, for instance to map each change of an object to the keys of other objects, and merge these keys.
    ///
    /// It costs backpressure. A subscriber has a task of its own and a mailbox, as a handler does, and
    /// [`merge_above`](HandlerOptions::merge_above) bounds the mailbox. When that is full, the informer's task makes the oldest
    /// pending call itself before it goes on ("caller runs"). Therefore a subscriber must be quick and must not block: a slow one
    /// slows the cache and all other listeners of its informer.
    ///
    /// Two calls may overlap, one by each task, and then either may come first: even for one object, the order of calls is not
    /// always the order of changes. Each call comes after the cache has the change. Panics, resyncs, the initial list and the
    /// removal are as for handlers.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use tidings_informer::informer::{HandlerOptions, Notification, SharedInformer};
    ///
    /// # fn example(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
    /// let (changed, owners) = std::sync::mpsc::channel();
    /// pods.subscribe(HandlerOptions::default(), move |notification| {
    ///     let old = match notification {
    ///         Notification::Added { .. } => None,
    ///         Notification::Updated { old, .. } | Notification::Deleted { old, .. } => Some(old),
    ///     };
    ///     for pod in old.into_iter().chain([notification.object()]) {
    ///         if let Some(owner) = pod.controller_uid() {
    ///             let _ = changed.send(owner.to_owned());
    ///         }
    ///     }
    /// })?;
    /// # drop(owners);
    /// # Ok(())
    /// # }
    /// ```
    pub fn subscribe(
        &self,
        options: HandlerOptions,
        call: impl Fn(&Notification) + Send + Sync + 'static,
    ) -> Result<Registration, InformerError> {
        let subscriber: Subscriber = Arc::new(call);
        let own = Arc::clone(&subscriber);
        let (call, lease) = (Box::new(move |notification: &Notification| own(notification)), &self.lease);
        let (reporter, stop) = (Arc::clone(&self.shared.reporter), self.shared.stop.clone());
        let overflow = |above| Overflow::CallerRuns(subscriber, CallerRuns { above, reporter, stop });
        let mailbox = self.register(options, Some(call), overflow, Some(Arc::clone(lease)))?;
        Ok(Registration::new(mailbox, &self.shared))
    }
}
