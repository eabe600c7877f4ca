//! What a user writes to hear of changes: closures in a [`Handler`], or an [`EventHandler`] of their own.
//!
//! A handler is called by its own task, one notification at a time. It blocks that task while it runs: long
//! work belongs on a queue. A panic in it is caught (which needs `panic = "unwind"`, Rust's default).

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tidings_object::Object;

use super::notification::Notification;

/// How the informer calls a handler.
pub(crate) type Callback = Box<dyn FnMut(&Notification) + Send>;

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
    object: Object<K>,
    is_final_state_unknown: bool,
}

impl<K> Deleted<K> {
    pub(super) fn new(object: Object<K>, is_final_state_unknown: bool) -> Self {
        Deleted { object, is_final_state_unknown }
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
type Filter<K> = Arc<dyn Fn(&Object<K>) -> bool + Send + Sync>;

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
    /// Above how many pending notifications those of one object merge; the informer's bound if not given.
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

    /// Hears only of objects that match. An object that begins to match is told as added, one that ceases to
    /// match as deleted.
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
            Some(filter) => (options, Box::new(Filtered { filter, inner: self, view: PhantomData })),
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

/// Passes on what its filter lets through; entering is an addition, leaving a deletion.
struct Filtered<K, H> {
    filter: Filter<K>,
    inner: H,
    view: PhantomData<fn() -> K>,
}

impl<K: 'static, H: EventHandler<K>> EventHandler<K> for Filtered<K, H> {
    fn on_add(&mut self, object: &Object<K>, is_initial: bool) {
        if (self.filter)(object) {
            self.inner.on_add(object, is_initial);
        }
    }

    fn on_update(&mut self, old: &Object<K>, new: &Object<K>) {
        match ((self.filter)(old), (self.filter)(new)) {
            (true, true) => self.inner.on_update(old, new),
            (false, true) => self.inner.on_add(new, false),
            (true, false) => self.inner.on_delete(&Deleted::new(old.clone(), false)),
            (false, false) => {}
        }
    }

    fn on_delete(&mut self, gone: &Deleted<K>) {
        if (self.filter)(gone.object()) {
            self.inner.on_delete(gone);
        }
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
        Notification::Deleted { object, is_final_state_unknown } => {
            handler.on_delete(&Deleted::new(Object::new(Arc::clone(object)), *is_final_state_unknown));
        }
    })
}
