//! A server in the process that answers from a script, and, when that is spent, as a server should: with the last
//! list, and with an expired version to whoever watches without having had it.

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

use super::script::{Answer, ContentType, End, Form, Script};
use super::written;

#[derive(Clone)]
pub(crate) struct Server(Arc<Mutex<State>>);

struct State {
    script: Script,
    answers: VecDeque<Answer>,
    answered: u64,
    chunk_bytes: usize,
    /// Whether the last list has been asked for: a watch after it may hang.
    has_listed: bool,
}

/// What a client asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    List,
    /// How far the server has come.
    Probe,
    /// A page after the first.
    Page,
    Watch,
    StreamingList,
}

type Body = StreamBody<BoxStream<'static, io::Result<Frame<Bytes>>>>;

impl Server {
    pub(crate) fn new(script: &Script, chunk_bytes: usize) -> Server {
        Server(Arc::new(Mutex::new(State {
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
            let response = server.0.lock().expect("no answer panics").answer(Asked::of(request.uri()));
            async move { Ok::<_, Infallible>(response) }
        });
        Client::new(service, "default")
    }
}

impl Asked {
    fn of(uri: &Uri) -> Asked {
        let has =
            |option: &str| uri.query().unwrap_or_default().split('&').any(|own| own.starts_with(option));
        match (has("watch=true"), has("sendInitialEvents=true")) {
            (true, true) => Asked::StreamingList,
            (true, false) => Asked::Watch,
            _ if has("continue=") => Asked::Page,
            _ if uri.query().unwrap_or_default().split('&').any(|own| own == "limit=1") => Asked::Probe,
            _ => Asked::List,
        }
    }

    fn is_watch(self) -> bool {
        matches!(self, Asked::Watch | Asked::StreamingList)
    }
}

impl State {
    fn answer(&mut self, asked: Asked) -> Response<Body> {
        self.answered += 1;
        let Some(answer) = self.answers.pop_front() else { return self.last_answer(asked) };
        let wire = match answer.content_type {
            ContentType::Wire(wire) => wire,
            ContentType::Html => self.script.wire,
        };
        let body = self.body(&answer, asked, wire);
        self.response(answer.code, answer.content_type, body, answer.end)
    }

    /// Parts that are sent as they are make a whole body of their own; among others they are items and events.
    fn body(&self, answer: &Answer, asked: Asked, wire: Wire) -> Vec<u8> {
        let parts = &answer.parts;
        if answer.code != 200 || parts.iter().all(|part| part.form == Form::Raw) {
            return parts.iter().flat_map(|part| part.bytes.clone()).collect();
        }
        if asked.is_watch() {
            let events = parts.iter().map(|part| match part.form {
                Form::Raw => part.bytes.clone(),
                Form::Object(event_type) => written::event(wire, event_type, &part.bytes),
            });
            return events.flatten().collect();
        }
        let items: Vec<_> = parts.iter().map(|part| &part.bytes[..]).collect();
        written::list(wire, &(self.answered * 10).to_string(), &items)
    }

    /// What a server answers that is as it should be.
    fn last_answer(&mut self, asked: Asked) -> Response<Body> {
        let (wire, version) = (self.script.wire, self.script.last_version);
        let pods = Script::LAST
            .map(|(name, uid, image)| written::pod(wire, Script::LAST_NAMESPACE, name, uid, version, image));
        let content_type = ContentType::Wire(wire);
        match asked {
            Asked::Watch if self.has_listed => self.response(200, content_type, Vec::new(), End::Hung),
            Asked::Watch => self.response(200, content_type, written::expired(wire), End::Closed),
            Asked::Page => self.response(410, ContentType::Wire(Wire::Json), Vec::new(), End::Closed),
            Asked::StreamingList => {
                self.has_listed = true;
                let events = pods.iter().map(|pod| written::event(wire, "ADDED", pod));
                let events = events.chain([written::marker(wire, version)]).flatten().collect();
                self.response(200, content_type, events, End::Hung)
            }
            Asked::List | Asked::Probe => {
                self.has_listed |= asked == Asked::List;
                let list = written::list(wire, version, &pods.each_ref().map(|pod| &pod[..]));
                self.response(200, content_type, list, End::Closed)
            }
        }
    }

    fn response(&self, code: u16, content_type: ContentType, body: Vec<u8>, end: End) -> Response<Body> {
        let chunk_bytes = self.chunk_bytes.min(body.len()).max(1);
        let chunks: Vec<_> =
            body.chunks(chunk_bytes).map(|chunk| Ok(Frame::data(Bytes::copy_from_slice(chunk)))).collect();
        let chunks = stream::iter(chunks);
        let body = match end {
            End::Closed => chunks.boxed(),
            End::Reset => chunks.chain(stream::iter([Err(io::ErrorKind::ConnectionReset.into())])).boxed(),
            End::Hung => chunks.chain(std::future::pending().into_stream()).boxed(),
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
