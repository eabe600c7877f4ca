//! What went over the wire: each request of a client, and how it was answered and ended. Only records; what is right
//! is error_text in `rules`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tidings_object::Wire;
use tokio::time::Instant;

use crate::coding;

/// Everything that one client asked, in order.
#[derive(Clone)]
pub(crate) struct Log {
    began_at: Instant,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
}

/// One request, and what became of it.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) path: String,
    pub(crate) options: BTreeMap<String, String>,
    pub(crate) asked_at: Duration,
    pub(crate) ended_at: Option<Duration>,
    pub(crate) answer: Answer,
    /// The wire by which a list or a stream came.
    pub(crate) wire: Option<Wire>,
}

/// How a request was answered.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// Not at all: the connection broke.
    Nothing,
    /// With an error.
    Refused { code: u16, is_too_large: bool, has_retry_after: bool },
    /// With a list, or a page of one.
    List { version: String, token: Option<String> },
    /// With a list that broke off.
    BrokenList,
    /// With a stream.
    Stream(Stream),
}

/// What a client was sent of a watch, in whole frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    /// Events, bookmarks among them.
    pub(crate) events: usize,
    /// The version of the last event or bookmark.
    pub(crate) last: Option<String>,
    /// The version of the last event that was not ADDED.
    pub(crate) last_but_added: Option<String>,
    /// How many events it had brought at the end of initial events, and when that came.
    pub(crate) marker: Option<(usize, Duration)>,
    /// The code of the error that ended it.
    pub(crate) error: Option<u16>,
    /// Whether that error says that the version is newer than the server's.
    pub(crate) is_too_large: bool,
    pub(crate) ending: Ending,
}

/// What ended a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing yet, or the client left.
    #[default]
    Left,
    /// The server, as a server does.
    Closed,
    /// The connection broke.
    FailedTest,
}

impl Log {
    pub(crate) fn new(began_at: Instant) -> Log {
        Log { began_at, exchanges: Arc::default() }
    }

    /// Takes down a request, and gives it a number.
    pub(crate) fn asked(&self, path: &str, query: &str) -> usize {
        let options = query.split('&').filter(|option| !option.is_empty()).map(|option| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            (name.to_owned(), unescaped(value))
        });
        let exchange = Exchange {
            path: path.to_owned(),
            options: options.collect(),
            asked_at: self.began_at.elapsed(),
            ended_at: None,
            answer: Answer::Nothing,
            wire: None,
        };
        let mut exchanges = self.exchanges.lock().expect("no thread panics while it holds the log");
        exchanges.push(exchange);
        exchanges.len() - 1
    }

    /// Takes down how a request is being answered.
    pub(crate) fn answered(&self, number: usize, answer: Answer) {
        self.exchanges.lock().expect("no thread panics while it holds the log")[number].answer = answer;
    }

    /// Takes down by which wire it is answered.
    pub(crate) fn came_by(&self, number: usize, wire: Wire) {
        self.exchanges.lock().expect("no thread panics while it holds the log")[number].wire = Some(wire);
    }

    /// Takes down that a request has ended.
    pub(crate) fn ended(&self, number: usize) {
        let now = self.began_at.elapsed();
        self.exchanges.lock().expect("no thread panics while it holds the log")[number].ended_at = Some(now);
    }

    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        self.exchanges.lock().expect("no thread panics while it holds the log").clone()
    }

    /// The time by the log's clock.
    pub(crate) fn now(&self) -> Duration {
        self.began_at.elapsed()
    }
}

impl Exchange {
    /// An option that is absent says the same as an empty one.
    pub(crate) fn option(&self, name: &str) -> &str {
        self.options.get(name).map_or("", String::as_str)
    }

    pub(crate) fn is_watch(&self) -> bool {
        matches!(self.option("watch"), "true" | "1")
    }

    pub(crate) fn lasted(&self) -> Duration {
        self.ended_at.unwrap_or(self.asked_at) - self.asked_at
    }
}

impl Stream {
    /// Takes down one whole frame.
    pub(crate) fn sent(&mut self, wire: Wire, frame: &[u8], now: Duration) {
        let Some(event) = coding::event(wire, frame) else { return };
        let (kind, object) = (event["type"].as_str().unwrap_or_default(), &event["object"]);
        if kind == "ERROR" {
            self.error = object["code"].as_u64().and_then(|code| code.try_into().ok());
            self.is_too_large = coding::is_too_large(object);
            return;
        }
        self.events += 1;
        let version = object["metadata"]["resourceVersion"].as_str().map(str::to_owned);
        if kind != "ADDED" {
            self.last_but_added.clone_from(&version);
        }
        self.last = version;
        if object["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true" {
            self.marker = Some((self.events, now));
        }
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.is_watch() { "WATCH" } else { "LIST" };
        let (asked, lasted) = (self.asked_at.as_secs_f64(), self.lasted().as_secs_f64());
        write!(f, "{asked:7.3} s {verb}")?;
        for (name, value) in self.options.iter().filter(|(name, _)| !matches!(&***name, "watch")) {
            write!(f, " {name}={value}")?;
        }
        write!(f, " -> {:?} after {lasted:.3} s", self.answer)
    }
}

/// Undoes `%2C` and `+`.
fn unescaped(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let digits = [bytes.next(), bytes.next()].into_iter().flatten().collect::<Vec<_>>();
                let digits = String::from_utf8(digits).unwrap_or_default();
                plain.extend(u8::from_str_radix(&digits, 16));
            }
            b'+' => plain.push(b' '),
            byte => plain.push(byte),
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}
