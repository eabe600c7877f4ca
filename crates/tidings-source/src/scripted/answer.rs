//! Answers as a test writes them: a page, a watch, a refusal, silence.

use std::sync::Arc;
use std::time::Duration;

use tidings_object::RawObject;
use tokio::sync::mpsc;

use super::IntoVersion;
use super::play::{Script, Step};
use crate::{Change, ListEnd, ListPart, Skipped, StatusDetail, Trouble, WatchEvent};

/// The answer to one LIST.
#[derive(Debug)]
pub struct ListAnswer {
    script: Script<ListPart>,
    end: Option<ListEnd>,
}

/// The answer to one WATCH. Unless it hangs, the server closes it after its last event.
#[derive(Debug)]
pub struct WatchAnswer {
    script: Script<WatchEvent>,
}

/// The server's end of a watch that a test feeds while it runs. Dropping it closes the watch.
#[derive(Debug, Clone)]
pub struct WatchFeed {
    events: mpsc::UnboundedSender<Result<WatchEvent, Trouble>>,
}

impl ListAnswer {
    /// A page of a list at this version, empty so far.
    pub fn page(version: impl IntoVersion) -> ListAnswer {
        let version = version.into_version();
        let end = ListEnd { version, continue_token: None, remaining_items: None, sharded: None };
        ListAnswer { script: Script::open(), end: Some(end) }
    }

    /// The request ends in this trouble instead.
    pub fn refused(trouble: Trouble) -> ListAnswer {
        ListAnswer { script: Script::refused(trouble), end: None }
    }

    /// The server answers with a failure.
    pub fn status(code: u16, reason: &str) -> ListAnswer {
        ListAnswer::refused(status_trouble(code, reason))
    }

    /// No answer ever comes.
    pub fn hanging() -> ListAnswer {
        ListAnswer { script: Script::hanging(), end: None }
    }

    /// The answer comes after this time only.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.script.delay = delay;
        self
    }

    /// One more object.
    #[must_use]
    pub fn object(self, object: &Arc<RawObject>) -> Self {
        self.part(ListPart::Object(Arc::clone(object)))
    }

    /// More objects.
    #[must_use]
    pub fn objects<'a>(self, objects: impl IntoIterator<Item = &'a Arc<RawObject>>) -> Self {
        objects.into_iter().fold(self, Self::object)
    }

    /// Something that is no object of the resource.
    #[must_use]
    pub fn skipped(self, skipped: Skipped) -> Self {
        self.part(ListPart::Skipped(skipped))
    }

    /// There is a next page, and this is its token.
    ///
    /// # Panics
    /// If the page has no end.
    #[must_use]
    pub fn next_page(mut self, token: &str) -> Self {
        self.end.as_mut().expect("the page has an end").continue_token = Some(token.to_owned());
        self
    }

    /// How many objects come on the pages after this one.
    ///
    /// # Panics
    /// If the page has no end.
    #[must_use]
    pub fn remaining(mut self, items: u64) -> Self {
        self.end.as_mut().expect("the page has an end").remaining_items = Some(items);
        self
    }

    /// A pause in the middle of the page.
    #[must_use]
    pub fn wait(mut self, pause: Duration) -> Self {
        self.script.steps.push_back(Step::Wait(pause));
        self
    }

    /// The page breaks off here, with this trouble.
    #[must_use]
    pub fn broken(mut self, trouble: Trouble) -> Self {
        self.script.steps.push_back(Step::Yield(Err(trouble)));
        self.end = None;
        self
    }

    /// The page ends here, without its end.
    #[must_use]
    pub fn cut_off(mut self) -> Self {
        self.end = None;
        self
    }

    /// Nothing more comes, and the connection stays open.
    #[must_use]
    pub fn hang(mut self) -> Self {
        self.script.steps.push_back(Step::Hang);
        self.end = None;
        self
    }

    fn part(mut self, part: ListPart) -> Self {
        self.script.steps.push_back(Step::Yield(Ok(part)));
        self
    }

    pub(super) fn into_script(mut self) -> Script<ListPart> {
        if let Some(end) = self.end {
            self.script.steps.push_back(Step::Yield(Ok(ListPart::End(end))));
        }
        self.script
    }
}

impl WatchAnswer {
    /// A watch that opens, without events so far.
    pub fn open() -> WatchAnswer {
        WatchAnswer { script: Script::open() }
    }

    /// The watch does not open: the request ends in this trouble.
    pub fn refused(trouble: Trouble) -> WatchAnswer {
        WatchAnswer { script: Script::refused(trouble) }
    }

    /// The watch does not open: the server answers with a failure.
    pub fn status(code: u16, reason: &str) -> WatchAnswer {
        WatchAnswer::refused(status_trouble(code, reason))
    }

    /// No answer ever comes.
    pub fn hanging() -> WatchAnswer {
        WatchAnswer { script: Script::hanging() }
    }

    /// The answer comes after this time only.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.script.delay = delay;
        self
    }

    /// One more event.
    #[must_use]
    pub fn event(self, event: WatchEvent) -> Self {
        self.step(Step::Yield(Ok(event)))
    }

    /// `ADDED`.
    #[must_use]
    pub fn added(self, object: &Arc<RawObject>) -> Self {
        self.event(changed(Change::Added, object))
    }

    /// `ADDED` for each.
    #[must_use]
    pub fn all_added<'a>(self, objects: impl IntoIterator<Item = &'a Arc<RawObject>>) -> Self {
        objects.into_iter().fold(self, Self::added)
    }

    /// `MODIFIED`.
    #[must_use]
    pub fn modified(self, object: &Arc<RawObject>) -> Self {
        self.event(changed(Change::Modified, object))
    }

    /// `DELETED`.
    #[must_use]
    pub fn deleted(self, object: &Arc<RawObject>) -> Self {
        self.event(changed(Change::Deleted, object))
    }

    /// `BOOKMARK`.
    #[must_use]
    pub fn bookmark(self, version: impl IntoVersion) -> Self {
        self.event(bookmark(version, false))
    }

    /// The bookmark that ends the initial events.
    #[must_use]
    pub fn initial_events_end(self, version: impl IntoVersion) -> Self {
        self.event(bookmark(version, true))
    }

    /// `ERROR`.
    #[must_use]
    pub fn error(self, code: u16, reason: &str) -> Self {
        self.event(error(code, reason))
    }

    /// The stream breaks here, with this trouble.
    #[must_use]
    pub fn broken(self, trouble: Trouble) -> Self {
        self.step(Step::Yield(Err(trouble)))
    }

    /// A pause.
    #[must_use]
    pub fn wait(self, pause: Duration) -> Self {
        self.step(Step::Wait(pause))
    }

    /// Nothing more comes, and the connection stays open.
    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    fn step(mut self, step: Step<WatchEvent>) -> Self {
        self.script.steps.push_back(step);
        self
    }

    pub(super) fn into_script(self) -> Script<WatchEvent> {
        self.script
    }
}

impl WatchFeed {
    pub(super) fn new() -> (WatchFeed, WatchAnswer) {
        // Unbounded, since the script of a test is as long as the test writes it.
        let (events, live) = mpsc::unbounded_channel();
        (WatchFeed { events }, WatchAnswer::open().step(Step::Live(live)))
    }

    /// Sends one event, unless the watch is no longer read.
    pub fn event(&self, event: WatchEvent) {
        let _ = self.events.send(Ok(event));
    }

    /// `ADDED`.
    pub fn added(&self, object: &Arc<RawObject>) {
        self.event(changed(Change::Added, object));
    }

    /// `MODIFIED`.
    pub fn modified(&self, object: &Arc<RawObject>) {
        self.event(changed(Change::Modified, object));
    }

    /// `DELETED`.
    pub fn deleted(&self, object: &Arc<RawObject>) {
        self.event(changed(Change::Deleted, object));
    }

    /// `BOOKMARK`.
    pub fn bookmark(&self, version: impl IntoVersion) {
        self.event(bookmark(version, false));
    }

    /// The bookmark that ends the initial events.
    pub fn initial_events_end(&self, version: impl IntoVersion) {
        self.event(bookmark(version, true));
    }

    /// `ERROR`.
    pub fn error(&self, code: u16, reason: &str) {
        self.event(error(code, reason));
    }

    /// Breaks the stream.
    pub fn broken(&self, trouble: Trouble) {
        let _ = self.events.send(Err(trouble));
    }

    /// Whether the watch was dropped by its reader.
    pub fn is_closed(&self) -> bool {
        self.events.is_closed()
    }
}

fn status_trouble(code: u16, reason: &str) -> Trouble {
    Trouble::Status(status(code, reason))
}

fn status(code: u16, reason: &str) -> StatusDetail {
    StatusDetail {
        code,
        reason: reason.to_owned(),
        message: "scripted".to_owned(),
        ..StatusDetail::default()
    }
}

fn changed(change: Change, object: &Arc<RawObject>) -> WatchEvent {
    WatchEvent::Changed(change, Arc::clone(object))
}

fn bookmark(version: impl IntoVersion, is_initial_events_end: bool) -> WatchEvent {
    WatchEvent::Bookmark { version: version.into_version(), is_initial_events_end }
}

fn error(code: u16, reason: &str) -> WatchEvent {
    WatchEvent::Error(status(code, reason))
}
