//! A list, page by page. The sink gets all of it or nothing.
//!
//! A page that fails is requested once more before the whole list fails. If the token of a page has expired, the list
//! starts again as one response without pages. Objects of two lists are never mixed. Example:
//!
//! ```text
//! page 1: 500 objects, token A    page 2 with token A: connection broken; again: 500 objects, token B
//! page 3 with token B: 410        the 1,000 objects are dropped; the list is requested without pages and committed
//! ```

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{ErrorClass, ErrorKind, ListEnd, ListOptions, ListPart, ListWatch, SourceError};
use tokio::time::{Instant, timeout};

use super::config::{ListMode, PagedListKind, ReflectorConfig};
use super::observer::{CompletedList, ReflectorActivity, TracedObserver};
use super::phase::{FailureStage, ListVersion};
use super::run::{FinishedOperation, epoch, non_empty, pause};
use super::sink::{Replacement, Sink};
use super::timer::StreamTimer;
use super::{EVENTS_PER_UNIT, Reflector};
use crate::coop_budget::CoopBudget;

/// Version 0 in a list request: any version will do.
const ANY_VERSION: u64 = 0;

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn list(&mut self, at: ListVersion) -> FinishedOperation {
        let first = self.first_page(at);
        self.observer.listing(ListMode::Chunked, first.version.as_ref());
        match self.pages(first).await {
            Ok(()) => FinishedOperation::listed(),
            Err(error) => FinishedOperation::failed(FailureStage::Opening, error, ReflectorActivity::List),
        }
    }

    fn first_page(&self, at: ListVersion) -> ListOptions {
        let last = self.version_for(at);
        let kind = match &last {
            None => PagedListKind::AnyOrMostRecent,
            Some(_) if self.has_no_watch_cache => PagedListKind::SinceVersionInPages,
            Some(_) => PagedListKind::SinceVersionFromCache,
        };
        let version = match at {
            ListVersion::LastSeen => Some(last.unwrap_or(Version::from(ANY_VERSION))),
            ListVersion::MostRecent => None,
        };
        ListOptions { version, limit: self.config.paging.limit(kind), ..ListOptions::default() }
    }

    async fn pages(&mut self, first: ListOptions) -> Result<(), SourceError> {
        let started = Instant::now();
        let requests_any = first.version == Some(Version::from(ANY_VERSION));
        let mut replacement = self.sink.begin_replace(self.source.scope());
        let mut request = first.clone();
        let mut version = None;
        let mut pages = 1;
        let (mut is_paged, mut is_retry, mut is_restart) = (false, false, false);
        let sharded = loop {
            let page = Page { source: &*self.source, config: &self.config, observer: &self.observer };
            let error = match page.read(request.clone(), &mut replacement).await {
                Ok(end) => {
                    version.get_or_insert(end.version);
                    let Some(token) = end.continue_token.filter(|token| !token.is_empty()) else {
                        break end.sharded;
                    };
                    if request.continue_token.as_ref() == Some(&token) {
                        let kind = ErrorKind::Malformed(
                            "a page has its own token as the token of the next page".to_owned(),
                        );
                        return Err(self.observer.error("list", first.version.as_ref(), kind));
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
            self.observer.failed(&error, ReflectorActivity::List);
            if is_expired {
                drop(replacement);
                replacement = self.sink.begin_replace(self.source.scope());
                request = ListOptions { limit: None, ..first.clone() };
                (version, pages, is_retry, is_restart) = (None, 1, false, true);
            } else {
                is_retry = true;
                pause(&mut self.backoff, &self.config, &self.observer, Some(&error)).await;
            }
        };
        let version = version.expect("at least one page was read");
        let (mode, objects, took) = (ListMode::Chunked, replacement.len(), started.elapsed());
        let epoch = epoch(self.last_version.as_ref(), &version, &self.observer);
        replacement.commit(version.clone(), epoch).await;
        self.last_version = non_empty(version.clone());
        self.has_no_watch_cache |= requests_any && is_paged;
        self.observer.listed(&CompletedList { mode, version, objects, pages, took, sharded });
        Ok(())
    }
}

/// The request for the next page. It has no version: a token contains one, and a server refuses both.
fn continued(first: &ListOptions, token: String) -> ListOptions {
    ListOptions { limit: first.limit, continue_token: Some(token), ..ListOptions::default() }
}

struct Page<'a, L: ?Sized> {
    source: &'a L,
    config: &'a ReflectorConfig,
    observer: &'a TracedObserver,
}

impl<L: ListWatch + ?Sized> Page<'_, L> {
    async fn read(&self, options: ListOptions, into: &mut impl Replacement) -> Result<ListEnd, SourceError> {
        let (silence_max, version) = (self.config.list_silence_max, options.version.clone());
        let silent = || {
            let message = format!("no data for {silence_max:?}");
            self.observer.network("list", version.as_ref(), message)
        };
        let mut page = timeout(silence_max, self.source.list(options)).await.map_err(|_| silent())??;
        self.observer.response_received(self.source.wire());
        let (mut timer, mut coop_budget, mut objects) =
            (StreamTimer::default(), CoopBudget::<EVENTS_PER_UNIT>::default(), 0);
        loop {
            // Yields regularly, so that a stream that is never pending can still be cancelled.
            coop_budget.step().await;
            match timer.within(silence_max.into(), page.next()).await.map_err(|_| silent())? {
                Some(Ok(ListPart::Object(object))) => {
                    objects += 1;
                    self.observer.item(&object);
                    into.accept(object);
                }
                Some(Ok(ListPart::Skipped(skipped))) => self.observer.skipped(&skipped),
                Some(Ok(ListPart::End(end))) => return Ok(end),
                Some(Err(error)) => return Err(error),
                None => {
                    let kind = ErrorKind::Truncated { objects };
                    return Err(self.observer.error("list", version.as_ref(), kind));
                }
            }
        }
    }
}
