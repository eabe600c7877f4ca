//! A log of the requests of a client and their responses. It only records; `rules` decides what is right.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tidings_object::Wire;
use tokio::time::Instant;

use crate::coding;

/// All requests of one client, in order.
#[derive(Clone)]
pub(crate) struct Log {
    began_at: Instant,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
}

/// One request and its response.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) path: String,
    pub(crate) options: BTreeMap<String, String>,
    pub(crate) asked_at: Duration,
    pub(crate) ended_at: Option<Duration>,
    pub(crate) answer: Answer,
    /// The wire of the response.
    pub(crate) wire: Option<Wire>,
}

/// The response to a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// None: the connection broke.
    Nothing,
    /// An error.
    Refused { code: u16, is_too_large: bool, has_retry_after: bool },
    /// A list, or a page of one.
    List { version: String, token: Option<String> },
    /// A truncated list.
    BrokenList,
    /// A stream.
    Stream(Stream),
}

/// What a client received of a watch, in whole frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    /// The number of events, including bookmarks.
    pub(crate) events: usize,
    /// The version of the last event or bookmark.
    pub(crate) last: Option<String>,
    /// The version of the last event that was not ADDED.
    pub(crate) last_but_added: Option<String>,
    /// The number of events at the end of the initial events, and its time.
    pub(crate) marker: Option<(usize, Duration)>,
    /// The code of the error that ended it.
    pub(crate) error: Option<u16>,
    /// Whether that error says that the version is newer than the server's.
    pub(crate) is_too_large: bool,
    pub(crate) ending: Ending,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is still open, or the client closed it.
    #[default]
    Open,
    /// The server, regularly.
    Closed,
    /// The connection broke.
    Broken,
}

impl Log {
    pub(crate) fn new(began_at: Instant) -> Log {
        Log { began_at, exchanges: Arc::default() }
    }

    /// Records a request and returns its number.
    pub(crate) fn record_request(&self, path: &str, query: &str) -> usize {
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

    /// Records the response to a request.
    pub(crate) fn record_response(&self, number: usize, answer: Answer) {
        self.exchanges.lock().expect("no thread panics while it holds the log")[number].answer = answer;
    }

    /// Records the wire of the response.
    pub(crate) fn record_wire(&self, number: usize, wire: Wire) {
        self.exchanges.lock().expect("no thread panics while it holds the log")[number].wire = Some(wire);
    }

    /// Records the end of a request.
    pub(crate) fn ended(&self, number: usize) {
        let now = self.began_at.elapsed();
        self.exchanges.lock().expect("no thread panics while it holds the log")[number].ended_at = Some(now);
    }

    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        self.exchanges.lock().expect("no thread panics while it holds the log").clone()
    }

    /// The time by the clock of the log.
    pub(crate) fn now(&self) -> Duration {
        self.began_at.elapsed()
    }
}

impl Exchange {
    /// An absent option equals an empty one.
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
    /// Records one whole frame.
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

/// Decodes `%2C` and `+`.
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
