//! The code of a user that receives notifications, and its options.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use tidings_object::Object;

use crate::informer::deliver::callback::{Callback, SharedCallback, catch_panic};
use crate::informer::deliver::filter::{Filter, FilterResult};
use crate::informer::notification::Notification;

type OnAdd<K> = Box<dyn FnMut(&Object<K>, bool) + Send>;
type OnUpdate<K> = Box<dyn FnMut(&Object<K>, &Object<K>) + Send>;
type OnNotification<K> = Box<dyn FnMut(&Notification<K>) + Send>;
type OnNotificationShared<K> = Arc<dyn Fn(&Notification<K>) + Send + Sync>;
type OnDelete<K> = Box<dyn FnMut(&Object<K>) + Send>;

/// Receives the notifications of an informer. Each closure is optional.
///
/// A handler has a task of its own, which makes one call at a time. A call blocks that task: put long work on a queue.
/// A panic in a call is caught and reported (this needs `panic = "unwind"`, Rust's default), and the next call
/// follows.
///
/// ```
/// use tidings_informer::{Handler, Notification};
/// # use serde_json::Value as Pod;
/// let printer = Handler::<Pod>::new()
///     .named("printer")
///     .on_add(|pod, is_initial| println!("[ADD] {} {is_initial}", pod.key()))
///     .on_delete(|pod| println!("[DELETE] {}", pod.key()));
///
/// // One function for everything: it sees resyncs and missed deletions, and owns its state.
/// let mut pods = 0;
/// let counter = Handler::from_fn(move |notification: &Notification<Pod>| match notification {
///     Notification::Added { .. } => pods += 1,
///     Notification::Deleted { .. } => pods -= 1,
///     Notification::Updated { .. } => {}
/// });
/// ```
pub struct Handler<K> {
    options: MailboxOptions,
    filter: Option<Filter<K>>,
    function: Function<K>,
    on_add: Option<OnAdd<K>>,
    on_update: Option<OnUpdate<K>>,
    on_delete: Option<OnDelete<K>>,
}

/// The function that receives every notification.
enum Function<K> {
    None,
    Handler(OnNotification<K>),
    Subscriber(OnNotificationShared<K>),
}

/// The options of one mailbox. `None` means the default of the informer.
#[derive(Debug, Clone, Default)]
pub(crate) struct MailboxOptions {
    pub(crate) name: Option<String>,
    pub(crate) resync: Option<Duration>,
    pub(crate) merge_above: Option<usize>,
}

/// The code of a [`Handler`], ready to be called.
pub(crate) enum Receiver {
    Handler(Callback),
    Subscriber(SharedCallback),
}

impl<K> Handler<K> {
    /// A handler without closures.
    pub fn new() -> Self {
        Self::with_function(Function::None)
    }

    /// A handler that receives every notification in one function: also resyncs, and deletions whose final state is
    /// unknown. Closures that are added with `on_add`, `on_update` or `on_delete` are called after it.
    pub fn from_fn(call: impl FnMut(&Notification<K>) + Send + 'static) -> Self {
        Self::with_function(Function::Handler(Box::new(call)))
    }

    /// A subscriber: a handler whose notifications are never merged. Use it where the states in between matter, for
    /// instance to map each change of an object to the keys of other objects, and merge these keys.
    ///
    /// The cost is backpressure. [`merge_above`](Self::merge_above) bounds the mailbox of a subscriber. When it is
    /// full, the informer's task takes the oldest pending notification and makes the call itself before it continues
    /// ("caller runs"). So a subscriber must be quick and must not block: a slow one slows the cache and all other
    /// handlers of its informer.
    ///
    /// Two calls may overlap, one in each task, and then either may be first: even for one object, the order of calls
    /// is not always the order of changes. Each call is made after the cache has the change. Panics, resyncs, the
    /// initial list and the removal are as for other handlers. A subscriber has neither a filter nor further closures:
    /// adding one that does is an error.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Pod;
    /// use tidings_informer::{Handler, Notification, SharedInformer};
    ///
    /// # fn example(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
    /// let (changed, owners) = std::sync::mpsc::channel();
    /// pods.add_handler(Handler::subscriber(move |notification: &Notification<Pod>| {
    ///     for pod in notification.objects() {
    ///         if let Some(owner) = pod.controller_uid() {
    ///             let _ = changed.send(owner.to_owned());
    ///         }
    ///     }
    /// }))?;
    /// # drop(owners);
    /// # Ok(())
    /// # }
    /// ```
    pub fn subscriber(call: impl Fn(&Notification<K>) + Send + Sync + 'static) -> Self {
        Self::with_function(Function::Subscriber(Arc::new(call)))
    }

    fn with_function(function: Function<K>) -> Self {
        Handler {
            options: MailboxOptions::default(),
            filter: None,
            function,
            on_add: None,
            on_update: None,
            on_delete: None,
        }
    }

    /// Names the handler in logs, metrics and errors. Without a name it gets a number.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// Delivers all objects again, as updates without a change, each time this period has passed. The minimum is one
    /// second; zero means never. Without this, the period of the informer applies. A resync reads the cache: it makes
    /// no request.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.options.resync = Some(period);
        self
    }

    /// How many pending notifications are kept before those of one object merge. Without this, the bound of the
    /// informer applies. The notifications of a [subscriber](Self::subscriber) do not merge: above this bound the
    /// informer's task makes the calls.
    #[must_use]
    pub fn merge_above(mut self, notifications: usize) -> Self {
        self.options.merge_above = Some(notifications);
        self
    }

    /// Delivers only objects that match. An object that begins to match is an addition. An object that no longer
    /// matches is a deletion.
    ///
    /// The view that a handler builds from its calls equals the filtered cache once it has received everything, also
    /// if notifications were merged: the filter remembers the keys of the objects that it has reported, and never
    /// decides by a state that the handler did not receive. An object that was reported and is gone is always reported
    /// as deleted: in its final state if that matches, otherwise in the last state that was reported.
    ///
    /// A panic of the filter costs one call; the next change of the object makes up for it. A filter whose result
    /// depends on more than the object takes effect with the next change or resync of each object. It needs memory for
    /// one key per matching object.
    #[must_use]
    pub fn filter(mut self, matches: impl Fn(&Object<K>) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Filter::new(matches));
        self
    }

    /// Calls this for each object that the handler did not know, with whether it existed before the handler was
    /// added.
    #[must_use]
    pub fn on_add(mut self, call: impl FnMut(&Object<K>, bool) + Send + 'static) -> Self {
        self.on_add = Some(Box::new(call));
        self
    }

    /// Calls this with the old and the new state of each object that changed, and for each object of a resync.
    /// [`from_fn`](Self::from_fn) distinguishes the two.
    #[must_use]
    pub fn on_update(mut self, call: impl FnMut(&Object<K>, &Object<K>) + Send + 'static) -> Self {
        self.on_update = Some(Box::new(call));
        self
    }

    /// Calls this with the last known state of each object that is gone. [`from_fn`](Self::from_fn) also gets
    /// the previous state, and whether the final state is unknown.
    #[must_use]
    pub fn on_delete(mut self, call: impl FnMut(&Object<K>) + Send + 'static) -> Self {
        self.on_delete = Some(Box::new(call));
        self
    }

    fn call(&mut self, notification: &Notification<K>) {
        if let Function::Handler(call) = &mut self.function {
            call(notification);
        }
        match notification {
            Notification::Added { object, is_initial } => {
                if let Some(call) = &mut self.on_add {
                    call(object, *is_initial);
                }
            }
            Notification::Updated { old, new, .. } => {
                if let Some(call) = &mut self.on_update {
                    call(old, new);
                }
            }
            Notification::Deleted { object, .. } => {
                if let Some(call) = &mut self.on_delete {
                    call(object);
                }
            }
        }
    }

    fn has_closures(&self) -> bool {
        self.on_add.is_some() || self.on_update.is_some() || self.on_delete.is_some()
    }

    /// Its options, for a stream: whether there is code that a stream would never call is an error.
    pub(crate) fn into_stream_options(self) -> Result<MailboxOptions, &'static str> {
        let is_empty = matches!(self.function, Function::None) && !self.has_closures();
        if !is_empty || self.filter.is_some() {
            return Err("a stream has no functions and no filter: use the combinators of the stream");
        }
        Ok(self.options)
    }
}

impl<K: 'static> Handler<K> {
    /// Its options and its code.
    pub(crate) fn into_parts(mut self) -> Result<(MailboxOptions, Receiver), &'static str> {
        let options = std::mem::take(&mut self.options);
        if let Function::Subscriber(call) = &self.function {
            if self.filter.is_some() || self.has_closures() {
                return Err("a subscriber has one function, and neither a filter nor further closures");
            }
            let call = Arc::clone(call);
            let shared: SharedCallback = Arc::new(move |notification| catch_panic(notification, &*call));
            return Ok((options, Receiver::Subscriber(shared)));
        }
        let callback: Callback = match self.filter.take() {
            None => Box::new(move |notification| {
                catch_panic(notification, |notification| self.call(notification))
            }),
            Some(mut filter) => Box::new(move |notification| {
                catch_panic(notification, |notification| self.call_filtered(&mut filter, notification))
            }),
        };
        Ok((options, Receiver::Handler(callback)))
    }

    /// A panic of the filter continues after the call, which the filter may have decided without it.
    fn call_filtered(&mut self, filter: &mut Filter<K>, notification: &Notification<K>) {
        let (passed, panic) = filter.apply(notification);
        match passed {
            FilterResult::Nothing => {}
            FilterResult::AsIs => self.call(notification),
            FilterResult::Changed(notification) => self.call(&notification),
        }
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl<K> Default for Handler<K> {
    fn default() -> Self {
        Handler::new()
    }
}

impl<K> fmt::Debug for Handler<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler").field("options", &self.options).finish_non_exhaustive()
    }
}
