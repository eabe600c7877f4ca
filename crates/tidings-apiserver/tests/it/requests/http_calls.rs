//! Helpers: raw HTTP requests over any transport, and watches that are read event by event.

use bytes::{Bytes, BytesMut};
use http::{Method, Request};
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::{Value, json};

/// A complete response.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) code: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Bytes,
}

impl HttpAnswer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// The code and the reason of a `Status`.
    pub(crate) fn code_and_reason(&self) -> (u16, String) {
        (self.code, self.json()["reason"].as_str().unwrap_or_default().to_owned())
    }
}

pub(crate) struct HttpCall {
    request: http::request::Builder,
    body: Vec<u8>,
}

pub(crate) fn call(method: Method, path: &str) -> HttpCall {
    HttpCall { request: Request::builder().method(method).uri(path), body: Vec::new() }
}

impl HttpCall {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string().into_bytes();
        self.header("content-type", "application/json")
    }

    pub(crate) fn bytes(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) async fn open(self, client: &Client) -> http::Response<Body> {
        client.send(self.request.body(Body::from(self.body)).unwrap()).await.unwrap()
    }

    pub(crate) async fn fails(self, client: &Client) -> kube_client::Error {
        client.send(self.request.body(Body::from(self.body)).unwrap()).await.map(|_| ()).unwrap_err()
    }

    pub(crate) async fn send(self, client: &Client) -> HttpAnswer {
        let response = self.open(client).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        HttpAnswer { code: parts.status.as_u16(), headers: parts.headers, body }
    }
}

pub(crate) async fn get(client: &Client, path: &str) -> HttpAnswer {
    call(Method::GET, path).send(client).await
}

pub(crate) async fn post(client: &Client, path: &str, body: &Value) -> HttpAnswer {
    call(Method::POST, path).json(body).send(client).await
}

pub(crate) async fn put(client: &Client, path: &str, body: &Value) -> HttpAnswer {
    call(Method::PUT, path).json(body).send(client).await
}

/// A PATCH; `kind` is the part of the media type after `application/`.
pub(crate) async fn patch(client: &Client, path: &str, kind: &str, body: &Value) -> HttpAnswer {
    let media_type = format!("application/{kind}");
    call(Method::PATCH, path).bytes(body.to_string()).header("content-type", &media_type).send(client).await
}

pub(crate) async fn delete(client: &Client, path: &str) -> HttpAnswer {
    call(Method::DELETE, path).send(client).await
}

/// A running watch.
pub(crate) struct WatchEvents {
    body: Body,
    read: BytesMut,
}

/// How a watch ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    Clean,
    Broken,
}

pub(crate) async fn watch(client: &Client, path: &str) -> WatchEvents {
    let response = call(Method::GET, path).open(client).await;
    assert_eq!(response.status(), 200, "{path}");
    WatchEvents::of(response)
}

impl WatchEvents {
    pub(crate) fn of(response: http::Response<Body>) -> Self {
        Self { body: response.into_body(), read: BytesMut::new() }
    }

    /// The next frame, or the end of the stream.
    pub(crate) async fn frame(&mut self) -> Result<Bytes, StreamEnd> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                return Ok(self.read.split_to(end + 1).freeze());
            }
            match self.body.frame().await {
                None => return Err(StreamEnd::Clean),
                Some(Err(_)) => return Err(StreamEnd::Broken),
                Some(Ok(frame)) => self.read.extend_from_slice(&frame.into_data().unwrap_or_default()),
            }
        }
    }

    /// The next event.
    pub(crate) async fn event(&mut self) -> Value {
        let frame = self.frame().await.unwrap();
        serde_json::from_slice(&frame).unwrap_or_else(|error| panic!("{error}: {frame:?}"))
    }

    /// The type of the next event and the name of its object, such as `ADDED a`.
    pub(crate) async fn type_and_name(&mut self) -> String {
        let event = self.event().await;
        let name = event["object"]["metadata"]["name"].as_str().unwrap_or("-").to_owned();
        format!("{} {name}", event["type"].as_str().unwrap_or_default())
    }

    /// The types and names of the next `count` events.
    pub(crate) async fn types_and_names(&mut self, count: usize) -> Vec<String> {
        let mut read_events = Vec::new();
        for _ in 0..count {
            read_events.push(self.type_and_name().await);
        }
        read_events
    }

    /// The received part of an incomplete frame.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.read
    }
}

pub(crate) fn pod(namespace: &str, name: &str) -> Value {
    json!({
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    })
}

pub(crate) fn config_map(namespace: &str, name: &str, value: &str) -> Value {
    json!({
        "kind": "ConfigMap", "apiVersion": "v1",
        "metadata": {"name": name, "namespace": namespace, "labels": {"value": value}},
        "data": {"value": value},
    })
}
