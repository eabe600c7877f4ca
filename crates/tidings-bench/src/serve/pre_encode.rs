//! Has the server encode protobuf before somebody waits for it, so that a subject's speed is not the server's. The
//! server keeps what it once encoded; asking for it by its own door is enough.

use http::{Request, header};
use http_body_util::Empty;
use tidings_apiserver::ApiServer;
use tokio::task::JoinSet;
use tower::ServiceExt;

/// How many paths one task asks for.
const PATHS_AT_ONCE: usize = 64;

/// Asks for each of these paths as protobuf.
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
                // What it answers is of no interest: what was not encoded will be when a subject asks.
                let _ = service.clone().oneshot(request).await;
            }
        });
    }
    while asking.join_next().await.is_some() {}
}

/// The path of one pod.
pub(super) fn pod_path(key: &str) -> String {
    let (namespace, name) = key.split_once('/').unwrap_or_default();
    format!("/api/v1/namespaces/{namespace}/pods/{name}")
}

/// The paths of the pods of all namespaces that these keys are in.
pub(super) fn pod_lists(keys: &[String]) -> Vec<String> {
    let mut namespaces: Vec<&str> = keys.iter().filter_map(|key| Some(key.split_once('/')?.0)).collect();
    namespaces.dedup();
    namespaces.iter().map(|namespace| format!("/api/v1/namespaces/{namespace}/pods")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_namespace_is_asked_for_once() {
        let keys = ["a/x", "a/y", "b/x"].map(str::to_owned);
        assert_eq!(pod_lists(&keys), ["/api/v1/namespaces/a/pods", "/api/v1/namespaces/b/pods"]);
        assert_eq!(pod_path("a/x"), "/api/v1/namespaces/a/pods/x");
    }
}
