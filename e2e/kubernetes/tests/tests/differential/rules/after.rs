//! The rules: what may follow each request, depending on its result. It models a reflector from what it received.

use std::mem;
use std::time::Duration;

use super::before::Before;
use super::client_request::ClientRequest;
use super::{Allowed, AllowedBy, Client, MinimumWait};
use crate::differences::Difference;
use crate::script::Lists;
use crate::wire::{Answer, Ending, Exchange, Stream};

/// The model of a reflector.
pub(super) struct Reflector {
    client: Client,
    lists: Lists,
    /// The version up to which it has everything.
    last: Option<String>,
    /// Whether the server does not have its version (R21, R57). Then it requests the most recent state, until a list
    /// succeeds.
    is_unavailable: bool,
    /// Whether a list at version 0 came in pages (R20).
    comes_in_pages: Certainty,
    /// Whether streaming lists were refused (X7).
    is_streaming_refused: bool,
    /// The first page of the current list: its options, and the version of the response.
    first_page: Option<(String, Option<u32>)>,
    listed: Option<String>,
    /// Whether the current list was first requested at version 0, and whether it has pages.
    asks_any: Certainty,
    is_in_pages: Certainty,
    /// Whether the last request was a refused list at version 0. client-go remembers this for the list that replaces
    /// it.
    stands_in_for_any: bool,
    /// When the reflector's current request started. client-go's REST client retries inside it.
    began_at: Duration,
}

/// Whether something happened inside client-go that the log does not always show.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    No,
    Unknown,
    Yes,
}

const PAGE: Option<u32> = Some(500);

/// A stream that ends sooner and without an event does not count as a watch. Near this limit both are right.
const VERY_SHORT: Duration = Duration::from_secs(1);
const NEARLY: Duration = Duration::from_millis(150);

fn rule(ask: ClientRequest, wait: MinimumWait) -> Allowed {
    Allowed { ask, by: AllowedBy::Rule, wait }
}

fn differs(difference: Difference, ask: ClientRequest, wait: MinimumWait) -> Allowed {
    Allowed { ask, by: AllowedBy::Difference(difference), wait }
}

impl Reflector {
    pub(super) fn new(client: Client, lists: Lists) -> Reflector {
        Reflector {
            client,
            lists,
            last: None,
            is_unavailable: false,
            comes_in_pages: Certainty::No,
            is_streaming_refused: false,
            first_page: None,
            listed: None,
            asks_any: Certainty::No,
            is_in_pages: Certainty::No,
            stands_in_for_any: false,
            began_at: Duration::ZERO,
        }
    }

    /// R16, R50: the first request.
    pub(super) fn first(&self) -> Allowed {
        self.another_round(MinimumWait::AtOnce)
    }

    /// What may follow this request.
    pub(super) fn after(
        &mut self,
        ask: &ClientRequest,
        exchange: &Exchange,
        before: Before<'_>,
    ) -> Vec<Allowed> {
        self.began_at = match before {
            Before::Refused(before) => before.ended_at.unwrap_or(before.asked_at),
            _ if before.is_retried_by(exchange) => self.began_at,
            _ => exchange.asked_at,
        };
        match ask {
            ClientRequest::StreamList { version } => self.after_stream_list(version, ask, exchange),
            ClientRequest::List { version, limit } => {
                self.first_page = Some((version.clone(), *limit));
                // A list without a limit may replace pages that expired.
                if limit.is_some() {
                    self.is_in_pages = Certainty::No;
                }
                let is_retried = before.is_retried_by(exchange);
                self.asks_any = match mem::take(&mut self.stands_in_for_any) {
                    _ if version == "0" => Certainty::Yes,
                    true if self.client == Client::ClientGo => self.asks_any,
                    // Either the REST client repeats a list that replaces one at version 0, or the reflector sends a new
                    // list, of the most recent state.
                    false if self.client == Client::ClientGo && is_retried => {
                        self.asks_any.min(Certainty::Unknown)
                    }
                    _ => Certainty::No,
                };
                self.listed = None;
                self.after_list(ask, exchange)
            }
            ClientRequest::Page { .. } => self.after_page(ask, exchange),
            ClientRequest::Watch { .. } => self.after_watch(ask, exchange),
            ClientRequest::Probe => vec![differs(Difference::Probes, self.watch(), MinimumWait::AtOnce)],
        }
    }

    /// Refused connections are not in the log. So this covers what was right before such a failure, and after it.
    pub(super) fn after_refused_connections(&self, allowed: &[Allowed]) -> Vec<Allowed> {
        let after = |allowed: &Allowed| match &allowed.ask {
            // R32, R56.
            ClientRequest::Watch { .. } | ClientRequest::Probe => {
                vec![rule(self.watch(), MinimumWait::AtOnce)]
            }
            ClientRequest::StreamList { .. } => {
                vec![rule(allowed.ask.clone(), MinimumWait::AtOnce), rule(self.list(), MinimumWait::AtOnce)]
            }
            ClientRequest::List { .. } => vec![self.another_round(MinimumWait::AtOnce)],
            ClientRequest::Page { .. } => vec![
                self.another_round(MinimumWait::AtOnce),
                differs(Difference::RetriesAPage, allowed.ask.clone(), MinimumWait::AtOnce),
            ],
        };
        allowed.iter().flat_map(after).collect()
    }

    /// If the log does not show whether a list at version 0 came in pages (R20), a later list is right with pages too.
    pub(super) fn with_pages(&self, allowed: &[Allowed]) -> Vec<Allowed> {
        let paged = |allowed: &Allowed| match &allowed.ask {
            ClientRequest::List { version, limit: None } => {
                let ask = ClientRequest::List { version: version.clone(), limit: PAGE };
                Some(Allowed { ask, by: allowed.by, wait: allowed.wait })
            }
            _ => None,
        };
        match self.comes_in_pages {
            Certainty::Unknown => allowed.iter().filter_map(paged).collect(),
            Certainty::No | Certainty::Yes => Vec::new(),
        }
    }

    fn after_stream_list(&mut self, version: &str, ask: &ClientRequest, exchange: &Exchange) -> Vec<Allowed> {
        let fallback = rule(self.list(), MinimumWait::AtOnce);
        match &exchange.answer {
            Answer::Stream(stream) if stream.marker.is_some() => {
                self.has_listed(stream.last.clone());
                self.after_stream(stream, exchange)
            }
            Answer::Stream(stream) => self.after_broken_stream_list(version, ask, stream, exchange),
            // R58, and what client-go's REST client does before it comes to that.
            Answer::Nothing => {
                vec![
                    fallback,
                    differs(Difference::RetriesBelowTheReflector, ask.clone(), MinimumWait::AtOnce),
                ]
            }
            Answer::Refused { code: 429, has_retry_after: true, .. } => {
                vec![rule(ask.clone(), MinimumWait::RetryAfter)]
            }
            // R56.
            Answer::Refused { code: 429, .. } => vec![rule(ask.clone(), MinimumWait::BackOff)],
            Answer::Refused { code, is_too_large, .. } if *code == 410 || *is_too_large => {
                self.expired(version)
            }
            // R58.
            Answer::Refused { .. } | Answer::List { .. } | Answer::BrokenList => vec![fallback],
        }
    }

    /// R57: the version is forgotten, and the same is asked for without.
    fn expired(&mut self, version: &str) -> Vec<Allowed> {
        self.is_unavailable = true;
        let mut allowed =
            vec![rule(ClientRequest::StreamList { version: String::new() }, MinimumWait::AtOnce)];
        if version.is_empty() {
            let list = ClientRequest::List { version: String::new(), limit: PAGE };
            allowed.push(differs(Difference::ListsWhenTheMostRecentIsExpired, list, MinimumWait::BackOff));
        }
        allowed
    }

    fn after_broken_stream_list(
        &mut self,
        version: &str,
        ask: &ClientRequest,
        stream: &Stream,
        exchange: &Exchange,
    ) -> Vec<Allowed> {
        match stream.error {
            Some(410) => return self.expired(version),
            // A busy server that does not reach the most recent version within three seconds.
            Some(_) if stream.is_too_large => return self.expired(version),
            Some(429) => return vec![rule(ask.clone(), MinimumWait::BackOff)],
            Some(500) if stream.events == 0 => {
                self.is_streaming_refused = self.client == Client::Ours;
                return vec![rule(self.list(), MinimumWait::AtOnce)];
            }
            Some(_) => return vec![rule(self.list(), MinimumWait::AtOnce)],
            None => {}
        }
        let mut allowed = Vec::new();
        let ended_at = exchange.ended_at.unwrap_or(exchange.asked_at);
        if may_be_a_watch(ended_at.saturating_sub(self.began_at), stream.events) {
            // R54.
            allowed.push(rule(ask.clone(), MinimumWait::AtOnce));
            allowed.push(differs(Difference::ListsAfterBrokenStreams, self.list(), MinimumWait::BackOff));
            if let Some(version) = &stream.last_but_added {
                let ask = ClientRequest::StreamList { version: version.clone() };
                allowed.push(differs(Difference::RemembersAVersionOfABrokenList, ask, MinimumWait::AtOnce));
            }
        }
        if may_be_very_short(exchange.lasted(), stream.events) {
            // R55.
            allowed.push(rule(self.list(), MinimumWait::AtOnce));
        }
        allowed
    }

    fn after_list(&mut self, ask: &ClientRequest, exchange: &Exchange) -> Vec<Allowed> {
        match &exchange.answer {
            Answer::List { version, token } => self.after_page_of(version, token.as_deref()),
            // R21.
            Answer::Refused { code, is_too_large, .. } if *code == 410 || *is_too_large => {
                let was_unavailable = self.is_unavailable;
                // The list that replaces one at version 0 is not replaced once more: the round ends.
                self.stands_in_for_any = self.asks_any != Certainty::No && !was_unavailable;
                self.is_unavailable = true;
                let most_recent = |limit| ClientRequest::List { version: String::new(), limit };
                let (_, limit) = self.first_page.clone().unwrap_or_default();
                let mut allowed = vec![
                    rule(most_recent(limit), MinimumWait::AtOnce),
                    differs(Difference::PagesTheMostRecentList, most_recent(PAGE), MinimumWait::AtOnce),
                ];
                if was_unavailable {
                    allowed.push(self.another_round(MinimumWait::BackOff));
                }
                allowed
            }
            answer => self.after_failed_list(ask, answer),
        }
    }

    fn after_page(&mut self, ask: &ClientRequest, exchange: &Exchange) -> Vec<Allowed> {
        match &exchange.answer {
            Answer::List { version, token } => self.after_page_of(version, token.as_deref()),
            // R25.
            Answer::Refused { code: 410, .. } => {
                let (version, _) = self.first_page.clone().unwrap_or_default();
                vec![rule(ClientRequest::List { version, limit: None }, MinimumWait::AtOnce)]
            }
            answer => {
                let mut allowed = self.after_failed_list(ask, answer);
                allowed.push(differs(Difference::RetriesAPage, ask.clone(), MinimumWait::BackOff));
                allowed
            }
        }
    }

    /// R11, R58: another round, after a wait.
    fn after_failed_list(&self, ask: &ClientRequest, answer: &Answer) -> Vec<Allowed> {
        let again = match answer {
            Answer::Refused { has_retry_after: true, .. } => Some(MinimumWait::RetryAfter),
            Answer::Nothing => Some(MinimumWait::AtOnce),
            _ => None,
        };
        let again = again.map(|wait| differs(Difference::RetriesBelowTheReflector, ask.clone(), wait));
        again.into_iter().chain([self.another_round(MinimumWait::BackOff)]).collect()
    }

    /// P3 for what follows a page, R31 for what follows the last.
    fn after_page_of(&mut self, version: &str, token: Option<&str>) -> Vec<Allowed> {
        let listed = self.listed.get_or_insert(version.to_owned()).clone();
        let limit = self.first_page.as_ref().and_then(|(_, limit)| *limit);
        match token {
            Some(token) => {
                self.is_in_pages = self.is_in_pages.max(self.asks_any);
                vec![rule(ClientRequest::Page { token: token.to_owned(), limit }, MinimumWait::AtOnce)]
            }
            None => {
                self.comes_in_pages = self.comes_in_pages.max(self.is_in_pages);
                self.has_listed(Some(listed));
                vec![rule(self.watch(), MinimumWait::AtOnce)]
            }
        }
    }

    fn after_watch(&mut self, ask: &ClientRequest, exchange: &Exchange) -> Vec<Allowed> {
        let again = rule(ask.clone(), MinimumWait::AtOnce);
        let round = self.another_round(MinimumWait::BackOff);
        match &exchange.answer {
            Answer::Stream(stream) => {
                let is_quiet = stream.last.is_none();
                self.last = stream.last.clone().or_else(|| self.last.take());
                let mut allowed = self.after_stream(stream, exchange);
                if is_quiet {
                    allowed.push(differs(Difference::Probes, ClientRequest::Probe, MinimumWait::AtOnce));
                }
                allowed
            }
            Answer::Nothing => vec![
                round,
                differs(Difference::RetriesBelowTheReflector, again.ask.clone(), MinimumWait::AtOnce),
                differs(Difference::WatchesAgainWhenRefused, again.ask, MinimumWait::BackOff),
            ],
            // R32.
            Answer::Refused { code: 429, has_retry_after: true, .. } => {
                vec![rule(again.ask, MinimumWait::RetryAfter)]
            }
            Answer::Refused { code: 429, .. } => vec![rule(again.ask, MinimumWait::BackOff)],
            Answer::Refused { code: 410, .. } => {
                vec![round, differs(Difference::RelistsAtOnceWhenExpired, self.round(), MinimumWait::AtOnce)]
            }
            // R33.
            _ => vec![round, differs(Difference::WatchesAgainWhenRefused, again.ask, MinimumWait::BackOff)],
        }
    }

    /// After a watch, which may have started as a streaming list.
    fn after_stream(&mut self, stream: &Stream, exchange: &Exchange) -> Vec<Allowed> {
        let round = self.another_round(MinimumWait::BackOff);
        match stream.error {
            // R34.
            Some(429) => return vec![rule(self.watch(), MinimumWait::BackOff)],
            // R36.
            Some(410) => {
                let at_once =
                    differs(Difference::RelistsAtOnceWhenExpired, self.round(), MinimumWait::AtOnce);
                return vec![round, at_once];
            }
            // R37.
            Some(_) => return vec![round],
            None => {}
        }
        let (events, since, since_at_least) = match stream.marker {
            Some((events, since)) => (stream.events - events, since, since),
            None => (stream.events, self.began_at, exchange.asked_at),
        };
        let ended_at = exchange.ended_at.unwrap_or(exchange.asked_at);
        let lasted = ended_at.saturating_sub(since_at_least);
        let mut allowed = Vec::new();
        if may_be_a_watch(ended_at.saturating_sub(since), events) {
            // R38.
            let by = match stream.ending {
                Ending::Open => AllowedBy::Difference(Difference::ReopensASilentWatch),
                Ending::Closed | Ending::Broken => AllowedBy::Rule,
            };
            allowed.push(Allowed { ask: self.watch(), by, wait: MinimumWait::AtOnce });
        }
        if may_be_very_short(lasted, events) {
            // R39.
            allowed.push(round);
            if stream.ending == Ending::Broken {
                allowed.push(differs(
                    Difference::WatchesAgainWhenCutEarly,
                    self.watch(),
                    MinimumWait::BackOff,
                ));
            }
            if stream.marker.is_some() {
                allowed.push(differs(
                    Difference::CountsTheMarkerAsAnEvent,
                    self.watch(),
                    MinimumWait::AtOnce,
                ));
            }
        }
        allowed
    }

    /// R24, R27, R53.
    fn has_listed(&mut self, version: Option<String>) {
        self.last = version;
        self.is_unavailable = false;
        (self.asks_any, self.is_in_pages) = (Certainty::No, Certainty::No);
    }

    fn another_round(&self, wait: MinimumWait) -> Allowed {
        let by = match self.is_streaming_refused {
            true => AllowedBy::Difference(Difference::RemembersARefusal),
            false => AllowedBy::Rule,
        };
        Allowed { ask: self.round(), by, wait }
    }

    /// The first request of a round.
    fn round(&self) -> ClientRequest {
        match self.lists {
            Lists::Streaming if !self.is_streaming_refused => {
                let version = if self.is_unavailable { None } else { self.last.clone() };
                ClientRequest::StreamList { version: version.unwrap_or_default() }
            }
            _ => self.list(),
        }
    }

    /// R16, R17, R18, R20.
    fn list(&self) -> ClientRequest {
        let version = match &self.last {
            _ if self.is_unavailable => String::new(),
            Some(last) => last.clone(),
            None => "0".to_owned(),
        };
        let is_paged = matches!(&*version, "" | "0") || self.comes_in_pages == Certainty::Yes;
        ClientRequest::List { version, limit: if is_paged { PAGE } else { None } }
    }

    /// R31.
    fn watch(&self) -> ClientRequest {
        ClientRequest::Watch { version: self.last.clone().unwrap_or_default() }
    }
}

fn may_be_a_watch(lasted: Duration, events: usize) -> bool {
    events > 0 || lasted + NEARLY >= VERY_SHORT
}

fn may_be_very_short(lasted: Duration, events: usize) -> bool {
    events == 0 && lasted < VERY_SHORT + NEARLY
}
