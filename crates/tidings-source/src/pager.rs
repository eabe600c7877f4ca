//! Reads a whole list page by page. All pages are of the same version: if a page has expired, the list starts again from
//! its first page, and objects of two lists are never mixed.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use tidings_object::{RawObject, Version};

use crate::port::request_text;
use crate::{
    ErrorClass, ErrorKind, ListEnd, ListOptions, ListPart, ListStream, ListWatch, Skipped, SourceError,
};

/// The size of a page, as in client-go.
pub const PAGE_SIZE_DEFAULT: u32 = 500;

/// The pause before the one retry of a failed page, unless the server requests another one.
const PAGE_RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The longest pause that a server can request.
const PAGE_RETRY_PAUSE_MAX: Duration = Duration::from_secs(300);

/// A part of a whole list.
#[derive(Debug, Clone)]
pub enum PagedPart {
    /// One object. A page that fails in the middle is requested again, so that an object may be yielded twice. The last
    /// one counts.
    Object(Arc<RawObject>),
    /// An item that is not an object of this resource.
    Skipped(Skipped),
    /// A page has expired. The caller must discard all objects so far: the list starts again, without pages.
    Restarted,
    /// The list is complete.
    End(PagedEnd),
}

/// The metadata of a whole list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagedEnd {
    /// The version of the list, which is that of its first page.
    pub version: Version,
    /// Whether it had more than one page.
    pub is_paginated: bool,
}

/// Lists all objects, in pages of `page_size` objects, or without pages if it is `None`. `options.limit` overrides
/// `page_size`. `options.continue_token` must be `None`.
///
/// The stream yields each object as it arrives and ends after exactly one [`PagedPart::End`] or one error. Dropping it
/// cancels the current request.
///
/// - Requests with a continue token have neither a version nor a version match.
/// - A failed page is requested once more, after a second or the delay that the server requests. A failure of the first
///   page is not retried.
/// - If a continue token has expired (410), the stream yields [`PagedPart::Restarted`] and makes one list without a
///   limit, at the version of `options`.
///
/// ```
/// # use futures_util::StreamExt as _;
/// # use tidings_source::{ListOptions, ListWatch, PagedPart, PAGE_SIZE_DEFAULT, SourceError, list_all};
/// async fn count(source: &dyn ListWatch) -> Result<usize, SourceError> {
///     let mut parts = list_all(source, ListOptions::default(), Some(PAGE_SIZE_DEFAULT));
///     let mut objects = 0;
///     while let Some(part) = parts.next().await {
///         match part? {
///             PagedPart::Object(_) => objects += 1,
///             PagedPart::Restarted => objects = 0,
///             PagedPart::Skipped(_) | PagedPart::End(_) => {}
///         }
///     }
///     Ok(objects)
/// }
/// ```
pub fn list_all(
    source: &dyn ListWatch,
    options: ListOptions,
    page_size: Option<u32>,
) -> BoxStream<'_, Result<PagedPart, SourceError>> {
    let limit = options.limit.or(page_size);
    let original = ListOptions { limit, ..options };
    let pager = Pager {
        source,
        next: Some(original.clone()),
        original,
        page: None,
        page_number: 1,
        objects: 0,
        version: None,
        is_paginated: false,
        is_retry: false,
        is_restart: false,
    };
    stream::unfold(pager, |mut pager| async move { pager.advance().await.map(|part| (part, pager)) }).boxed()
}

struct Pager<'a> {
    source: &'a dyn ListWatch,
    /// The next request if `page` is `None`. It is `None` after the end of the list, or after an error.
    next: Option<ListOptions>,
    original: ListOptions,
    page: Option<ListStream>,
    page_number: u32,
    /// How many objects have arrived since the list started.
    objects: usize,
    /// The version of the first page.
    version: Option<Version>,
    is_paginated: bool,
    /// Whether this page failed before.
    is_retry: bool,
    is_restart: bool,
}

type Part = Result<PagedPart, SourceError>;

impl Pager<'_> {
    async fn advance(&mut self) -> Option<Part> {
        loop {
            let request = self.next.clone()?;
            let part = match &mut self.page {
                None => match self.source.list(request).await {
                    Ok(page) => {
                        self.page = Some(page);
                        continue;
                    }
                    Err(error) => Err(error),
                },
                Some(page) => page.next().await.unwrap_or_else(|| Err(self.truncated())),
            };
            let part = match part {
                Ok(ListPart::Object(object)) => {
                    self.objects += 1;
                    Some(Ok(PagedPart::Object(object)))
                }
                Ok(ListPart::Skipped(skipped)) => Some(Ok(PagedPart::Skipped(skipped))),
                Ok(ListPart::End(end)) => self.page_ended(end),
                Err(error) => self.page_failed(error).await,
            };
            if part.is_some() {
                return part;
            }
        }
    }

    fn page_ended(&mut self, end: ListEnd) -> Option<Part> {
        self.page = None;
        self.is_retry = false;
        let requested_token = self.next.take().and_then(|options| options.continue_token);
        let version = self.version.get_or_insert(end.version).clone();
        let Some(token) = end.continue_token else {
            return Some(Ok(PagedPart::End(PagedEnd { version, is_paginated: self.is_paginated })));
        };
        if requested_token.as_ref() == Some(&token) {
            return Some(Err(self.error(ErrorKind::Malformed(
                "a page has its own token as the token of the next page".to_owned(),
            ))));
        }
        self.is_paginated = true;
        self.page_number += 1;
        self.next = Some(ListOptions {
            version: None,
            version_match: None,
            limit: self.original.limit,
            continue_token: Some(token),
        });
        None
    }

    async fn page_failed(&mut self, error: SourceError) -> Option<Part> {
        self.page = None;
        let is_first_page = self.next.as_ref().is_none_or(|options| options.continue_token.is_none());
        let is_expired = error.class() == ErrorClass::Expired;
        if is_expired && !is_first_page && !self.is_restart {
            self.restart();
            return Some(Ok(PagedPart::Restarted));
        }
        if is_expired || is_first_page || self.is_retry {
            self.next = None;
            return Some(Err(self.error(error.kind)));
        }
        self.is_retry = true;
        let pause = error.retry_after().unwrap_or(PAGE_RETRY_PAUSE).min(PAGE_RETRY_PAUSE_MAX);
        tokio::time::sleep(pause).await;
        None
    }

    fn restart(&mut self) {
        self.is_restart = true;
        self.is_retry = false;
        self.page_number = 1;
        self.objects = 0;
        self.version = None;
        self.original.limit = None;
        self.next = Some(self.original.clone());
    }

    fn truncated(&self) -> SourceError {
        self.error(ErrorKind::Truncated { objects: self.objects })
    }

    fn error(&self, kind: ErrorKind) -> SourceError {
        let mut request = request_text::list(self.source.resource(), self.source.scope(), &self.original);
        if self.page_number > 1 {
            request += &format!(" (page {})", self.page_number);
        }
        SourceError { request, kind }
    }
}

#[cfg(test)]
mod tests;
