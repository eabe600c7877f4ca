//! The list modes, their fallbacks, and the watch that follows.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Request;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::client::Body;
use kubernetes_tests::Cluster;
use kubernetes_tests::agreement::wait_until;
use tidings::ErrorClass;
use tidings::Paging;
use tidings::{ListMode, Wire, WirePreference};

use crate::test_informer::{TestInformer, quick, with_short_watches};
use crate::test_namespace::TestNamespace;

const MAPS: usize = 30;
const PAGE: u32 = 7;

// holds: R6, R8
pub(crate) async fn streams(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "streams").await;
    namespace_of_test.write_many(MAPS).await;
    let maps: TestInformer<ConfigMap> =
        TestInformer::start(namespace_of_test.client.clone(), namespace_of_test.options()).await;
    assert_eq!((maps.list_mode(), maps.wire()), (Some(ListMode::Streaming), Some(Wire::Protobuf)));
    assert_eq!(maps.informer.lister().len(), MAPS);
    namespace_of_test.change().await;
    namespace_of_test.collection("configmaps").agrees_with(&maps.informer, &maps.recorder).await;
    let requests = maps.informer.stats().requests;
    assert_eq!((requests.lists, requests.watches), (1, 1), "the list goes on as the watch");
    assert_eq!(maps.errors.all(), []);
    maps.ends_with(namespace_of_test.collection("configmaps")).await;
}

/// A server since 1.37 compresses a streaming list and what follows on the same watch: one gzip member for each flush.
pub(crate) async fn streams_in_gzip(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "streams-gzip").await;
    namespace_of_test.write_many(MAPS).await;
    let path = namespace_of_test.path("configmaps?watch=1&timeoutSeconds=1");
    let initial = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    for (query, is_compressed) in [(initial, true), ("&resourceVersion=0", false)] {
        let request = Request::get(format!("{path}{query}")).header("accept-encoding", "gzip");
        let request = request.body(Body::empty()).unwrap();
        let response = namespace_of_test.client.send(request).await.unwrap();
        let encoding = response.headers().get("content-encoding").map(|value| value.to_str().unwrap());
        assert_eq!(encoding, is_compressed.then_some("gzip"), "{query}");
    }
    for wire in [WirePreference::ProtobufFirst, WirePreference::JsonOnly] {
        let options = namespace_of_test.options().gzip_lists().wire(wire);
        let maps: TestInformer<ConfigMap> =
            TestInformer::start(namespace_of_test.client.clone(), options).await;
        assert_eq!(maps.list_mode(), Some(ListMode::Streaming));
        namespace_of_test.change().await;
        namespace_of_test.collection("configmaps").agrees_with(&maps.informer, &maps.recorder).await;
        let requests = maps.informer.stats().requests;
        assert_eq!((requests.lists, requests.watches), (1, 1), "the list goes on as the watch");
        assert_eq!(maps.errors.all(), []);
        namespace_of_test.write("map-1", "present for the next informer").await;
        maps.ends_with(namespace_of_test.collection("configmaps")).await;
    }
}

/// A server with a watch cache answers the first list from it, in one page.
pub(crate) async fn lists_in_one_page(cluster: &Cluster) {
    assert_eq!(pages(cluster, "one-page").await, 1);
}

/// Without a watch cache it answers in pages.
pub(crate) async fn lists_in_pages(cluster: &Cluster) {
    assert_eq!(pages(cluster, "pages").await, MAPS.div_ceil(PAGE as usize));
}

async fn pages(cluster: &Cluster, namespace: &str) -> usize {
    let namespace_of_test = TestNamespace::new(cluster, namespace).await;
    namespace_of_test.write_many(MAPS).await;
    let pages = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&pages);
    let paging = Paging::Always(NonZeroU32::new(PAGE).unwrap());
    let options = namespace_of_test
        .options()
        .reflector(quick().list_mode(ListMode::Chunked).paging(paging))
        .tweak(move |query| _ = counted.fetch_add(usize::from(!query.is_watch()), Ordering::SeqCst));
    let maps: TestInformer<ConfigMap> = TestInformer::start(namespace_of_test.client.clone(), options).await;
    assert_eq!((maps.list_mode(), maps.wire()), (Some(ListMode::Chunked), Some(Wire::Protobuf)));
    let pages = pages.load(Ordering::SeqCst);
    namespace_of_test.change().await;
    maps.ends_with(namespace_of_test.collection("configmaps")).await;
    pages
}

/// HTTP 422, with `sendInitialEvents` as its cause.
pub(crate) async fn is_refused(cluster: &Cluster) {
    falls_back(cluster, "refused", ErrorClass::StreamingListRefused).await;
}

/// HTTP 200, and an error as the first event.
pub(crate) async fn fails_in_the_stream(cluster: &Cluster) {
    falls_back(cluster, "failing", ErrorClass::Internal).await;
}

async fn falls_back(cluster: &Cluster, namespace: &str, class: ErrorClass) {
    let namespace_of_test = TestNamespace::new(cluster, namespace).await;
    namespace_of_test.write_many(MAPS).await;
    let maps: TestInformer<ConfigMap> =
        TestInformer::start(namespace_of_test.client.clone(), namespace_of_test.options()).await;
    assert_eq!((maps.list_mode(), maps.wire()), (Some(ListMode::Chunked), Some(Wire::Protobuf)));
    assert_eq!(maps.errors.all(), [class]);
    namespace_of_test.change().await;
    maps.ends_with(namespace_of_test.collection("configmaps")).await;
}

/// A server sends a bookmark shortly before it ends a watch, if there is a newer version than the watch has seen.
pub(crate) async fn follows_bookmarks(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "bookmarks").await;
    let elsewhere = TestNamespace::new(cluster, "bookmarks-elsewhere").await;
    namespace_of_test.write_many(3).await;
    let options = namespace_of_test.options().reflector(with_short_watches());
    let maps: TestInformer<ConfigMap> = TestInformer::start(namespace_of_test.client.clone(), options).await;
    elsewhere.write("noise", "somebody else's").await;
    let noise = elsewhere.maps().get("noise").await.unwrap().metadata.resource_version.unwrap();
    let noise = tidings::Version::new(&noise);
    let has_passed = || maps.informer.stats().version.is_some_and(|version| version.is_at_least(&noise));
    wait_until("a bookmark passes what happened elsewhere", has_passed).await;
    wait_until("three watches were opened", || maps.informer.stats().requests.watches > 3).await;
    let requests = maps.informer.stats().requests;
    assert!(requests.bookmarks > 0, "{requests:?}");
    assert_eq!(requests.relists, 0, "{requests:?}");
    assert_eq!(maps.errors.all(), []);
    namespace_of_test.change().await;
    maps.ends_with(namespace_of_test.collection("configmaps")).await;
}
