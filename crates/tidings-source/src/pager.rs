//! A whole list, page by page. What a list at one version promises holds over all its pages: a page that can
//! no longer be had makes the list start over, and nothing of two lists is ever mixed.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use tidings_object::{RawObject, Version};

use crate::{
    ErrorClass, ListEnd, ListOptions, ListPart, ListStream, ListWatch, Skipped, SourceError, Trouble, asked,
};

/// How many objects client-go asks for in one page.
pub const PAGE_SIZE_DEFAULT: u32 = 500;

/// How long a failed page is left alone before its one retry, unless the server says how long.
const PAGE_RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The longest wait that a server can ask for between two pages.
const PAGE_RETRY_PAUSE_MAX: Duration = Duration::from_secs(300);

/// A part of a whole list.
#[derive(Debug, Clone)]
pub enum ListedPart {
    /// One object. A page that broke in the middle is asked for again, so an object may come twice: the last
    /// one counts.
    Object(Arc<RawObject>),
    /// Something that is no object of this resource.
    Skipped(Skipped),
    /// The pages expired. Everything that came so far is void: the list starts over, in one piece.
    Restarted,
    /// The list is whole.
    End(ListedEnd),
}

/// What a whole list says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEnd {
    /// The version of the list: that of its first page, which all pages share.
    pub version: Version,
    /// Whether it came in more than one page.
    pub is_paginated: bool,
}

/// Lists everything, in pages of `page_size` objects, or in one piece if `None`. `options.limit` wins over
/// `page_size`; `options.continue_token` must be `None`.
///
/// The stream yields each object as it arrives and ends after exactly one [`ListedPart::End`] or one error.
/// The requests that follow a continue token carry neither version nor match. One failed page is asked for
/// once more, after a pause of a second or what the server asks for; a failed first page is the list's own
/// failure. A token that expired (410) is followed by [`ListedPart::Restarted`] and one list without limit at
/// the version that was asked first. Dropping the stream cancels whatever it does.
///
/// ```
/// # use futures_util::StreamExt as _;
/// # use tidings_source::{ListOptions, ListWatch, ListedPart, PAGE_SIZE_DEFAULT, SourceError, list_all};
/// async fn count(source: &dyn ListWatch) -> Result<usize, SourceError> {
///     let mut parts = list_all(source, ListOptions::default(), Some(PAGE_SIZE_DEFAULT));
///     let mut objects = 0;
///     while let Some(part) = parts.next().await {
///         match part? {
///             ListedPart::Object(_) => objects += 1,
///             ListedPart::Restarted => objects = 0,
///             ListedPart::Skipped(_) | ListedPart::End(_) => {}
///         }
///     }
///     Ok(objects)
/// }
/// ```
pub fn list_all(
    source: &dyn ListWatch,
    options: ListOptions,
    page_size: Option<u32>,
) -> BoxStream<'_, Result<ListedPart, SourceError>> {
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
    /// What to ask for when `page` is `None`; `None` once the list has ended, well or not.
    next: Option<ListOptions>,
    original: ListOptions,
    page: Option<ListStream>,
    page_number: u32,
    /// How many objects came since the list began.
    objects: usize,
    /// The version of the first page.
    version: Option<Version>,
    is_paginated: bool,
    /// Whether this page failed before.
    is_retry: bool,
    is_restart: bool,
}

type Part = Result<ListedPart, SourceError>;

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
                Some(page) => page.next().await.unwrap_or_else(|| Err(self.cut_off())),
            };
            let part = match part {
                Ok(ListPart::Object(object)) => {
                    self.objects += 1;
                    Some(Ok(ListedPart::Object(object)))
                }
                Ok(ListPart::Skipped(skipped)) => Some(Ok(ListedPart::Skipped(skipped))),
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
        let asked_token = self.next.take().and_then(|asked| asked.continue_token);
        let version = self.version.get_or_insert(end.version).clone();
        let Some(token) = end.continue_token else {
            return Some(Ok(ListedPart::End(ListedEnd { version, is_paginated: self.is_paginated })));
        };
        if asked_token.as_ref() == Some(&token) {
            return Some(Err(self.error(Trouble::Malformed("a page names itself as the next".to_owned()))));
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
        let is_first_page = self.next.as_ref().is_none_or(|asked| asked.continue_token.is_none());
        let is_expired = error.class() == ErrorClass::Expired;
        if is_expired && !is_first_page && !self.is_restart {
            self.restart();
            return Some(Ok(ListedPart::Restarted));
        }
        if is_expired || is_first_page || self.is_retry {
            self.next = None;
            return Some(Err(self.error(error.trouble)));
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

    fn cut_off(&self) -> SourceError {
        self.error(Trouble::Truncated { objects: self.objects })
    }

    fn error(&self, trouble: Trouble) -> SourceError {
        let mut asked = asked::list(self.source.resource(), self.source.scope(), &self.original);
        if self.page_number > 1 {
            asked += &format!(" (page {})", self.page_number);
        }
        SourceError { asked, trouble }
    }
}

#[cfg(test)]
mod tests;
