//! The client of the scenario: each write is a step, which waits until the controllers are quiet. Other clients interfere
//! between two steps, if the plan says so.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use kube_client::Client;
use kube_client::client::Body as KubeBody;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::{Service as _, service_fn};

use crate::cluster::{Cluster, Created, USER, Writer, Written};
use crate::execution_log::StepRecord;
use crate::link::{LinkBody, full};
use crate::plan::Fault;
use crate::sim::FieldOf;
use crate::sync::{AtomicUsize, Ordering};
use crate::target::{Target, Verb};

/// How many fields of one object are changed by other clients, each in an execution of its own.
const FIELDS_MAX: usize = 6;

/// How often another client looks whether a deleted object is gone, once in a second.
const GONE_ATTEMPTS_MAX: u32 = 60;

/// The connection of the scenario to the API server.
#[derive(Clone)]
pub(crate) struct UserLink {
    cluster: Arc<Cluster>,
    quiet: Duration,
    /// Fields that other clients do not change.
    immutable: Arc<[FieldOf]>,
    /// Counts the steps that were executed.
    executed: Arc<AtomicUsize>,
    /// Cancelled when the plan allows no further step.
    pub(crate) cut_off: CancellationToken,
}

impl UserLink {
    pub(crate) fn new(cluster: Arc<Cluster>, quiet: Duration, immutable: Vec<FieldOf>) -> UserLink {
        UserLink {
            cluster,
            quiet,
            immutable: immutable.into(),
            executed: Arc::default(),
            cut_off: CancellationToken::new(),
        }
    }

    /// A client whose writes are steps.
    pub(crate) fn client(&self) -> Client {
        let link = self.clone();
        Client::new(service_fn(move |request| link.clone().forward(request)), "default")
    }

    async fn forward(self, request: Request<KubeBody>) -> io::Result<Response<LinkBody>> {
        let (parts, body) = request.into_parts();
        let sent = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let request = Request::from_parts(parts, sent);
        let target = Target::parse(request.method(), request.uri());
        match target.filter(|target| target.verb.is_write()) {
            Some(target) => self.step(target, request, false).await.map(full),
            None => {
                let response = self.cluster.server.service().call(request.map(Full::new)).await?;
                Ok(response.map(|body| body.map_err(io::Error::other).boxed_unsync()))
            }
        }
    }

    /// One step: waits, writes, and lets other clients interfere.
    pub(crate) async fn step(
        &self,
        target: Target,
        request: Request<Bytes>,
        is_teardown: bool,
    ) -> io::Result<Response<Bytes>> {
        let executed = self.executed.load(Ordering::Relaxed);
        if !is_teardown && self.cluster.plan.steps.is_some_and(|steps| executed >= steps as usize) {
            self.cut_off.cancel();
            std::future::pending().await
        }
        let step = u32::try_from(executed + 1).unwrap_or(u32::MAX);
        self.executed.store(executed + 1, Ordering::Relaxed);
        let is_hurry = |fault: &Fault| matches!(fault, Fault::Hurry(at) if *at == step).then_some(());
        if self.cluster.take_faults(is_hurry).is_empty() {
            self.cluster.settle(self.quiet, false).await;
        } else {
            self.cluster.line(USER, format!("✗ does not wait before step {step}"));
        }
        let path = request.uri().path().to_owned();
        let version_before = self.cluster.server.version();
        let written =
            self.cluster.write(Writer::User(step), &target, self.cluster.server.service(), request).await?;
        let created = Created::of(&target, &path, &written.object, false);
        let is_creatable = is_creatable(&target, &written);
        self.cluster.log.lock().steps.push(StepRecord {
            version_before,
            fields: if is_creatable { self.editable(&target, &written.object) } else { Vec::new() },
            is_creatable,
            is_teardown,
        });
        self.interfere(step, &created, &written.object).await;
        Ok(written.response)
    }

    /// The fields of the object that other clients change.
    fn editable(&self, target: &Target, object: &Value) -> Vec<String> {
        let is_immutable = |pointer: &String| {
            self.immutable.iter().any(|field| field.resource == target.resource && field.pointer == *pointer)
        };
        fields(object).into_iter().filter(|pointer| !is_immutable(pointer)).take(FIELDS_MAX).collect()
    }

    /// What other clients do after this step.
    async fn interfere(&self, step: u32, created: &Created, object: &Value) {
        let edits = self.cluster.take_faults(|fault| match fault {
            Fault::Edit(at, field) if *at == step => Some((field.clone(), true)),
            Fault::Flash(at, field) if *at == step => Some((field.clone(), false)),
            _ => None,
        });
        for (field, waits) in edits {
            self.edit(created, object, &field, waits).await;
        }
        let is_here = |fault: &Fault| matches!(fault, Fault::Recreate(at) if *at == step).then_some(());
        if !self.cluster.take_faults(is_here).is_empty() {
            self.recreate(created, object).await;
        }
    }

    /// Changes a field and changes it back.
    async fn edit(&self, created: &Created, object: &Value, field: &str, waits: bool) {
        let Some(value) = object.pointer(field) else { return };
        let Some(other) = changed(value) else { return };
        if waits {
            self.cluster.settle(self.quiet, false).await;
        }
        let edited = self.cluster.outside(Method::PATCH, &created.path, merge_patch(field, other)).await;
        if edited.is_null() {
            return;
        }
        if waits {
            self.cluster.settle(self.quiet, false).await;
        }
        self.cluster.outside(Method::PATCH, &created.path, merge_patch(field, value.clone())).await;
    }

    /// Deletes the object and creates an equal one.
    async fn recreate(&self, created: &Created, object: &Value) {
        self.cluster.settle(self.quiet, false).await;
        let Some((collection, _)) = created.path.rsplit_once('/') else { return };
        self.cluster.outside(Method::DELETE, &created.path, Value::Null).await;
        for _ in 0..GONE_ATTEMPTS_MAX {
            if self.cluster.server.object(&created.resource, &created.key).is_none() {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        self.cluster.outside(Method::POST, collection, without_server_fields(object)).await;
    }
}

fn is_creatable(target: &Target, written: &Written) -> bool {
    written.is_change
        && target.subresource.is_none()
        && matches!(target.verb, Verb::Create | Verb::Update | Verb::Patch)
        && written.object["metadata"]["name"].is_string()
        && written.object["metadata"]["deletionTimestamp"].is_null()
}

/// The object as a client creates it.
fn without_server_fields(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|field, _| matches!(field.as_str(), "name" | "namespace" | "labels" | "annotations"));
    }
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    object
}

/// The fields that another client could change: numbers, bools and texts that are not inside a list.
fn fields(object: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let Some(top) = object.as_object() else { return found };
    for (name, value) in top {
        if !matches!(name.as_str(), "metadata" | "status" | "kind" | "apiVersion") {
            leaves(value, &format!("/{}", pointer_part(name)), &mut found);
        }
    }
    found
}

fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn leaves(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(value, &format!("{pointer}/{}", pointer_part(name)), found);
            }
        }
        value if changed(value).is_some() => found.push(pointer.to_owned()),
        _ => {}
    }
}

/// Another value of the same type.
fn changed(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(value) => Some(json!(!value)),
        Value::Number(number) => number.as_i64().map(|number| json!(number.saturating_add(1))),
        Value::String(text) => Some(json!(format!("{text}x"))),
        _ => None,
    }
}

/// A JSON merge patch (RFC 7386) that sets one field.
fn merge_patch(pointer: &str, value: Value) -> Value {
    pointer
        .split('/')
        .skip(1)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .fold(value, |inner, part| json!({ part.replace("~1", "/").replace("~0", "~"): inner }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_spec_are_found_and_patched() {
        let object =
            json!({ "kind": "Foo", "spec": { "a/b": 1, "c": { "d": "x", "e": [1] } }, "status": { "f": 1 } });
        assert_eq!(fields(&object), ["/spec/a~1b", "/spec/c/d"]);
        assert_eq!(merge_patch("/spec/a~1b", json!(2)), json!({ "spec": { "a/b": 2 } }));
        assert_eq!(changed(&json!("x")), Some(json!("xx")));
        assert_eq!(changed(&json!([1])), None);
    }
}
