//! A server with scripted responses, chunk by chunk, which records the requests.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use tidings_object::{Kind as _, Wire};
use tidings_source::{KubeSource, KubeSourceBuilder};

use crate::wire::body::content_type;

#[derive(Clone, Default)]
pub(crate) struct Server {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct RecordedRequest {
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
}

/// One response.
pub(crate) struct Answer {
    code: u16,
    headers: Vec<(&'static str, String)>,
    steps: Vec<Step>,
}

enum Step {
    Chunk(Bytes),
    Wait(Duration),
    Reset,
    Hang,
}

impl Answer {
    pub(crate) fn new(code: u16) -> Answer {
        Answer { code, headers: vec![("content-type", "application/json".to_owned())], steps: Vec::new() }
    }

    /// 200 with this body, in chunks of `chunk_bytes`.
    pub(crate) fn cut(body: &[u8], chunk_bytes: usize) -> Answer {
        body.chunks(chunk_bytes).fold(Answer::new(200), |answer, chunk| answer.chunk(chunk.to_vec()))
    }

    /// 200 with this body, in one chunk.
    pub(crate) fn ok(body: impl Into<Bytes>) -> Answer {
        Answer::new(200).chunk(body)
    }

    /// Sets the content type of a wire.
    pub(crate) fn on(self, wire: Wire) -> Answer {
        self.header("content-type", content_type(wire))
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Answer {
        self.headers.retain(|(own, _)| *own != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    pub(crate) fn chunk(mut self, bytes: impl Into<Bytes>) -> Answer {
        self.steps.push(Step::Chunk(bytes.into()));
        self
    }

    pub(crate) fn wait(mut self, pause: Duration) -> Answer {
        self.steps.push(Step::Wait(pause));
        self
    }

    pub(crate) fn reset(mut self) -> Answer {
        self.steps.push(Step::Reset);
        self
    }

    pub(crate) fn hang(mut self) -> Answer {
        self.steps.push(Step::Hang);
        self
    }
}

impl Server {
    /// A server with these responses, one per request.
    pub(crate) fn answering(answers: impl IntoIterator<Item = Answer>) -> Server {
        let server = Server::default();
        server.answers.lock().unwrap().extend(answers);
        server
    }

    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<kube_client::client::Body>| {
            let request_record =
                RecordedRequest { uri: request.uri().to_string(), headers: request.headers().clone() };
            server.requests.lock().unwrap().push(request_record);
            let answer = server.answers.lock().unwrap().pop_front().expect("an answer for this request");
            async move { Ok::<_, Infallible>(answer.into_response()) }
        });
        Client::new(service, "default")
    }

    /// A source of all pods.
    pub(crate) fn pods(&self) -> KubeSource {
        self.builder().build().unwrap()
    }

    pub(crate) fn builder(&self) -> KubeSourceBuilder {
        KubeSource::builder(self.client(), Pod::resource())
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Answer {
    fn into_response(
        self,
    ) -> Response<StreamBody<impl futures_util::Stream<Item = io::Result<Frame<Bytes>>> + Send>> {
        let frames = stream::iter(self.steps).filter_map(|step| async move {
            match step {
                Step::Chunk(bytes) => Some(Ok(Frame::data(bytes))),
                Step::Wait(pause) => {
                    tokio::time::sleep(pause).await;
                    None
                }
                Step::Reset => Some(Err(io::Error::from(io::ErrorKind::ConnectionReset))),
                Step::Hang => std::future::pending().await,
            }
        });
        let mut response = Response::builder().status(self.code);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        response.body(StreamBody::new(frames)).unwrap()
    }
}
