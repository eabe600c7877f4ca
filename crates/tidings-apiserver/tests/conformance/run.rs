//! Sends the requests of a scenario and collects the responses.

use std::collections::HashMap;
use std::time::Duration;

use bytes::BytesMut;
use http::{HeaderMap, Request, Response, header};
use http_body_util::BodyExt;
use kube_client::client::Body;
use serde_json::{Value, json};

use crate::answer::{Answer, AnswerBody};
use crate::normalize;
use crate::scenario::{Area, Scenario, ScenarioStep, Substitutions};
use crate::target::{ServerSession, Target};

/// The longest time of one step.
const STEP_MAX: Duration = Duration::from_secs(60);

/// The pause between two requests of a step with `until`.
const PAUSE: Duration = Duration::from_millis(50);

/// The normalized responses to the requests of a scenario.
pub(crate) fn answers(area: &Area, scenario: &Scenario, target: &Target) -> Vec<Value> {
    target.runtime().block_on(async {
        let session = target.open(area).await;
        let namespace = session.namespace.clone();
        let mut run =
            ScenarioRun { texts: Substitutions::new(area, &namespace), session, watches: HashMap::new() };
        let mut answers = vec![run.make_namespace().await];
        for step in &scenario.steps {
            let answer = tokio::time::timeout(STEP_MAX, run.step(step)).await;
            let answer = answer.unwrap_or_else(|_| panic!("no answer in {STEP_MAX:?}: {}", step.request));
            answers.extend(answer);
        }
        normalize::normalize(answers, &namespace)
    })
}

struct ScenarioRun {
    session: ServerSession,
    texts: Substitutions,
    watches: HashMap<String, OpenWatch>,
}

impl ScenarioRun {
    async fn make_namespace(&mut self) -> Answer {
        let body =
            json!({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": self.session.namespace}});
        let step = json!({"do": "POST /api/v1/namespaces", "body": body});
        self.step(&serde_json::from_value(step).unwrap()).await.expect("creating a namespace has a response")
    }

    async fn step(&mut self, step: &ScenarioStep) -> Option<Answer> {
        if step.request == "COMPACT" {
            self.session.compact().await;
            return None;
        }
        if let Some(name) = step.request.strip_prefix("READ ") {
            let events = self.watches.get_mut(name).expect("a watch is opened before it is read");
            let read = events.read(step.events).await;
            return Some(Answer::of_events(step, read));
        }
        let answer = loop {
            let response = self.send(step).await;
            if step.until.is_none_or(|code| response.status() == code) {
                break self.read(step, response).await;
            }
            tokio::time::sleep(PAUSE).await;
        };
        for (name, pointer) in &step.save {
            let saved = answer.body.pointer(pointer);
            let text =
                saved.unwrap_or_else(|| panic!("no {pointer} in the answer to {}: {answer:?}", step.request));
            self.texts.save(name, text);
        }
        Some(answer)
    }

    async fn send(&self, step: &ScenarioStep) -> Response<Body> {
        let request = self.texts.fill(&step.request);
        let (method, path) = request.split_once(' ').expect("a request is a method and a path");
        let body = match (&step.body, &step.text) {
            (Some(body), _) => self.texts.fill(&body.to_string()),
            (None, Some(text)) => self.texts.fill(text),
            (None, None) => String::new(),
        };
        let mut request =
            Request::builder().method(method).uri(path).header(header::USER_AGENT, "conformance/1");
        request = request.header(header::ACCEPT, step.accept.as_deref().unwrap_or("application/json"));
        match step.content_type.as_deref() {
            Some("") => {}
            Some(content_type) => request = request.header(header::CONTENT_TYPE, content_type),
            None if body.is_empty() => {}
            None => request = request.header(header::CONTENT_TYPE, "application/json"),
        }
        let request = request.body(Body::from(body.into_bytes()));
        let request = request.unwrap_or_else(|error| panic!("{}: {error}", step.request));
        self.session.client.send(request).await.unwrap_or_else(|error| panic!("{}: {error}", step.request))
    }

    async fn read(&mut self, step: &ScenarioStep, response: Response<Body>) -> Answer {
        let (parts, body) = response.into_parts();
        let is_stream =
            (step.request.contains("watch=") || step.request.contains("/watch/")) && parts.status == 200;
        let body = if is_stream {
            let mut events = OpenWatch { body, read: BytesMut::new() };
            match &step.open {
                Some(name) => {
                    self.watches.insert(name.clone(), events);
                    AnswerBody::Nothing
                }
                None => AnswerBody::Events(events.read(step.events).await),
            }
        } else {
            let bytes = body.collect().await.unwrap().to_bytes();
            match serde_json::from_slice(&bytes) {
                Ok(json) => AnswerBody::Json(json),
                Err(_) if bytes.is_empty() => AnswerBody::Nothing,
                Err(_) => AnswerBody::Text,
            }
        };
        Answer {
            request: step.request.clone(),
            code: parts.status.as_u16(),
            content_type: header_text(&parts.headers, header::CONTENT_TYPE).unwrap_or_default(),
            retry_after: header_text(&parts.headers, header::RETRY_AFTER),
            warnings: parts.headers.get_all(header::WARNING).iter().count(),
            body,
            only: step.only.clone(),
        }
    }
}

fn header_text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

impl Answer {
    fn of_events(step: &ScenarioStep, events: Vec<Value>) -> Self {
        Self {
            request: step.request.clone(),
            code: 200,
            content_type: String::new(),
            retry_after: None,
            warnings: 0,
            body: AnswerBody::Events(events),
            only: Vec::new(),
        }
    }
}

impl AnswerBody {
    fn pointer(&self, pointer: &str) -> Option<String> {
        let found = match self {
            Self::Json(body) => body.pointer(pointer).cloned(),
            Self::Events(events) => json!(events).pointer(pointer).cloned(),
            Self::Nothing | Self::Text => None,
        };
        match found? {
            Value::String(text) => Some(text),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }
}

/// An open watch.
struct OpenWatch {
    body: Body,
    read: BytesMut,
}

impl OpenWatch {
    /// The next `count` events, or all until the end.
    async fn read(&mut self, count: Option<usize>) -> Vec<Value> {
        let mut events = Vec::new();
        while count.is_none_or(|count| events.len() < count) {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line = self.read.split_to(end + 1);
                events.push(serde_json::from_slice(&line).unwrap_or_else(|_| json!("<not json>")));
                continue;
            }
            match self.body.frame().await {
                None => break,
                Some(Err(_)) => {
                    events.push(json!("<broken off>"));
                    break;
                }
                Some(Ok(frame)) => self.read.extend_from_slice(&frame.into_data().unwrap_or_default()),
            }
        }
        events
    }
}
