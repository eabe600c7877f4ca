//! An in-process server that answers from a script. When the script is used up, it answers as a correct server: with
//! the last list, and with 410 (Expired) to a watch before that list.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _};
use http::{Request, Response, Uri};
use http_body::Frame;
use http_body_util::StreamBody;
use kube_client::Client;
use tidings_object::Wire;

use super::encoded;
use super::script::{Answer, AnswerEnd, ContentType, Form, Script};

#[derive(Clone)]
pub(crate) struct Server(Arc<Mutex<ServerState>>);

struct ServerState {
    script: Script,
    answers: VecDeque<Answer>,
    answered: u64,
    chunk_bytes: usize,
    /// Whether the last list was requested. A watch after it may hang.
    has_listed: bool,
}

/// The kinds of requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestKind {
    List,
    /// A list of one object: the server's version.
    Probe,
    /// A page after the first.
    Page,
    Watch,
    StreamingList,
}

type Body = StreamBody<BoxStream<'static, io::Result<Frame<Bytes>>>>;

impl Server {
    pub(crate) fn new(script: &Script, chunk_bytes: usize) -> Server {
        Server(Arc::new(Mutex::new(ServerState {
            answers: script.answers.clone().into(),
            script: script.clone(),
            answered: 0,
            chunk_bytes,
            has_listed: false,
        })))
    }

    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<kube_client::client::Body>| {
            let response = server
                .0
                .lock()
                .expect("no panic while the lock is held")
                .answer(RequestKind::of(request.uri()));
            async move { Ok::<_, Infallible>(response) }
        });
        Client::new(service, "default")
    }
}

impl RequestKind {
    fn of(uri: &Uri) -> RequestKind {
        let has =
            |option: &str| uri.query().unwrap_or_default().split('&').any(|pair| pair.starts_with(option));
        match (has("watch=true"), has("sendInitialEvents=true")) {
            (true, true) => RequestKind::StreamingList,
            (true, false) => RequestKind::Watch,
            _ if has("continue=") => RequestKind::Page,
            _ if uri.query().unwrap_or_default().split('&').any(|pair| pair == "limit=1") => {
                RequestKind::Probe
            }
            _ => RequestKind::List,
        }
    }

    fn is_watch(self) -> bool {
        matches!(self, RequestKind::Watch | RequestKind::StreamingList)
    }
}

impl ServerState {
    fn answer(&mut self, kind: RequestKind) -> Response<Body> {
        self.answered += 1;
        let Some(answer) = self.answers.pop_front() else { return self.last_answer(kind) };
        let wire = match answer.content_type {
            ContentType::Wire(wire) => wire,
            ContentType::Html => self.script.wire,
        };
        let body = self.body(&answer, kind, wire);
        self.response(answer.code, answer.content_type, body, answer.end)
    }

    /// The body of an answer. If all its parts are raw, they are the body; otherwise they are items or events.
    fn body(&self, answer: &Answer, kind: RequestKind, wire: Wire) -> Vec<u8> {
        let parts = &answer.parts;
        if answer.code != 200 || parts.iter().all(|part| part.form == Form::Raw) {
            return parts.iter().flat_map(|part| part.bytes.clone()).collect();
        }
        if kind.is_watch() {
            let events = parts.iter().map(|part| match part.form {
                Form::Raw => part.bytes.clone(),
                Form::Object(event_type) => encoded::event(wire, event_type, &part.bytes),
            });
            return events.flatten().collect();
        }
        let items: Vec<_> = parts.iter().map(|part| &part.bytes[..]).collect();
        encoded::list(wire, &(self.answered * 10).to_string(), &items)
    }

    /// The answer of a correct server.
    fn last_answer(&mut self, kind: RequestKind) -> Response<Body> {
        let (wire, version) = (self.script.wire, self.script.last_version);
        let pods = Script::LAST
            .map(|(name, uid, image)| encoded::pod(wire, Script::LAST_NAMESPACE, name, uid, version, image));
        let content_type = ContentType::Wire(wire);
        match kind {
            RequestKind::Watch if self.has_listed => {
                self.response(200, content_type, Vec::new(), AnswerEnd::Hung)
            }
            RequestKind::Watch => self.response(200, content_type, encoded::expired(wire), AnswerEnd::Closed),
            RequestKind::Page => {
                self.response(410, ContentType::Wire(Wire::Json), Vec::new(), AnswerEnd::Closed)
            }
            RequestKind::StreamingList => {
                self.has_listed = true;
                let events = pods.iter().map(|pod| encoded::event(wire, "ADDED", pod));
                let events = events.chain([encoded::marker(wire, version)]).flatten().collect();
                self.response(200, content_type, events, AnswerEnd::Hung)
            }
            RequestKind::List | RequestKind::Probe => {
                self.has_listed |= kind == RequestKind::List;
                let list = encoded::list(wire, version, &pods.each_ref().map(|pod| &pod[..]));
                self.response(200, content_type, list, AnswerEnd::Closed)
            }
        }
    }

    fn response(
        &self,
        code: u16,
        content_type: ContentType,
        body: Vec<u8>,
        end: AnswerEnd,
    ) -> Response<Body> {
        let chunk_bytes = self.chunk_bytes.min(body.len()).max(1);
        let chunks: Vec<_> =
            body.chunks(chunk_bytes).map(|chunk| Ok(Frame::data(Bytes::copy_from_slice(chunk)))).collect();
        let chunks = stream::iter(chunks);
        let body = match end {
            AnswerEnd::Closed => chunks.boxed(),
            AnswerEnd::Reset => {
                chunks.chain(stream::iter([Err(io::ErrorKind::ConnectionReset.into())])).boxed()
            }
            AnswerEnd::Hung => chunks.chain(std::future::pending().into_stream()).boxed(),
        };
        let content_type = match content_type {
            ContentType::Wire(Wire::Json) => "application/json",
            ContentType::Wire(Wire::Protobuf) => "application/vnd.kubernetes.protobuf",
            ContentType::Html => "text/html",
        };
        let response = Response::builder().status(code).header("content-type", content_type);
        response.body(StreamBody::new(body)).expect("a well-formed response")
    }
}
