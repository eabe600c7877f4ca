//! The responses that a test can script: a page, a watch, a failure, silence.

use std::sync::Arc;
use std::time::Duration;

use tidings_object::RawObject;
use tokio::sync::mpsc;

use super::IntoVersion;
use super::script::{Script, ScriptStep};
use crate::{ChangeType, ErrorKind, ListEnd, ListPart, Skipped, StatusDetail, WatchEvent};

/// The response to one LIST.
#[derive(Debug)]
pub struct ListResponse {
    script: Script<ListPart>,
    end: Option<ListEnd>,
}

/// The response to one WATCH. Unless it hangs, the server closes it after its last event.
#[derive(Debug)]
pub struct WatchResponse {
    script: Script<WatchEvent>,
}

/// Sends events to a watch while the test runs. Dropping it closes the watch.
#[derive(Debug, Clone)]
pub struct WatchFeed {
    events: mpsc::UnboundedSender<Result<WatchEvent, ErrorKind>>,
}

impl ListResponse {
    /// A page of a list at this version, without objects.
    pub fn page(version: impl IntoVersion) -> ListResponse {
        let version = version.into_version();
        let end = ListEnd { version, continue_token: None, remaining_items: None, sharded: None };
        ListResponse { script: Script::open(), end: Some(end) }
    }

    /// The request fails with this error.
    pub fn refused(kind: ErrorKind) -> ListResponse {
        ListResponse { script: Script::refused(kind), end: None }
    }

    /// The server answers with a failure.
    pub fn status(code: u16, reason: &str) -> ListResponse {
        ListResponse::refused(status_error(code, reason))
    }

    /// There is never a response.
    pub fn hanging() -> ListResponse {
        ListResponse { script: Script::hanging(), end: None }
    }

    /// Delays the response.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.script.delay = delay;
        self
    }

    /// Adds an object.
    #[must_use]
    pub fn object(self, object: &Arc<RawObject>) -> Self {
        self.part(ListPart::Object(Arc::clone(object)))
    }

    /// Adds objects.
    #[must_use]
    pub fn objects<'a>(self, objects: impl IntoIterator<Item = &'a Arc<RawObject>>) -> Self {
        objects.into_iter().fold(self, Self::object)
    }

    /// Adds an item that is not an object of the resource.
    #[must_use]
    pub fn skipped(self, skipped: Skipped) -> Self {
        self.part(ListPart::Skipped(skipped))
    }

    /// There is a next page with this token.
    ///
    /// # Panics
    /// If the page has no end.
    #[must_use]
    pub fn next_page(mut self, token: &str) -> Self {
        self.end.as_mut().expect("the page has an end").continue_token = Some(token.to_owned());
        self
    }

    /// How many objects are on the pages after this one.
    ///
    /// # Panics
    /// If the page has no end.
    #[must_use]
    pub fn remaining(mut self, items: u64) -> Self {
        self.end.as_mut().expect("the page has an end").remaining_items = Some(items);
        self
    }

    /// Pauses in the middle of the page.
    #[must_use]
    pub fn wait(mut self, pause: Duration) -> Self {
        self.script.steps.push_back(ScriptStep::Wait(pause));
        self
    }

    /// The page fails here with this error.
    #[must_use]
    pub fn broken(mut self, kind: ErrorKind) -> Self {
        self.script.steps.push_back(ScriptStep::Yield(Err(kind)));
        self.end = None;
        self
    }

    /// The page is truncated here.
    #[must_use]
    pub fn cut_off(mut self) -> Self {
        self.end = None;
        self
    }

    /// Nothing more arrives, and the connection stays open.
    #[must_use]
    pub fn hang(mut self) -> Self {
        self.script.steps.push_back(ScriptStep::Hang);
        self.end = None;
        self
    }

    fn part(mut self, part: ListPart) -> Self {
        self.script.steps.push_back(ScriptStep::Yield(Ok(part)));
        self
    }

    pub(super) fn into_script(mut self) -> Script<ListPart> {
        if let Some(end) = self.end {
            self.script.steps.push_back(ScriptStep::Yield(Ok(ListPart::End(end))));
        }
        self.script
    }
}

impl WatchResponse {
    /// A watch that opens, without events so far.
    pub fn open() -> WatchResponse {
        WatchResponse { script: Script::open() }
    }

    /// The watch does not open: the request fails with this error.
    pub fn refused(kind: ErrorKind) -> WatchResponse {
        WatchResponse { script: Script::refused(kind) }
    }

    /// The watch does not open: the server answers with a failure.
    pub fn status(code: u16, reason: &str) -> WatchResponse {
        WatchResponse::refused(status_error(code, reason))
    }

    /// There is never a response.
    pub fn hanging() -> WatchResponse {
        WatchResponse { script: Script::hanging() }
    }

    /// Delays the response.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.script.delay = delay;
        self
    }

    /// Adds an event.
    #[must_use]
    pub fn event(self, event: WatchEvent) -> Self {
        self.step(ScriptStep::Yield(Ok(event)))
    }

    /// `ADDED`.
    #[must_use]
    pub fn added(self, object: &Arc<RawObject>) -> Self {
        self.event(changed(ChangeType::Added, object))
    }

    /// `ADDED` for each.
    #[must_use]
    pub fn all_added<'a>(self, objects: impl IntoIterator<Item = &'a Arc<RawObject>>) -> Self {
        objects.into_iter().fold(self, Self::added)
    }

    /// `MODIFIED`.
    #[must_use]
    pub fn modified(self, object: &Arc<RawObject>) -> Self {
        self.event(changed(ChangeType::Modified, object))
    }

    /// `DELETED`.
    #[must_use]
    pub fn deleted(self, object: &Arc<RawObject>) -> Self {
        self.event(changed(ChangeType::Deleted, object))
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

    /// The stream fails here with this error.
    #[must_use]
    pub fn broken(self, kind: ErrorKind) -> Self {
        self.step(ScriptStep::Yield(Err(kind)))
    }

    /// Pauses.
    #[must_use]
    pub fn wait(self, pause: Duration) -> Self {
        self.step(ScriptStep::Wait(pause))
    }

    /// Nothing more arrives, and the connection stays open.
    #[must_use]
    pub fn hang(self) -> Self {
        self.step(ScriptStep::Hang)
    }

    fn step(mut self, step: ScriptStep<WatchEvent>) -> Self {
        self.script.steps.push_back(step);
        self
    }

    pub(super) fn into_script(self) -> Script<WatchEvent> {
        self.script
    }
}

impl WatchFeed {
    pub(super) fn new() -> (WatchFeed, WatchResponse) {
        // Unbounded: a test sends a bounded number of events.
        let (events, live) = mpsc::unbounded_channel();
        (WatchFeed { events }, WatchResponse::open().step(ScriptStep::Live(live)))
    }

    /// Sends one event, unless the watch is no longer read.
    pub fn event(&self, event: WatchEvent) {
        let _ = self.events.send(Ok(event));
    }

    /// `ADDED`.
    pub fn added(&self, object: &Arc<RawObject>) {
        self.event(changed(ChangeType::Added, object));
    }

    /// `MODIFIED`.
    pub fn modified(&self, object: &Arc<RawObject>) {
        self.event(changed(ChangeType::Modified, object));
    }

    /// `DELETED`.
    pub fn deleted(&self, object: &Arc<RawObject>) {
        self.event(changed(ChangeType::Deleted, object));
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

    /// Fails the stream.
    pub fn broken(&self, kind: ErrorKind) {
        let _ = self.events.send(Err(kind));
    }

    /// Whether the reader dropped the watch.
    pub fn is_closed(&self) -> bool {
        self.events.is_closed()
    }
}

fn status_error(code: u16, reason: &str) -> ErrorKind {
    ErrorKind::Status(status(code, reason))
}

fn status(code: u16, reason: &str) -> StatusDetail {
    StatusDetail {
        code,
        reason: reason.to_owned(),
        message: "scripted".to_owned(),
        ..StatusDetail::default()
    }
}

fn changed(change: ChangeType, object: &Arc<RawObject>) -> WatchEvent {
    WatchEvent::Changed(change, Arc::clone(object))
}

fn bookmark(version: impl IntoVersion, is_initial_events_end: bool) -> WatchEvent {
    WatchEvent::Bookmark { version: version.into_version(), is_initial_events_end }
}

fn error(code: u16, reason: &str) -> WatchEvent {
    WatchEvent::Error(status(code, reason))
}
