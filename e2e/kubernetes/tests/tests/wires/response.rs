//! The response of a server: code, format and bytes.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request};
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::Value;

use crate::envelope::{json_events, protobuf_events};

/// The content types.
pub(crate) const JSON: &str = "application/json";
pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) format: String,
    pub(crate) body: Bytes,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct TestRequest<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) accept: &'a str,
    /// The body and its format.
    pub(crate) body: Option<(&'a str, &'a Value)>,
}

/// A JSON watch and a protobuf watch, read up to their first events. `view` is added to both formats.
pub(crate) async fn first_events(client: &Client, path: &str, view: &str) -> (Answer, Answer) {
    let (json, protobuf) = (format!("{JSON}{view}"), format!("{PROTOBUF};stream=watch{view}"));
    tokio::join!(
        TestRequest::get(path, &json).watched(client, |read| !json_events(read).is_empty()),
        TestRequest::get(path, &protobuf).watched(client, |read| !protobuf_events(read).is_empty()),
    )
}

impl<'a> TestRequest<'a> {
    /// Sends a GET request.
    pub(crate) fn get(path: &'a str, accept: &'a str) -> TestRequest<'a> {
        TestRequest { method: &Method::GET, path, accept, body: None }
    }

    /// Sends the request and reads the whole response.
    pub(crate) async fn answered(self, client: &Client) -> Answer {
        let (head, body) = self.open(client).await.into_parts();
        let body = body.collect().await.expect("an answer comes whole").to_bytes();
        Answer { code: head.status.as_u16(), format: format_of(&head.headers), body }
    }

    /// Sends the request and reads a watch until `is_last` returns true.
    pub(crate) async fn watched(self, client: &Client, is_last: impl Fn(&[u8]) -> bool) -> Answer {
        let (head, mut body) = self.open(client).await.into_parts();
        let mut read = Vec::new();
        while !is_last(&read) {
            let frame =
                body.frame().await.expect("a watch lasts until its last event").expect("it is not cut");
            read.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
        }
        Answer { code: head.status.as_u16(), format: format_of(&head.headers), body: read.into() }
    }

    async fn open(self, client: &Client) -> http::Response<Body> {
        let mut request = Request::builder().method(self.method).uri(self.path).header(ACCEPT, self.accept);
        let mut bytes = Vec::new();
        if let Some((format, body)) = self.body {
            request = request.header(CONTENT_TYPE, format);
            bytes = body.to_string().into_bytes();
        }
        let request = request.body(Body::from(bytes)).expect("a path of ours is a path");
        client.send(request).await.expect("the server answers")
    }
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        assert!(self.format.starts_with(JSON), "{} came as {}", self.code, self.format);
        serde_json::from_slice(&self.body).expect("the server writes JSON")
    }

    /// The bytes, which must be protobuf.
    pub(crate) fn protobuf(&self) -> &[u8] {
        assert!(self.format.starts_with(PROTOBUF), "{} came as {}", self.code, self.format);
        &self.body
    }
}

fn format_of(headers: &http::HeaderMap) -> String {
    let format = headers.get(CONTENT_TYPE).and_then(|format| format.to_str().ok());
    format.unwrap_or_default().to_owned()
}
