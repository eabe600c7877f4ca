//! The connection of one process to the API server: the point at which requests are numbered and faults injected.
//!
//! ```text
//! kube client -> Link -> API server in this process
//!   write 3   crash-before: the process dies here        (nothing is sent)
//!             conflict, throttle: answered here           (nothing is sent)
//!             -> server applies it
//!             lost: the answer becomes a connection reset
//!             timed-out: the answer becomes a timeout, half a minute later
//!             crash-after: the process dies here          (the answer is never seen)
//! ```

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use kube_client::Client;
use kube_client::client::Body as KubeBody;
use serde_json::{Value, json};
use tidings_apiserver::InProcess;
use tower::{Service as _, service_fn};

use crate::cluster::{Cluster, Created, Writer, Written};
use crate::execution_log::WriteRecord;
use crate::plan::WriteFault;
use crate::process::{Process, Upstream};
use crate::target::{Target, Verb};
use crate::watch_interceptor;

/// How late a delayed write is sent.
const DELAY: Duration = Duration::from_secs(3);

/// After how long a write without an answer times out.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How long an old leader holds its write. The new leader has done its work by then.
const HELD: Duration = Duration::from_secs(10);

/// How long a process is down after a long crash.
const DOWN: Duration = Duration::from_secs(60);

/// The body of a response.
pub(crate) type LinkBody = UnsyncBoxBody<Bytes, io::Error>;

/// The connection of one incarnation of a process.
#[derive(Clone)]
pub(crate) struct Link {
    cluster: Arc<Cluster>,
    process: Arc<Process>,
}

/// A body that is complete.
pub(crate) fn full(response: Response<Bytes>) -> Response<LinkBody> {
    response.map(|bytes| Full::new(bytes).map_err(|never| match never {}).boxed_unsync())
}

impl Link {
    pub(crate) fn new(cluster: Arc<Cluster>, process: Arc<Process>) -> Link {
        Link { cluster, process }
    }

    /// A client whose requests pass through this link.
    pub(crate) fn into_client(self) -> Client {
        Client::new(service_fn(move |request| self.clone().forward(request)), "default")
    }

    fn service(&self) -> InProcess {
        match self.process.upstream() {
            Upstream::Current => self.cluster.server.service(),
            Upstream::Lagging(server) => server.service(),
        }
    }

    /// Never returns if the process is dead.
    async fn alive(&self) {
        if self.process.is_dead() {
            std::future::pending().await
        }
    }

    async fn forward(self, request: Request<KubeBody>) -> io::Result<Response<LinkBody>> {
        self.alive().await;
        self.cluster.jitter().await;
        self.alive().await;
        self.cluster.log.lock().requests += 1;
        let (parts, body) = request.into_parts();
        let sent = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let target = Target::parse(&parts.method, &parts.uri).filter(|target| !target.is_ignored());
        let request = Request::from_parts(parts, sent);
        match target {
            None => self.pass(request).await,
            Some(target) if target.verb == Verb::Watch => self.watch(target, request).await,
            Some(target) if !target.verb.is_write() => self.read(&target, request).await,
            Some(target) => {
                let response = self.write(&target, request).await?;
                self.cluster.jitter().await;
                self.alive().await;
                Ok(full(response))
            }
        }
    }

    /// A request that is no part of the simulation, such as discovery and events.
    async fn pass(&self, request: Request<Bytes>) -> io::Result<Response<LinkBody>> {
        let response = self.service().call(request.map(Full::new)).await?;
        self.alive().await;
        Ok(response.map(|body| body.map_err(io::Error::other).boxed_unsync()))
    }

    async fn read(&self, target: &Target, request: Request<Bytes>) -> io::Result<Response<LinkBody>> {
        let response = self.service().call(request.map(Full::new)).await?;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let version = answer["metadata"]["resourceVersion"].as_str().unwrap_or("-");
        let result = match (parts.status.as_u16(), answer["items"].as_array()) {
            (200, Some(items)) => format!("{} objects at version {version}", items.len()),
            (200, None) => format!("version {version}"),
            (code, _) => code.to_string(),
        };
        self.cluster.line(&self.process.name(), format!("reads: {} -> {result}", target.text(None)));
        self.alive().await;
        Ok(full(Response::from_parts(parts, bytes)))
    }

    async fn watch(self, target: Target, request: Request<Bytes>) -> io::Result<Response<LinkBody>> {
        let is_streaming_list =
            request.uri().query().is_some_and(|query| query.contains("sendInitialEvents=true"));
        let response = self.service().call(request.map(Full::new)).await?;
        self.alive().await;
        if response.status() != StatusCode::OK {
            return Ok(response.map(|body| body.map_err(io::Error::other).boxed_unsync()));
        }
        let Link { cluster, process } = self;
        Ok(response.map(|body| {
            watch_interceptor::intercepted(cluster, process, target.resource, is_streaming_list, body)
        }))
    }

    async fn write(&self, target: &Target, request: Request<Bytes>) -> io::Result<Response<Bytes>> {
        let name = self.process.name();
        let (number, faults) = {
            let mut log = self.cluster.log.lock();
            let number = log.next_write(&name);
            let version_before = self.cluster.server.version();
            let text = target.text(None);
            let is_creation = target.verb == Verb::Create;
            let record =
                WriteRecord { text, is_change: false, is_creation, is_removable: false, version_before };
            log.writes.entry(name.clone()).or_default().push(record);
            drop(log);
            (number, self.cluster.write_fault(&name, number))
        };
        if let Some(answer) = self.before(&name, number, target, &faults).await {
            return Ok(answer);
        }
        let path = request.uri().path().to_owned();
        let writer = Writer::Process(&name, number);
        let written = self.cluster.write(writer, target, self.service(), request).await?;
        self.note(&name, number, target, &written);
        self.after(&name, number, target, &path, &faults, written).await
    }

    fn note(&self, name: &str, number: u32, target: &Target, written: &Written) {
        let mut log = self.cluster.log.lock();
        let at = number as usize - 1;
        if let Some(record) = log.writes.get_mut(name).and_then(|writes| writes.get_mut(at)) {
            record.is_change = written.is_change;
            record.text = target.text(written.object["metadata"]["name"].as_str());
            record.is_removable = is_creation(written) && target.subresource.is_none();
        }
    }

    /// The faults before a write is sent. Returns the answer if the write is not sent at all.
    async fn before(
        &self,
        name: &str,
        number: u32,
        target: &Target,
        faults: &[WriteFault],
    ) -> Option<Response<Bytes>> {
        for fault in faults {
            let text = target.text(None);
            match fault {
                WriteFault::CrashBefore => {
                    self.cluster.line(name, format!("✗ crashes before write {number}: {text}"));
                    self.process.crash();
                    self.alive().await;
                }
                WriteFault::Conflict => {
                    self.cluster.line(name, format!("write {number}: {text} -> ✗ 409 Conflict, not applied"));
                    return Some(status(409, "Conflict", "the object has been modified"));
                }
                WriteFault::Throttle => {
                    self.cluster.line(name, format!("write {number}: {text} -> ✗ 429, not applied"));
                    return Some(status(429, "TooManyRequests", "too many requests, please try again later"));
                }
                WriteFault::Delay => {
                    self.cluster.line(name, format!("✗ write {number} is delayed: {text}"));
                    self.cluster.busy_for(DELAY);
                    tokio::time::sleep(DELAY).await;
                    self.alive().await;
                }
                WriteFault::TwoLeaders => {
                    let what = "a second process starts, and this one sees no more events";
                    self.cluster.line(name, format!("✗ before write {number}: {what}"));
                    self.process.become_old_leader();
                    tokio::time::sleep(HELD).await;
                    self.alive().await;
                    self.cluster.line(name, format!("the old process continues with write {number}"));
                }
                WriteFault::StaleAll(seconds) => {
                    let time = Duration::from_secs((*seconds).into());
                    self.cluster.line(name, format!("✗ sees no event for {seconds} s from now"));
                    self.cluster.busy_for(time);
                    self.process.freeze(None, time);
                }
                WriteFault::CrashAfter
                | WriteFault::Down
                | WriteFault::Lost
                | WriteFault::TimedOut
                | WriteFault::Remove
                | WriteFault::Rewind(_) => {}
            }
        }
        None
    }

    /// The faults after a write was applied.
    async fn after(
        &self,
        name: &str,
        number: u32,
        target: &Target,
        path: &str,
        faults: &[WriteFault],
        written: Written,
    ) -> io::Result<Response<Bytes>> {
        for fault in faults {
            match fault {
                WriteFault::CrashAfter => {
                    self.cluster.line(name, format!("✗ crashes after write {number}"));
                    self.process.crash();
                    self.alive().await;
                }
                WriteFault::Down => {
                    self.cluster
                        .line(name, format!("✗ crashes after write {number}, and is down for a minute"));
                    self.process.crash_for(DOWN);
                    self.alive().await;
                }
                WriteFault::Rewind(version) => {
                    let what = format!("restarts on an API server that lags at version {version}");
                    self.cluster.line(name, format!("✗ crashes after write {number}, and {what}"));
                    self.process.crash_and_rewind(*version);
                    self.alive().await;
                }
                WriteFault::Lost => {
                    self.cluster.line(name, format!("✗ the answer to write {number} is lost"));
                    return Err(io::ErrorKind::ConnectionReset.into());
                }
                WriteFault::TimedOut => {
                    self.cluster.line(name, format!("✗ the answer to write {number} does not come"));
                    self.cluster.busy_for(TIMEOUT);
                    tokio::time::sleep(TIMEOUT).await;
                    self.alive().await;
                    self.cluster.line(name, format!("write {number} times out"));
                    return Err(io::ErrorKind::TimedOut.into());
                }
                WriteFault::Remove if is_creation(&written) => {
                    let created = Created::of(target, path, &written.object, true);
                    self.cluster.outside(Method::DELETE, &created.path, Value::Null).await;
                }
                _ => {}
            }
        }
        self.alive().await;
        Ok(written.response)
    }
}

fn is_creation(written: &Written) -> bool {
    written.is_change && written.response.status() == StatusCode::CREATED
}

/// An error response of the API server.
fn status(code: u16, reason: &str, message: &str) -> Response<Bytes> {
    let details = if code == 429 { json!({ "retryAfterSeconds": 1 }) } else { json!({}) };
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "details": details, "code": code,
    });
    let mut response = Response::new(Bytes::from(body.to_string()));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert("content-type", http::HeaderValue::from_static("application/json"));
    if code == 429 {
        headers.insert("retry-after", http::HeaderValue::from_static("1"));
    }
    response
}
