//! Responds to one request: with the server's response, as far as the faults allow, or with a fault.

use std::io;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use kube_client::client::Body;
use serde_json::{Value, json};
use tidings_object::Wire;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::FaultProxy;
use super::request::Incoming;
use crate::coding;
use crate::fault_plan::{Reply, StreamEnd, StreamFault};
use crate::wire::{Answer, Ending, Log, Stream};

impl FaultProxy {
    /// Responds to one request. An error means that the connection must not be used again.
    pub(super) async fn answer(
        &self,
        number: usize,
        incoming: &Incoming,
        socket: &mut TcpStream,
    ) -> io::Result<()> {
        let mut list_bytes_max = usize::MAX;
        match self.state_of_faults.next_reply() {
            Reply::Pass => {}
            Reply::Delay(delay) => sleep(delay).await,
            Reply::CutList(bytes) => list_bytes_max = bytes,
            Reply::Drop(after) => {
                sleep(after).await;
                return broken(socket).await;
            }
            Reply::Status { code, retry_after_seconds } => {
                let answer = Refusal { code, retry_after_seconds, is_too_large: false };
                self.log.record_response(number, answer.recorded());
                return answer.write(coding::wire_of(incoming.accept()), socket).await;
            }
            Reply::TooLarge => {
                let answer = Refusal { code: 504, retry_after_seconds: None, is_too_large: true };
                self.log.record_response(number, answer.recorded());
                return answer.write(coding::wire_of(incoming.accept()), socket).await;
            }
        }
        let request = Request::get(incoming.target()).header("accept", incoming.accept());
        let request = request.body(Body::empty()).expect("what a client asked can be asked");
        let response = self.server.send(request).await.map_err(io::Error::other)?;
        let is_stream = incoming.query().split('&').any(|option| matches!(option, "watch=true" | "watch=1"));
        if is_stream && response.status().is_success() {
            self.relay(number, response, socket).await
        } else {
            self.pass_on(number, response, list_bytes_max, socket).await
        }
    }

    /// Forwards a whole response, or its beginning.
    async fn pass_on(
        &self,
        number: usize,
        response: Response<Body>,
        bytes_max: usize,
        socket: &mut TcpStream,
    ) -> io::Result<()> {
        let code = response.status().as_u16();
        let retry_after = response.headers().get("retry-after").cloned();
        let wire = wire_of(&response);
        let body = response.into_body().collect().await.map_err(io::Error::other)?.to_bytes();
        let is_whole = bytes_max >= body.len();
        self.log.record_response(number, recorded(wire, code, retry_after.is_some(), &body, is_whole));
        if code < 300 {
            self.log.record_wire(number, wire);
        }
        let retry_after = retry_after.as_ref().and_then(|seconds| seconds.to_str().ok());
        socket.write_all(head(wire, code, body.len(), retry_after).as_bytes()).await?;
        socket.write_all(&body[..bytes_max.min(body.len())]).await?;
        if is_whole { Ok(()) } else { broken(socket).await }
    }

    /// Forwards a stream until it ends or a fault ends it.
    async fn relay(&self, number: usize, response: Response<Body>, socket: &mut TcpStream) -> io::Result<()> {
        let mut faults = self.state_of_faults.subscribe();
        let wire = wire_of(&response);
        self.log.record_wire(number, wire);
        let mut body = response.into_body();
        let (mut from_client, to_client) = socket.split();
        let (stream, partial, since_armed) = (Stream::default(), Vec::new(), 0);
        let mut out = ClientStream { to_client, log: &self.log, wire, stream, partial, since_armed };
        self.log.record_response(number, Answer::Stream(Stream::default()));
        out.to_client.write_all(stream_head(wire).as_bytes()).await?;
        let mut pending = Bytes::new();
        loop {
            let (is_refusing, fault) = {
                let faults = faults.borrow_and_update();
                (faults.is_refusing(), faults.stream_fault())
            };
            if fault.is_none() {
                out.since_armed = 0;
            }
            let sent = out.send(&mut pending, fault).await;
            self.log.record_response(number, Answer::Stream(out.stream.clone()));
            sent?;
            if is_refusing {
                return self.end(number, out, StreamEnd::Cut).await;
            }
            if let Some(fault) = fault.filter(|fault| out.is_due(*fault)) {
                self.state_of_faults.spend_stream();
                return self.end(number, out, fault.end).await;
            }
            if !pending.is_empty() {
                continue;
            }
            let mut from_nowhere = [0; 64];
            tokio::select! {
                frame = body.frame() => match frame {
                    Some(Ok(frame)) => pending = frame.into_data().unwrap_or_default(),
                    Some(Err(_)) => return self.end(number, out, StreamEnd::Cut).await,
                    None => return self.end(number, out, StreamEnd::Close).await,
                },
                // A client sends nothing during a stream, so it has closed the connection.
                _ = from_client.read(&mut from_nowhere) => return Err(io::ErrorKind::ConnectionAborted.into()),
                _ = faults.changed() => {}
            }
        }
    }

    async fn end(&self, number: usize, mut out: ClientStream<'_>, end: StreamEnd) -> io::Result<()> {
        out.stream.ending = match end {
            StreamEnd::Cut | StreamEnd::HangThenCut(_) => Ending::Broken,
            StreamEnd::Close | StreamEnd::CloseAtMarker | StreamEnd::Error(_) => Ending::Closed,
        };
        match end {
            StreamEnd::HangThenCut(silence) => sleep(silence).await,
            StreamEnd::Error(code) => {
                let mut frame = Bytes::from(coding::error_frame(out.wire, &status(code)));
                out.send(&mut frame, None).await?;
            }
            StreamEnd::Cut | StreamEnd::Close | StreamEnd::CloseAtMarker => {}
        }
        self.log.record_response(number, Answer::Stream(out.stream));
        if matches!(end, StreamEnd::Cut | StreamEnd::HangThenCut(_)) {
            out.to_client.shutdown().await?;
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        out.to_client.write_all(b"0\r\n\r\n").await
    }
}

/// The wire of the server's response.
fn wire_of(response: &Response<Body>) -> Wire {
    let content_type = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    coding::wire_of(content_type.unwrap_or_default())
}

fn stream_head(wire: Wire) -> String {
    let content_type = coding::stream_content_type(wire);
    format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n")
}

/// A stream to the client.
struct ClientStream<'a> {
    to_client: tokio::net::tcp::WriteHalf<'a>,
    log: &'a Log,
    wire: Wire,
    stream: Stream,
    /// The part of the current frame that was sent.
    partial: Vec<u8>,
    /// The number of bytes sent since a fault was armed.
    since_armed: usize,
}

impl ClientStream<'_> {
    /// Sends what may be sent before the fault happens.
    async fn send(&mut self, pending: &mut Bytes, fault: Option<StreamFault>) -> io::Result<()> {
        let allowed = fault.map_or(pending.len(), |fault| self.allowed(pending, fault));
        let chunk = pending.split_to(allowed);
        if chunk.is_empty() {
            return Ok(());
        }
        self.to_client.write_all(format!("{:x}\r\n", chunk.len()).as_bytes()).await?;
        self.to_client.write_all(&chunk).await?;
        self.to_client.write_all(b"\r\n").await?;
        self.since_armed += chunk.len();
        for byte in chunk {
            self.partial.push(byte);
            if coding::is_whole_frame(self.wire, &self.partial) {
                self.stream.sent(self.wire, &self.partial, self.log.now());
                self.partial.clear();
            }
        }
        Ok(())
    }

    fn allowed(&self, pending: &[u8], fault: StreamFault) -> usize {
        let left = fault.after_bytes.saturating_sub(self.since_armed).min(pending.len());
        let frame_end = |from: usize| coding::frame_end(self.wire, &self.partial, pending, from);
        match fault.end {
            StreamEnd::Cut | StreamEnd::HangThenCut(_) => left,
            StreamEnd::CloseAtMarker if self.stream.marker.is_none() => frame_end(0),
            _ if left == 0 && self.partial.is_empty() => 0,
            _ => frame_end(left),
        }
    }

    fn is_due(&self, fault: StreamFault) -> bool {
        let (is_whole, has_marker) = (self.partial.is_empty(), self.stream.marker.is_some());
        match fault.end {
            StreamEnd::Cut | StreamEnd::HangThenCut(_) => self.since_armed >= fault.after_bytes,
            StreamEnd::CloseAtMarker => has_marker && is_whole,
            StreamEnd::Close | StreamEnd::Error(_) => self.since_armed >= fault.after_bytes && is_whole,
        }
    }
}

/// An error in place of the server's response.
struct Refusal {
    code: u16,
    retry_after_seconds: Option<u32>,
    is_too_large: bool,
}

impl Refusal {
    fn recorded(&self) -> Answer {
        Answer::Refused {
            code: self.code,
            is_too_large: self.is_too_large,
            has_retry_after: self.retry_after_seconds.is_some(),
        }
    }

    async fn write(&self, wire: Wire, socket: &mut TcpStream) -> io::Result<()> {
        let mut status = status(self.code);
        if self.is_too_large {
            let cause =
                json!({ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" });
            status["details"] = json!({ "causes": [cause], "retryAfterSeconds": 1 });
        }
        let body = coding::status(wire, &status);
        let retry_after = self.retry_after_seconds.map(|seconds| seconds.to_string());
        let head = head(wire, self.code, body.len(), retry_after.as_deref());
        socket.write_all(&[head.as_bytes(), &body].concat()).await
    }
}

fn status(code: u16) -> Value {
    let reason = match code {
        410 => "Expired",
        429 => "TooManyRequests",
        500 => "InternalError",
        504 => "Timeout",
        _ => "ServiceUnavailable",
    };
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code, "reason": reason,
        "message": format!("a fault on purpose: {code}"),
    })
}

fn head(wire: Wire, code: u16, length: usize, retry_after: Option<&str>) -> String {
    let content_type = coding::content_type(wire);
    let retry_after = retry_after.map_or(String::new(), |seconds| format!("retry-after: {seconds}\r\n"));
    format!(
        "HTTP/1.1 {code} Said\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n{retry_after}\r\n"
    )
}

fn recorded(wire: Wire, code: u16, has_retry_after: bool, body: &[u8], is_whole: bool) -> Answer {
    let body = coding::object(wire, body).unwrap_or_default();
    if code >= 300 {
        return Answer::Refused { code, is_too_large: coding::is_too_large(&body), has_retry_after };
    }
    if !is_whole {
        return Answer::BrokenList;
    }
    let text = |name: &str| body["metadata"][name].as_str().unwrap_or_default().to_owned();
    let token = Some(text("continue")).filter(|token| !token.is_empty());
    Answer::List { version: text("resourceVersion"), token }
}

async fn broken(socket: &mut TcpStream) -> io::Result<()> {
    socket.shutdown().await?;
    Err(io::ErrorKind::ConnectionAborted.into())
}
