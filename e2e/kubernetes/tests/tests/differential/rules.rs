//! Which requests a client may send next, given its previous requests and their results: the statements R and P of the
//! contract. `after` has the rules for each kind of request. This file follows a client along its log.

mod after;
mod before;
mod client_request;

use std::time::Duration;

use crate::differences::Difference;
use crate::script::Lists;
use crate::wire::{Exchange, Log};
use after::Reflector;
use before::Before;
use client_request::ClientRequest;

/// The client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    ClientGo,
    Ours,
}

/// What both clients watch.
pub(crate) struct Watched {
    pub(crate) path: String,
    pub(crate) selector: String,
    pub(crate) lists: Lists,
}

/// A period in which connections were refused, by the clock of the logs.
pub(crate) type Refusing = (Duration, Duration);

/// A request that may follow.
struct Allowed {
    ask: ClientRequest,
    /// The statement that allows it.
    by: AllowedBy,
    /// How long the client must wait.
    wait: MinimumWait,
}

#[derive(Clone, Copy)]
enum AllowedBy {
    Rule,
    Difference(Difference),
}

/// The minimum time after the previous request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MinimumWait {
    AtOnce,
    /// One step of the backoff.
    BackOff,
    /// As long as the server requested.
    RetryAfter,
}

/// How much too early a request may be, because the two clocks do not start at the same moment.
const TOLERANCE: Duration = Duration::from_millis(60);

/// X39: after this time, a streaming list is compared with the server's version.
const STREAMING_LIST_MAY_STALL: Duration = Duration::from_secs(10);

impl Client {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Client::ClientGo => "client-go",
            Client::Ours => "ours",
        }
    }
}

/// Follows a client along its log. Returns the requests that no rule allows, and the differences that occurred.
pub(crate) fn broken_rules(
    client: Client,
    watched: &Watched,
    log: &Log,
    refusing: &[Refusing],
) -> (Vec<String>, Vec<Difference>) {
    let exchanges = log.exchanges();
    let (mut broken, mut differences) = (Vec::new(), Vec::new());
    let mut reflector = Reflector::new(client, watched.lists);
    let mut allowed = vec![reflector.first()];
    let mut last: Option<&Exchange> = None;
    for (number, exchange) in exchanges.iter().enumerate() {
        let ask = match ClientRequest::of(exchange, watched) {
            Ok((ask, said_twice)) => {
                differences.extend(said_twice);
                ask
            }
            Err(reason) => {
                broken.push(format!("request {number} {reason}"));
                return (broken, differences);
            }
        };
        if client == Client::Ours
            && ask == ClientRequest::Probe
            && last.is_some_and(|last| is_probe_during(last, exchange))
        {
            differences.push(Difference::ProbesDuringAStreamingList);
            continue;
        }
        let was_refused = last.is_some_and(|last| was_refused(refusing, last, exchange));
        if was_refused {
            let more = reflector.after_refused_connections(&allowed);
            allowed.extend(more);
        }
        allowed.extend(reflector.with_pages(&allowed));
        match choose(client, &allowed, &ask, last, exchange) {
            Ok(difference) => differences.extend(difference),
            Err(reason) => broken.push(format!("request {number} {reason}")),
        }
        let before = match last {
            None => Before::Nothing,
            Some(last) if was_refused => Before::Refused(last),
            Some(last) => Before::Exchange(last),
        };
        allowed = reflector.after(&ask, exchange, before);
        last = Some(exchange);
    }
    (broken, differences)
}

/// The rule or the difference that allows the request.
fn choose(
    client: Client,
    allowed: &[Allowed],
    ask: &ClientRequest,
    last: Option<&Exchange>,
    exchange: &Exchange,
) -> Result<Option<Difference>, String> {
    let waited = last.map_or(Duration::MAX, |last| exchange.asked_at.saturating_sub(ended_at(last)));
    let of_this_client = |allowed: &&Allowed| match allowed.by {
        AllowedBy::Rule => true,
        AllowedBy::Difference(difference) => difference.client() == client,
    };
    let fitting: Vec<_> =
        allowed.iter().filter(of_this_client).filter(|allowed| allowed.ask == *ask).collect();
    if fitting.is_empty() {
        let list: Vec<_> = allowed.iter().filter(of_this_client).map(|allowed| &allowed.ask).collect();
        return Err(format!("is {ask:?}, where one of {list:?} is right"));
    }
    let in_time =
        fitting.iter().filter(|allowed| waited.saturating_add(TOLERANCE) >= allowed.wait.at_least());
    let rule_first = in_time.min_by_key(|allowed| matches!(allowed.by, AllowedBy::Difference(_)));
    match rule_first {
        None => Err(format!("is {ask:?} after {waited:?}: too early")),
        Some(Allowed { by: AllowedBy::Rule, .. }) => Ok(None),
        Some(Allowed { by: AllowedBy::Difference(difference), .. }) => Ok(Some(*difference)),
    }
}

impl MinimumWait {
    fn at_least(self) -> Duration {
        match self {
            MinimumWait::AtOnce => Duration::ZERO,
            MinimumWait::BackOff => Duration::from_millis(800),
            MinimumWait::RetryAfter => Duration::from_secs(1),
        }
    }
}

fn ended_at(exchange: &Exchange) -> Duration {
    exchange.ended_at.unwrap_or(exchange.asked_at)
}

/// Whether a probe was sent while a streaming list had been open long enough to be stalled.
fn is_probe_during(list: &Exchange, probe: &Exchange) -> bool {
    let is_open = list.ended_at.is_none_or(|ended| probe.asked_at <= ended);
    let is_streaming_list = list.is_watch() && list.option("sendInitialEvents") == "true";
    is_streaming_list && is_open && probe.asked_at + TOLERANCE >= list.asked_at + STREAMING_LIST_MAY_STALL
}

/// Whether a request between these two may have been refused by the proxy.
fn was_refused(refusing: &[Refusing], last: &Exchange, next: &Exchange) -> bool {
    let from = ended_at(last).saturating_sub(TOLERANCE);
    refusing.iter().any(|(began, ended)| *began <= next.asked_at && *ended >= from)
}
