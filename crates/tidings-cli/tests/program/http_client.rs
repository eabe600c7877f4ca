//! A small HTTP client: one connection for each request, whole responses or streams of samples.

use std::time::Duration;

use http::{HeaderMap, Request};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Long enough for a busy machine. Only a hang takes longer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A complete response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl HttpResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Sends a GET request with these headers. The default `Host` is the address.
pub(crate) async fn get(address: &str, path: &str, headers: &[(&str, &str)]) -> HttpResponse {
    let mut request = Request::get(path);
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        request = request.header("host", address);
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(address, request.body(String::new()).expect("it is a request")).await
}

/// Sends a request and reads the complete response.
pub(crate) async fn send(address: &str, request: Request<String>) -> HttpResponse {
    let sent = format!("{} {}", request.method(), request.uri());
    let answered = async {
        let (head, mut open) = begin(address, request).await;
        let mut text = String::new();
        while let Some(part) = open.part().await {
            text += &part;
        }
        HttpResponse { status: head.status.as_u16(), headers: head.headers, text }
    };
    tokio::time::timeout(TIMEOUT, answered).await.unwrap_or_else(|_| panic!("no response to {sent}"))
}

/// A response whose body is still being read, and its connection.
pub(crate) struct OpenResponse {
    body: Incoming,
    _connection: JoinSet<()>,
}

impl OpenResponse {
    async fn part(&mut self) -> Option<String> {
        while let Some(frame) = self.body.frame().await {
            let Ok(frame) = frame else { return None };
            if let Ok(data) = frame.into_data() {
                return Some(String::from_utf8(data.to_vec()).expect("the answer is text"));
            }
        }
        None
    }
}

async fn begin(address: &str, request: Request<String>) -> (http::response::Parts, OpenResponse) {
    let socket = TcpStream::connect(address).await.expect("the server listens");
    let handshake = hyper::client::conn::http1::handshake(TokioIo::new(socket)).await;
    let (mut sender, connection) = handshake.expect("a fresh connection is ready");
    let mut tasks = JoinSet::new();
    tasks.spawn(async { drop(connection.await) });
    let answer = sender.send_request(request).await.expect("the request is answered");
    let (head, body) = answer.into_parts();
    (head, OpenResponse { body, _connection: tasks })
}

/// The stream of samples of a dashboard, as its page reads it.
pub(crate) struct Samples {
    open: OpenResponse,
    unread: String,
}

impl Samples {
    pub(crate) async fn of(address: &str) -> Samples {
        let request = Request::get("/events").header("host", address).body(String::new()).unwrap();
        let (head, open) = begin(address, request).await;
        assert_eq!(head.status, 200);
        Samples { open, unread: String::new() }
    }

    /// The next sample; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.unread.split_once("\n\n") {
                let data =
                    event.strip_prefix("data: ").map(|data| serde_json::from_str(data).expect("it is JSON"));
                self.unread = rest.to_owned();
                if data.is_some() {
                    return data;
                }
            }
            let part = tokio::time::timeout(TIMEOUT, self.open.part());
            self.unread += &part.await.expect("a sample comes in time")?;
        }
    }

    /// Reads until a sample fulfils the condition.
    pub(crate) async fn until(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let found = async {
            loop {
                let sample = self.next().await.expect("the stream goes on");
                if is_wanted(&sample) {
                    return sample;
                }
            }
        };
        tokio::time::timeout(TIMEOUT, found).await.unwrap_or_else(|_| panic!("no sample in which {what}"))
    }
}
