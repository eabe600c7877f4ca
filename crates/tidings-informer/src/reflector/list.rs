//! A list, page by page. The sink sees all of it or nothing.
//!
//! A page that fails is asked for once more before the whole list is given up, and pages whose token expired
//! are made good by one list without pages; nothing of two lists is ever mixed.

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{ErrorClass, ListEnd, ListOptions, ListPart, ListWatch, SourceError, Trouble};
use tokio::time::{Instant, timeout};

use super::alarm::Alarm;
use super::config::{AskedList, ListMode, ReflectorConfig};
use super::observer::{During, Listed, Reports};
use super::phase::{At, Stage};
use super::run::{Ended, epoch, pause, usable};
use super::sink::{Replacement, Sink};
use super::{EVENTS_PER_UNIT, Reflector};
use crate::turns::Turns;

/// The version that any state satisfies.
const ANY: u64 = 0;

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn list(&mut self, at: At) -> Ended {
        let first = self.first_page(at);
        self.reports.listing(ListMode::Chunked, first.version.as_ref());
        match self.pages(first).await {
            Ok(()) => Ended::listed(),
            Err(error) => Ended::failed(Stage::Opening, error, During::List),
        }
    }

    fn first_page(&self, at: At) -> ListOptions {
        let seen = self.seen(at);
        let kind = match &seen {
            None => AskedList::AnyOrMostRecent,
            Some(_) if self.lists_in_pages => AskedList::SinceVersionInPages,
            Some(_) => AskedList::SinceVersionFromCache,
        };
        let version = match at {
            At::Last => Some(seen.unwrap_or(Version::from(ANY))),
            At::MostRecent => None,
        };
        ListOptions { version, limit: self.config.paging.limit(kind), ..ListOptions::default() }
    }

    async fn pages(&mut self, first: ListOptions) -> Result<(), SourceError> {
        let started = Instant::now();
        let asks_any = first.version == Some(Version::from(ANY));
        let mut replacement = self.sink.begin_replace(self.source.scope());
        let mut request = first.clone();
        let mut version = None;
        let mut pages = 1;
        let (mut is_paged, mut is_retry, mut is_restart) = (false, false, false);
        let sharded = loop {
            let page = Page { source: &*self.source, config: &self.config, reports: &self.reports };
            let error = match page.take(request.clone(), &mut replacement).await {
                Ok(end) => {
                    version.get_or_insert(end.version);
                    let Some(token) = end.continue_token.filter(|token| !token.is_empty()) else {
                        break end.sharded;
                    };
                    if request.continue_token.as_ref() == Some(&token) {
                        let trouble = Trouble::Malformed("a page names itself as the next".to_owned());
                        return Err(self.reports.error("list", first.version.as_ref(), trouble));
                    }
                    request = continued(&first, token);
                    pages += 1;
                    (is_paged, is_retry) = (true, false);
                    continue;
                }
                Err(error) => error,
            };
            let is_expired = error.class() == ErrorClass::Expired;
            if request.continue_token.is_none() || is_expired && is_restart || !is_expired && is_retry {
                return Err(error);
            }
            self.reports.failed(&error, During::List);
            if is_expired {
                drop(replacement);
                replacement = self.sink.begin_replace(self.source.scope());
                request = ListOptions { limit: None, ..first.clone() };
                (version, pages, is_retry, is_restart) = (None, 1, false, true);
            } else {
                is_retry = true;
                pause(&mut self.backoff, &self.config, &self.reports, Some(&error)).await;
            }
        };
        let version = version.expect("the loop ends after a page");
        let (mode, objects, took) = (ListMode::Chunked, replacement.len(), started.elapsed());
        let epoch = epoch(self.last.as_ref(), &version, &self.reports);
        replacement.commit(version.clone(), epoch).await;
        self.last = usable(version.clone());
        self.lists_in_pages |= asks_any && is_paged;
        self.reports.listed(&Listed { mode, version, objects, pages, took, sharded });
        Ok(())
    }
}

/// A token names a version itself; a server refuses both.
fn continued(first: &ListOptions, token: String) -> ListOptions {
    ListOptions { limit: first.limit, continue_token: Some(token), ..ListOptions::default() }
}

struct Page<'a, L: ?Sized> {
    source: &'a L,
    config: &'a ReflectorConfig,
    reports: &'a Reports,
}

impl<L: ListWatch + ?Sized> Page<'_, L> {
    async fn take(&self, asked: ListOptions, into: &mut impl Replacement) -> Result<ListEnd, SourceError> {
        let (silence_max, version) = (self.config.list_silence_max, asked.version.clone());
        let silent = || {
            let message = format!("nothing came for {silence_max:?}");
            self.reports.network("list", version.as_ref(), message)
        };
        let mut page = timeout(silence_max, self.source.list(asked)).await.map_err(|_| silent())??;
        self.reports.answered(self.source.wire());
        let (mut alarm, mut turns, mut objects) = (Alarm::default(), Turns::<EVENTS_PER_UNIT>::default(), 0);
        loop {
            // A stream that always has more must not keep a stop from being seen.
            turns.step().await;
            match alarm.within(silence_max.into(), page.next()).await.map_err(|_| silent())? {
                Some(Ok(ListPart::Object(object))) => {
                    objects += 1;
                    self.reports.item(&object);
                    into.accept(object);
                }
                Some(Ok(ListPart::Skipped(skipped))) => self.reports.skipped(&skipped),
                Some(Ok(ListPart::End(end))) => return Ok(end),
                Some(Err(error)) => return Err(error),
                None => {
                    let trouble = Trouble::Truncated { objects };
                    return Err(self.reports.error("list", version.as_ref(), trouble));
                }
            }
        }
    }
}
