//! Makes the server encode protobuf before a measurement, so that the speed of the server does not matter. The server
//! caches what it has encoded; a request over its in-process transport is enough.

use http::{Request, header};
use http_body_util::Empty;
use tidings_apiserver::ApiServer;
use tokio::task::JoinSet;
use tower::ServiceExt;

/// The number of paths per task.
const PATHS_AT_ONCE: usize = 64;

/// Requests each path as protobuf.
pub(super) async fn encode(server: &ApiServer, paths: &[String]) {
    let mut asking = JoinSet::new();
    for paths in paths.chunks(PATHS_AT_ONCE) {
        let (service, paths) = (server.service(), paths.to_vec());
        asking.spawn(async move {
            for path in paths {
                let request = Request::get(path)
                    .header(header::ACCEPT, "application/vnd.kubernetes.protobuf")
                    .body(Empty::<bytes::Bytes>::new())
                    .expect("a key of a fixture makes a path");
                // Ignores the response. A path that fails is encoded when a subject requests it.
                let _ = service.clone().oneshot(request).await;
            }
        });
    }
    while asking.join_next().await.is_some() {}
}

pub(super) fn pod_path(key: &str) -> String {
    let (namespace, name) = key.split_once('/').unwrap_or_default();
    format!("/api/v1/namespaces/{namespace}/pods/{name}")
}

/// The list paths of all namespaces of these keys.
pub(super) fn pod_lists(keys: &[String]) -> Vec<String> {
    let mut namespaces: Vec<&str> = keys.iter().filter_map(|key| Some(key.split_once('/')?.0)).collect();
    namespaces.dedup();
    namespaces.iter().map(|namespace| format!("/api/v1/namespaces/{namespace}/pods")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_namespace_is_requested_once() {
        let keys = ["a/x", "a/y", "b/x"].map(str::to_owned);
        assert_eq!(pod_lists(&keys), ["/api/v1/namespaces/a/pods", "/api/v1/namespaces/b/pods"]);
        assert_eq!(pod_path("a/x"), "/api/v1/namespaces/a/pods/x");
    }
}
