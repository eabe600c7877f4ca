//! What a user writes to hear of changes: closures in a [`Handler`], or an [`EventHandler`] of their own.
//!
//! A handler is called by its own task, one notification at a time. It blocks that task while it runs: long
//! work belongs on a queue. A panic in it is caught (which needs `panic = "unwind"`, Rust's default).

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tidings_object::Object;

use super::filter::{Filter, Filtered};
use super::notification::Notification;

/// How the informer calls a handler.
pub(crate) type Callback = Box<dyn FnMut(&Notification) + Send>;

/// How the informer calls a subscriber, from two tasks.
pub(crate) type Subscriber = Arc<dyn Fn(&Notification) + Send + Sync>;

/// A type that hears of changes to objects seen as `K`.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::informer::{Deleted, EventHandler, HandlerOptions, SharedInformer, handle_with};
/// use tidings_object::Object;
///
/// struct Counter { pods: u64 }
///
/// impl EventHandler<Pod> for Counter {
///     fn on_add(&mut self, _: &Object<Pod>, _is_initial: bool) {
///         self.pods += 1;
///     }
///     fn on_delete(&mut self, _: &Deleted<Pod>) {
///         self.pods -= 1;
///     }
/// }
///
/// # fn example(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// pods.add_handler(handle_with(HandlerOptions::default(), Counter { pods: 0 }))?;
/// # Ok(())
/// # }
/// ```
pub trait EventHandler<K>: Send + 'static {
    /// An object that this handler did not know.
    fn on_add(&mut self, object: &Object<K>, is_initial: bool) {
        let _ = (object, is_initial);
    }

    /// Another version of an object, or the same one again if this handler asked for resyncs.
    fn on_update(&mut self, old: &Object<K>, new: &Object<K>) {
        let _ = (old, new);
    }

    /// An object is gone.
    fn on_delete(&mut self, gone: &Deleted<K>) {
        let _ = gone;
    }
}

/// An object that is gone, in the last state that is known of it.
pub struct Deleted<K> {
    old: Object<K>,
    object: Object<K>,
    is_final_state_unknown: bool,
}

impl<K> Deleted<K> {
    pub(super) fn new(old: Object<K>, object: Object<K>, is_final_state_unknown: bool) -> Self {
        Deleted { old, object, is_final_state_unknown }
    }

    /// The object in the state that this handler received last. It differs from the final state if the deletion itself
    /// changed the object, or if updates were merged into the deletion because the handler is slow.
    pub fn old(&self) -> &Object<K> {
        &self.old
    }

    /// The object in its last known state.
    pub fn object(&self) -> &Object<K> {
        &self.object
    }

    /// Whether it went while nobody watched: the state may be older than its last.
    pub fn is_final_state_unknown(&self) -> bool {
        self.is_final_state_unknown
    }
}

impl<K> Deref for Deleted<K> {
    type Target = Object<K>;
    fn deref(&self) -> &Object<K> {
        &self.object
    }
}

impl<K> fmt::Debug for Deleted<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deleted")
            .field("object", &self.object)
            .field("is_final_state_unknown", &self.is_final_state_unknown)
            .finish()
    }
}

type OnAdd<K> = Box<dyn FnMut(&Object<K>, bool) + Send>;
type OnUpdate<K> = Box<dyn FnMut(&Object<K>, &Object<K>) + Send>;
type OnDelete<K> = Box<dyn FnMut(&Deleted<K>) + Send>;

/// A handler made of closures, each of which may be left out.
///
/// ```
/// use tidings_informer::informer::Handler;
/// # use serde_json::Value as Pod;
/// let handler = Handler::<Pod>::new()
///     .named("printer")
///     .on_add(|pod, is_initial| println!("[ADD] {} {is_initial}", pod.key()))
///     .on_delete(|gone| println!("[DELETE] {}", gone.key()));
/// ```
pub struct Handler<K> {
    pub(super) options: HandlerOptions,
    filter: Option<Filter<K>>,
    on_add: Option<OnAdd<K>>,
    on_update: Option<OnUpdate<K>>,
    on_delete: Option<OnDelete<K>>,
}

/// What can be set for one handler.
#[derive(Debug, Clone, Default)]
pub struct HandlerOptions {
    /// How it is called in diagnostics; numbered if not given.
    pub name: Option<String>,
    /// How often it wants everything told again; the informer's period if not given, zero for never.
    pub resync_period: Option<Duration>,
    /// Above how many pending notifications those of one object merge; the informer's bound if not given. Of a
    /// [subscriber](super::SharedInformer::subscribe) nothing merges: above it the informer's task makes the calls.
    pub merge_above: Option<usize>,
}

impl<K> Handler<K> {
    /// A handler that does nothing yet.
    pub fn new() -> Self {
        Handler {
            options: HandlerOptions::default(),
            filter: None,
            on_add: None,
            on_update: None,
            on_delete: None,
        }
    }

    /// Names it for diagnostics.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// Has everything told again, as updates without a change, each time this period has passed. At least a
    /// second; zero for never. No request is made to the server.
    #[must_use]
    pub fn resync_period(mut self, period: Duration) -> Self {
        self.options.resync_period = Some(period);
        self
    }

    /// Keeps this many pending notifications apart before those of one object merge.
    #[must_use]
    pub fn merge_above(mut self, notifications: usize) -> Self {
        self.options.merge_above = Some(notifications);
        self
    }

    /// Delivers only objects that match. An object that begins to match is an addition, one that no longer matches is a
    /// deletion.
    ///
    /// The view that a handler builds from its calls equals the filtered cache once it has received everything, whatever was
    /// merged on the way: the filter remembers the keys of the objects that it has reported, and never asks about a state that
    /// the handler did not receive. An object that was reported and is gone is always reported as deleted: in its final state
    /// if that matches, otherwise in the last state that was reported.
    ///
    /// A filter may panic: that costs one call, and the next change of the object makes up for it. A filter whose answer
    /// depends on more than the object takes effect with the next change or resync of each object. The memory is one key for
    /// each matching object.
    #[must_use]
    pub fn filter(mut self, matches: impl Fn(&Object<K>) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Arc::new(matches));
        self
    }

    /// Calls this for each object that the handler did not know, with whether it was there from the first.
    #[must_use]
    pub fn on_add(mut self, call: impl FnMut(&Object<K>, bool) + Send + 'static) -> Self {
        self.on_add = Some(Box::new(call));
        self
    }

    /// Calls this with the old and the new version.
    #[must_use]
    pub fn on_update(mut self, call: impl FnMut(&Object<K>, &Object<K>) + Send + 'static) -> Self {
        self.on_update = Some(Box::new(call));
        self
    }

    /// Calls this for each object that is gone.
    #[must_use]
    pub fn on_delete(mut self, call: impl FnMut(&Deleted<K>) + Send + 'static) -> Self {
        self.on_delete = Some(Box::new(call));
        self
    }
}

impl<K> Default for Handler<K> {
    fn default() -> Self {
        Handler::new()
    }
}

impl<K: 'static> EventHandler<K> for Handler<K> {
    fn on_add(&mut self, object: &Object<K>, is_initial: bool) {
        if let Some(call) = &mut self.on_add {
            call(object, is_initial);
        }
    }

    fn on_update(&mut self, old: &Object<K>, new: &Object<K>) {
        if let Some(call) = &mut self.on_update {
            call(old, new);
        }
    }

    fn on_delete(&mut self, gone: &Deleted<K>) {
        if let Some(call) = &mut self.on_delete {
            call(gone);
        }
    }
}

/// What can be added to an informer: a [`Handler`], or an [`EventHandler`] through [`handle_with`].
pub trait IntoHandler<K> {
    /// The options and the call.
    fn into_handler(self) -> (HandlerOptions, Box<dyn EventHandler<K>>);
}

impl<K: 'static> IntoHandler<K> for Handler<K> {
    fn into_handler(mut self) -> (HandlerOptions, Box<dyn EventHandler<K>>) {
        let options = std::mem::take(&mut self.options);
        match self.filter.take() {
            None => (options, Box::new(self)),
            Some(filter) => (options, Box::new(Filtered::new(filter, self))),
        }
    }
}

/// An [`EventHandler`] with its options.
pub struct HandleWith<H> {
    options: HandlerOptions,
    handler: H,
}

/// Makes a handler of a type of your own.
pub fn handle_with<H>(options: HandlerOptions, handler: H) -> HandleWith<H> {
    HandleWith { options, handler }
}

impl<K: 'static, H: EventHandler<K>> IntoHandler<K> for HandleWith<H> {
    fn into_handler(self) -> (HandlerOptions, Box<dyn EventHandler<K>>) {
        (self.options, Box::new(self.handler))
    }
}

/// Gives a typed handler the untyped notifications of the pipeline.
pub(super) fn callback<K: 'static>(mut handler: Box<dyn EventHandler<K>>) -> Callback {
    Box::new(move |notification| match notification {
        Notification::Added { object, is_initial } => {
            handler.on_add(&Object::new(Arc::clone(object)), *is_initial)
        }
        Notification::Updated { old, new, .. } => {
            handler.on_update(&Object::new(Arc::clone(old)), &Object::new(Arc::clone(new)));
        }
        Notification::Deleted { old, object, is_final_state_unknown } => {
            let (old, object) = (Object::new(Arc::clone(old)), Object::new(Arc::clone(object)));
            handler.on_delete(&Deleted::new(old, object, *is_final_state_unknown));
        }
    })
}
