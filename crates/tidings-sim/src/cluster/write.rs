//! Writes: sends them to the server, records each in the timeline, and evaluates the user's rules after each change.

use std::io;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tidings_apiserver::{InProcess, LaggingServer};
use tokio::time::Instant;
use tower::Service as _;

use super::{Cluster, USER};
use crate::panics;
use crate::rule::{Rule, Violation};
use crate::server_state::ServerState;
use crate::sim::NamedRule;
use crate::target::{Target, Verb};

/// The name of other clients in the timeline.
const OUTSIDE: &str = "another client";

/// An object that somebody created.
#[derive(Debug, Clone)]
pub(crate) struct Created {
    pub(crate) resource: String,
    pub(crate) key: String,
    pub(crate) uid: String,
    /// The URL path of the object.
    pub(crate) path: String,
    pub(crate) is_by_process: bool,
}

/// Who writes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Writer<'a> {
    Process(&'a str, u32),
    User(u32),
    Outside,
}

/// The result of a write.
pub(crate) struct Written {
    pub(crate) response: Response<Bytes>,
    pub(crate) is_change: bool,
    /// The body of the response if the write succeeded.
    pub(crate) object: Value,
}

impl Cluster {
    /// Sends a write to the server, records it, and evaluates the rules.
    pub(crate) async fn write(
        &self,
        writer: Writer<'_>,
        target: &Target,
        mut service: InProcess,
        request: Request<Bytes>,
    ) -> io::Result<Written> {
        self.prepare_followers();
        let path = request.uri().path().to_owned();
        let before = self.server.version();
        let response = service.call(request.map(Full::new)).await?;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let is_change = self.server.version() != before;
        let object: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        self.record_write(writer, target, parts.status.as_u16(), &object, is_change);
        let object = if parts.status.is_success() { object } else { Value::Null };
        if is_change {
            self.after_change(writer, target, &path, &object, parts.status.as_u16() == 201);
        }
        Ok(Written { response: Response::from_parts(parts, bytes), is_change, object })
    }

    fn record_write(&self, writer: Writer<'_>, target: &Target, code: u16, body: &Value, is_change: bool) {
        let metadata = &body["metadata"];
        let text = target.text(metadata["name"].as_str());
        let effect = match (code, metadata["resourceVersion"].as_str()) {
            (200..=299, _) if !is_change => "nothing changes".to_owned(),
            (200..=299, Some(version)) => format!("version {version}"),
            (200..=299, None) => "done".to_owned(),
            _ => format!("{code} {}", body["reason"].as_str().unwrap_or_default()),
        };
        match writer {
            Writer::Process(name, number) => self.line(name, format!("write {number}: {text} -> {effect}")),
            Writer::User(step) => self.line(USER, format!("step {step}: {text} -> {effect}")),
            Writer::Outside => self.line(OUTSIDE, format!("{text} -> {effect}")),
        }
    }

    fn after_change(
        &self,
        writer: Writer<'_>,
        target: &Target,
        path: &str,
        object: &Value,
        is_created: bool,
    ) {
        let is_by_process = matches!(writer, Writer::Process(..));
        {
            let mut log = self.log.lock();
            log.changes += 1;
            log.process_changes += u64::from(is_by_process);
        }
        {
            let mut state = self.state.lock();
            state.last_change = Instant::now();
            state.resources.insert(target.resource.clone());
            state.following.iter().for_each(LaggingServer::catch_up);
            if is_created && target.subresource.is_none() {
                let created = Created::of(target, path, object, is_by_process);
                if is_by_process {
                    state.purposes.created(&self.server, &created, object);
                }
                state.created.push(created);
            }
        }
        self.evaluate_always();
        if self.log.lock().changes > self.changes_max {
            let message = format!(
                "{} writes have changed objects, and there is no end: see the end of the timeline (Sim::changes_max allows more)",
                self.changes_max
            );
            self.violate(Violation::of(Rule::Quiet, message));
            self.over.cancel();
        }
    }

    fn evaluate_always(&self) {
        let state = ServerState::new(self.server.clone());
        let mut broken = None;
        for NamedRule { name, rule } in &mut *self.always.lock() {
            let verdict = panics::caught(|| rule(&state)).unwrap_or_else(Err);
            if let Err(message) = verdict {
                broken.get_or_insert(Violation { rule: name.clone(), message });
            }
        }
        if let Some(violation) = broken {
            self.violate(violation);
        }
    }

    /// A write of another client. Returns the object, or null if the write failed.
    pub(crate) async fn outside(&self, method: Method, path: &str, body: Value) -> Value {
        let content =
            if method == Method::PATCH { "application/merge-patch+json" } else { "application/json" };
        let bytes = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let request = Request::builder().method(method).uri(path).header("content-type", content).body(bytes);
        let Ok(request) = request else { return Value::Null };
        let Some(target) = Target::parse(request.method(), request.uri()) else { return Value::Null };
        let written = self.write(Writer::Outside, &target, self.server.service(), request).await;
        written.map(|written| written.object).unwrap_or_default()
    }
}

impl Created {
    pub(crate) fn of(target: &Target, path: &str, object: &Value, is_by_process: bool) -> Created {
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
        let name = text("name");
        let key = match text("namespace") {
            namespace if namespace.is_empty() => name.clone(),
            namespace => format!("{namespace}/{name}"),
        };
        let path = if target.verb == Verb::Create { format!("{path}/{name}") } else { path.to_owned() };
        Created { resource: target.resource.clone(), key, uid: text("uid"), path, is_by_process }
    }
}
