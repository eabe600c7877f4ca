//! Objects of the server: creates, changes and deletes them, and waits until they are as expected.

use std::sync::Mutex;
use std::time::Duration;

use http::Request;
use kube_client::Client;
use serde_json::{Value, json};
use tidings_apiserver::{ApiServer, RecordedRequest};

/// The interval of polls for an object.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(crate) struct Objects {
    server: ApiServer,
    client: Client,
    /// What a test waits for, for the message if it never comes.
    awaited: Mutex<(String, Value)>,
}

impl Objects {
    pub(crate) fn new(server: ApiServer) -> Objects {
        let client = server.client();
        Objects { server, client, awaited: Mutex::default() }
    }

    pub(crate) async fn create(&self, path: &str, object: Value) {
        self.send("POST", path, "application/json", &object).await;
    }

    pub(crate) async fn patch(&self, path: &str, patch: Value) {
        self.send("PATCH", path, "application/merge-patch+json", &patch).await;
    }

    pub(crate) async fn delete(&self, path: &str, policy: &str) {
        self.send("DELETE", path, "application/json", &json!({"propagationPolicy": policy})).await;
    }

    async fn send(&self, method: &str, path: &str, content: &str, body: &Value) {
        let request = Request::builder().method(method).uri(path).header("Content-Type", content);
        let request = request.body(body.to_string().into_bytes()).unwrap();
        let answer = self.client.request::<Value>(request).await;
        answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
    }

    /// The object at a path.
    pub(crate) async fn get(&self, path: &str) -> Option<Value> {
        let request = Request::get(path).body(Vec::new()).unwrap();
        match self.client.request::<Value>(request).await {
            Ok(object) => Some(object),
            Err(kube_client::Error::Api(status)) if status.code == 404 => None,
            Err(error) => panic!("GET {path}: {error}"),
        }
    }

    /// The items of the list at a path.
    pub(crate) async fn list(&self, path: &str) -> Vec<Value> {
        let list = self.get(path).await.expect("a list exists");
        list["items"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until an object, or its absence, is as expected.
    pub(crate) async fn until(&self, path: &str, is_expected: impl Fn(Option<&Value>) -> bool) {
        loop {
            let object = self.get(path).await;
            if is_expected(object.as_ref()) {
                return;
            }
            *self.awaited.lock().unwrap() = (path.to_owned(), object.unwrap_or_default());
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Waits until an object exists and is as expected.
    pub(crate) async fn until_is(&self, path: &str, is_expected: impl Fn(&Value) -> bool) {
        self.until(path, |object| object.is_some_and(&is_expected)).await;
    }

    /// What the test waited for last.
    pub(crate) fn awaited(&self) -> String {
        let (path, object) = &*self.awaited.lock().unwrap();
        format!("the expected state of {path} never came; it is {object:#}")
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.server.requests()
    }
}
