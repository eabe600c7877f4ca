//! A [`ListWatch`] without a server, for tests. The test queues responses and reads the requests. It works in paused time
//! and never opens a socket.
//!
//! ```
//! use futures_util::StreamExt as _;
//! use serde_json::json;
//! use tidings_object::{Kind, Version};
//! use tidings_source::scripted::{ListResponse, ScriptedSource, WatchResponse, object};
//! use tidings_source::{ListOptions, ListPart, ListWatch, StreamScope, WatchEvent, WatchOptions};
//! # use k8s_openapi::api::core::v1::Pod;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let web = object(&Pod::resource(), Some("default"), "web", 3, "uid-1", json!({}));
//! let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
//! source.will_list(ListResponse::page(5).object(&web));
//! source.will_watch(WatchResponse::open().deleted(&web).bookmark(7).hang());
//!
//! let mut page = source.list(ListOptions::default()).await.unwrap();
//! assert!(matches!(page.next().await, Some(Ok(ListPart::Object(pod))) if pod.name() == "web"));
//! assert!(matches!(page.next().await, Some(Ok(ListPart::End(end))) if end.version == Version::from(5)));
//!
//! let options = WatchOptions { version: Some(Version::from(5)), ..WatchOptions::default() };
//! let mut watch = source.watch(options.clone()).await.unwrap();
//! assert!(matches!(watch.next().await, Some(Ok(WatchEvent::Changed(..)))));
//! assert_eq!(source.watches(), [options]);
//! # }
//! ```

mod response;
mod script;

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tidings_object::{Budget, Intake, KnownObjects, NothingKnown, RawObject, ResourceKind, Version};
use tokio::sync::watch;

pub use self::response::{ListResponse, WatchFeed, WatchResponse};
use self::script::Script;
use crate::port::request_text;
use crate::sync::Mutex;
use crate::{
    ListOptions, ListPart, ListStream, ListWatch, SourceError, StreamScope, WatchEvent, WatchOptions,
    WatchStream,
};

/// A [`ListWatch`] with scripted responses. A request without a script hangs, as a server may.
///
/// ```
/// # use k8s_openapi::api::core::v1::Pod;
/// # use tidings_object::Kind;
/// # use tidings_source::scripted::{ListResponse, ScriptedSource};
/// # use tidings_source::{ListOptions, ListWatch, StreamScope};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
/// source.will_list(ListResponse::page(5));
/// assert!(source.list(ListOptions::default()).await.is_ok());
/// assert_eq!(source.lists(), [ListOptions::default()]);
/// # }
/// ```
pub struct ScriptedSource {
    resource: ResourceKind,
    scope: StreamScope,
    may_stream_lists: bool,
    known: Arc<dyn KnownObjects>,
    responses: Mutex<QueuedResponses>,
    log: watch::Sender<RequestLog>,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedRequest {
    /// A LIST.
    List(ListOptions),
    /// A WATCH.
    Watch(WatchOptions),
}

type ResponseFn<Options, Response> = Box<dyn Fn(&Options) -> Response + Send>;

#[derive(Default)]
struct QueuedResponses {
    lists: VecDeque<ListResponse>,
    watches: VecDeque<WatchResponse>,
    every_list: Option<ResponseFn<ListOptions, ListResponse>>,
    every_watch: Option<ResponseFn<WatchOptions, WatchResponse>>,
}

#[derive(Default)]
struct RequestLog {
    requests: Vec<ScriptedRequest>,
    open_streams: usize,
}

/// One version of one object. `rest` is applied to `apiVersion`, `kind` and `metadata` as a JSON merge patch: it can
/// override fields and, with `null`, remove them.
///
/// # Panics
/// If the result is not an object of the resource.
pub fn object(
    resource: &ResourceKind,
    namespace: Option<&str>,
    name: &str,
    version: u64,
    uid: &str,
    rest: Value,
) -> Arc<RawObject> {
    let mut whole = json!({
        "apiVersion": resource.api_version(),
        "kind": resource.kind,
        "metadata": { "name": name, "uid": uid, "resourceVersion": version.to_string() },
    });
    if let Some(namespace) = namespace {
        whole["metadata"]["namespace"] = namespace.into();
    }
    merge(&mut whole, rest);
    Intake::new(resource.clone(), Arc::new(Budget::default()))
        .json(whole.to_string().as_bytes(), &NothingKnown)
        .expect("a scripted object has an identity")
}

/// Applies a JSON merge patch. The recursion is as deep as the test's own value.
fn merge(into: &mut Value, patch: Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    into.remove(&key);
                } else {
                    merge(into.entry(key).or_insert(Value::Null), value);
                }
            }
        }
        (into, patch) => *into = patch,
    }
}

impl ScriptedSource {
    /// A source of this resource in this scope, without responses.
    pub fn new(resource: ResourceKind, scope: StreamScope) -> ScriptedSource {
        ScriptedSource {
            resource,
            scope,
            may_stream_lists: true,
            known: Arc::new(NothingKnown),
            responses: Mutex::default(),
            log: watch::Sender::default(),
        }
    }

    /// Reports that it does not support streaming lists.
    #[must_use]
    pub fn without_streaming_lists(mut self) -> Self {
        self.may_stream_lists = false;
        self
    }

    /// Yields the `Arc` that this cache has for an object that did not change, as every source does.
    #[must_use]
    pub fn with_known(mut self, known: Arc<dyn KnownObjects>) -> Self {
        self.known = known;
        self
    }

    /// Queues the response to one LIST.
    pub fn will_list(&self, response: ListResponse) {
        self.responses.lock().lists.push_back(response);
    }

    /// Queues the response to one WATCH.
    pub fn will_watch(&self, response: WatchResponse) {
        self.responses.lock().watches.push_back(response);
    }

    /// Answers every LIST for which no response is queued.
    pub fn will_list_always(&self, response: impl Fn(&ListOptions) -> ListResponse + Send + 'static) {
        self.responses.lock().every_list = Some(Box::new(response));
    }

    /// Answers every WATCH for which no response is queued.
    pub fn will_watch_always(&self, response: impl Fn(&WatchOptions) -> WatchResponse + Send + 'static) {
        self.responses.lock().every_watch = Some(Box::new(response));
    }

    /// Queues a watch to which the test sends events while it runs.
    pub fn will_watch_live(&self) -> WatchFeed {
        let (feed, response) = WatchFeed::new();
        self.will_watch(response);
        feed
    }

    /// All requests so far, in order.
    pub fn requests(&self) -> Vec<ScriptedRequest> {
        self.log.borrow().requests.clone()
    }

    /// The options of every LIST so far.
    pub fn lists(&self) -> Vec<ListOptions> {
        let lists = |request: &ScriptedRequest| match request {
            ScriptedRequest::List(options) => Some(options.clone()),
            ScriptedRequest::Watch(_) => None,
        };
        self.log.borrow().requests.iter().filter_map(lists).collect()
    }

    /// The options of every WATCH so far.
    pub fn watches(&self) -> Vec<WatchOptions> {
        let watches = |request: &ScriptedRequest| match request {
            ScriptedRequest::Watch(options) => Some(options.clone()),
            ScriptedRequest::List(_) => None,
        };
        self.log.borrow().requests.iter().filter_map(watches).collect()
    }

    /// Waits until there were this many requests in all.
    pub async fn wait_for_requests(&self, requests: usize) {
        let enough = |log: &RequestLog| log.requests.len() >= requests;
        self.log.subscribe().wait_for(enough).await.expect("the source has the sender");
    }

    /// How many responses are being read. A stream counts until it is dropped.
    pub fn open_streams(&self) -> usize {
        self.log.borrow().open_streams
    }

    /// Waits until all streams are dropped.
    pub async fn wait_until_closed(&self) {
        let closed = |log: &RequestLog| log.open_streams == 0;
        self.log.subscribe().wait_for(closed).await.expect("the source has the sender");
    }

    fn record(&self, request: ScriptedRequest) {
        self.log.send_modify(|log| log.requests.push(request));
    }

    fn keep_known(&self) -> impl Fn(Arc<RawObject>) -> Arc<RawObject> + Send + use<> {
        let known = Arc::clone(&self.known);
        move |object| match known.known(&object.key()) {
            Some(same) if same.is_unchanged(&object) => same,
            _ => object,
        }
    }
}

impl ListWatch for ScriptedSource {
    fn resource(&self) -> &ResourceKind {
        &self.resource
    }

    fn scope(&self) -> &StreamScope {
        &self.scope
    }

    fn may_stream_lists(&self) -> bool {
        self.may_stream_lists
    }

    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        let request = request_text::list(&self.resource, &self.scope, &options);
        let script = {
            let mut responses = self.responses.lock();
            let queued = responses.lists.pop_front();
            queued.or_else(|| responses.every_list.as_ref().map(|response| response(&options)))
        };
        self.record(ScriptedRequest::List(options));
        let script = script.map_or_else(Script::hanging, ListResponse::into_script);
        let keep = self.keep_known();
        let keep = move |part| match part {
            ListPart::Object(object) => ListPart::Object(keep(object)),
            part => part,
        };
        Box::pin(script.play(request, self.log.clone(), keep))
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        let request = request_text::watch(&self.resource, &self.scope, &options);
        let script = {
            let mut responses = self.responses.lock();
            let queued = responses.watches.pop_front();
            queued.or_else(|| responses.every_watch.as_ref().map(|response| response(&options)))
        };
        self.record(ScriptedRequest::Watch(options));
        let script = script.map_or_else(Script::hanging, WatchResponse::into_script);
        let keep = self.keep_known();
        let keep = move |event| match event {
            WatchEvent::Changed(change, object) => WatchEvent::Changed(change, keep(object)),
            event => event,
        };
        Box::pin(script.play(request, self.log.clone(), keep))
    }
}

/// A version in a script: a number, a text, or a [`Version`].
pub trait IntoVersion {
    /// The version.
    fn into_version(self) -> Version;
}

impl IntoVersion for u64 {
    fn into_version(self) -> Version {
        Version::from(self)
    }
}

impl IntoVersion for &str {
    fn into_version(self) -> Version {
        Version::new(self)
    }
}

impl IntoVersion for Version {
    fn into_version(self) -> Version {
        self
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use k8s_openapi::api::core::v1::Pod;
    use tidings_object::Kind as _;

    use super::*;

    struct OneKnown(Arc<RawObject>);

    impl KnownObjects for OneKnown {
        fn known(&self, key: &str) -> Option<Arc<RawObject>> {
            (key == self.0.key().as_str()).then(|| Arc::clone(&self.0))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_live_watch_yields_the_events_of_its_feed_until_the_feed_is_dropped() {
        let pod = || object(&Pod::resource(), Some("a"), "x", 3, "uid", json!({}));
        let cached = pod();
        let source = ScriptedSource::new(Pod::resource(), StreamScope::All)
            .with_known(Arc::new(OneKnown(Arc::clone(&cached))));
        let feed = source.will_watch_live();
        let mut events = source.watch(WatchOptions::default()).await.unwrap();
        assert_eq!(source.open_streams(), 1);
        feed.added(&pod());
        let Some(Ok(WatchEvent::Changed(_, same))) = events.next().await else { panic!() };
        assert!(Arc::ptr_eq(&same, &cached), "an unchanged object is the one of the cache");
        feed.error(410, "Expired");
        assert!(matches!(events.next().await, Some(Ok(WatchEvent::Error(_)))));
        drop(feed);
        assert!(events.next().await.is_none());
        drop(events);
        source.wait_until_closed().await;
        source.wait_for_requests(1).await;
        assert_eq!(source.requests(), [ScriptedRequest::Watch(WatchOptions::default())]);
    }

    #[test]
    fn a_scripted_object_is_merged_over_its_metadata() {
        let labelled = json!({"metadata": {"labels": {"a": "b"}, "uid": null}, "spec": {"nodeName": "n"}});
        let pod = object(&Pod::resource(), None, "x", 3, "uid", labelled);
        assert_eq!((pod.uid(), pod.labels().value("a")), ("", Some("b")));
        assert_eq!(pod.field(".spec.nodeName").unwrap().text().as_deref(), Some("n"));
    }
}
