//! A streaming list (KEP-3157): the initial events of a watch, up to the marker that ends them. After it the
//! same stream goes on as the watch.
//!
//! Before the marker nothing is recorded and the sink sees nothing: initial events come in no order of versions,
//! so a version seen among them says nothing about the others.
//!
//! A server that ignores `sendInitialEvents` sends no marker, ever, but may send events and bookmarks for ever. It is
//! recognised by two rules, and then asked for a list. A bookmark without the marker refuses at once: kube-apiserver
//! discards those that are due before the marker (`cacheWatcher.nonblockingAdd`). And after ten seconds only progress
//! counts ([`InitialProgress`]).

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{
    ChangeType, ErrorClass, ListWatch, SourceError, StatusDetail, WatchEvent, WatchOptions, WatchStream,
};
use tokio::time::{Instant, timeout};

use super::config::{ListMode, ReflectorConfig};
use super::initial_progress::{InitialProgress, Stalled};
use super::observer::{CompletedList, ReflectorActivity, TracedObserver};
use super::phase::{FailureStage, ListVersion, OperationEnd};
use super::run::{FinishedOperation, epoch, usable};
use super::sink::{Replacement, Sink};
use super::watch::{OpenWatch, classify_close};
use super::{EVENTS_PER_UNIT, Reflector};
use crate::coop_budget::CoopBudget;

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn stream_list(&mut self, at: ListVersion) -> FinishedOperation {
        let options = WatchOptions {
            version: self.seen(at),
            timeout_seconds: Some(self.config.watch_timeout_seconds(&mut self.rng)),
            allow_bookmarks: true,
            send_initial_events: true,
        };
        self.observer.listing(ListMode::Streaming, options.version.as_ref());
        let mut open = OpenWatch::asked(&options);
        let mut replacement = self.sink.begin_replace(self.source.scope());
        let mut initial = InitialEvents {
            config: &self.config,
            observer: &self.observer,
            version: options.version.clone(),
            asked_at: open.asked_at,
            received: 0,
        };
        let listed = match initial.open(&*self.source, options).await {
            Ok(stream) => initial.take(&*self.source, stream, &mut replacement).await,
            Err(ended) => Err(ended),
        };
        let (stream, version) = match listed {
            Ok(listed) => listed,
            Err(ended) => return *ended,
        };
        let (mode, objects, took) = (ListMode::Streaming, replacement.len(), open.asked_at.elapsed());
        let epoch = epoch(self.last.as_ref(), &version, &self.observer);
        replacement.commit(version.clone(), epoch).await;
        self.last = usable(version.clone());
        self.observer.listed(&CompletedList { mode, version, objects, pages: 1, took, sharded: None });
        open.stream = Some(stream);
        open.has_events = true;
        self.open = Some(open);
        FinishedOperation::listed()
    }
}

/// How errors name the request.
const VERB: &str = "stream list";

/// The initial events, while they come in.
struct InitialEvents<'a> {
    config: &'a ReflectorConfig,
    observer: &'a TracedObserver,
    /// The version that was asked for.
    version: Option<Version>,
    asked_at: Instant,
    received: usize,
}

impl InitialEvents<'_> {
    async fn open<L: ListWatch + ?Sized>(
        &self,
        source: &L,
        options: WatchOptions,
    ) -> Result<WatchStream, Box<FinishedOperation>> {
        let Ok(opened) = timeout(self.config.marker_silence_max, source.watch(options)).await else {
            return Err(self.silent());
        };
        let stream = opened.map_err(|error| self.failed(FailureStage::Opening, error))?;
        self.observer.answered(source.wire());
        Ok(stream)
    }

    /// Collects everything up to the marker, and gives the stream back with the marker's version.
    async fn take<L: ListWatch + ?Sized>(
        &mut self,
        source: &L,
        mut stream: WatchStream,
        into: &mut impl Replacement,
    ) -> Result<(WatchStream, Version), Box<FinishedOperation>> {
        let mut progress = InitialProgress::new(source, self.config, self.observer, self.asked_at);
        let mut coop_budget = CoopBudget::<EVENTS_PER_UNIT>::default();
        loop {
            coop_budget.step().await;
            let next = progress.within(stream.next()).await.map_err(|Stalled| self.silent())?;
            let new_object = match next {
                Some(Ok(WatchEvent::Changed(ChangeType::Added | ChangeType::Modified, object))) => {
                    let (objects, version) = (into.len(), object.version().clone());
                    self.received += 1;
                    self.observer.item(&object);
                    into.accept(object);
                    (into.len() > objects).then_some(version)
                }
                Some(Ok(WatchEvent::Changed(ChangeType::Deleted, object))) => {
                    self.received += 1;
                    into.retract(&object);
                    None
                }
                Some(Ok(WatchEvent::Bookmark { version, is_initial_events_end: true })) => {
                    return Ok((stream, version));
                }
                Some(Ok(WatchEvent::Bookmark { .. })) => return Err(self.unmarked()),
                Some(Ok(WatchEvent::Skipped(skipped))) => {
                    self.observer.skipped(&skipped);
                    None
                }
                Some(Ok(WatchEvent::Error(status))) => return Err(self.ended_by(status)),
                Some(Err(error)) => return Err(self.failed(FailureStage::Streaming, error)),
                None => return Err(self.closed()),
            };
            progress.received(new_object.as_ref()).map_err(|Stalled| self.silent())?;
        }
    }

    /// A server that answers a streaming list with nothing but an internal error does not speak it.
    fn ended_by(&self, status: StatusDetail) -> Box<FinishedOperation> {
        let is_refusal = status.code == 500 && self.received == 0;
        let asked = self.observer.asked(VERB, self.version.as_ref());
        let error = SourceError::in_stream(asked, status);
        if is_refusal {
            self.ended(OperationEnd::StreamingRefused, error)
        } else {
            self.failed(FailureStage::Streaming, error)
        }
    }

    fn failed(&self, stage: FailureStage, error: SourceError) -> Box<FinishedOperation> {
        let end = match (stage, error.class()) {
            (_, ErrorClass::StreamingListRefused) => OperationEnd::StreamingRefused,
            (FailureStage::Streaming, ErrorClass::Network) => self.broken_off(),
            (stage, class) => OperationEnd::Failed(stage, class),
        };
        self.ended(end, error)
    }

    fn silent(&self) -> Box<FinishedOperation> {
        let silence = self.config.marker_silence_max;
        let message =
            format!("the end of the initial events did not come, and no other initial event for {silence:?}");
        self.ended(OperationEnd::Silent, self.observer.network(VERB, self.version.as_ref(), message))
    }

    fn unmarked(&self) -> Box<FinishedOperation> {
        let message =
            "a bookmark came before the end of the initial events: the server ignores sendInitialEvents";
        let error = self.observer.network(VERB, self.version.as_ref(), message.to_owned());
        self.ended(OperationEnd::StreamingRefused, error)
    }

    fn closed(&self) -> Box<FinishedOperation> {
        let message = "closed before the end of the initial events".to_owned();
        self.ended(self.broken_off(), self.observer.network(VERB, self.version.as_ref(), message))
    }

    fn broken_off(&self) -> OperationEnd {
        classify_close(self.asked_at, self.received > 0)
    }

    fn ended(&self, end: OperationEnd, error: SourceError) -> Box<FinishedOperation> {
        Box::new(FinishedOperation::with(end, error, ReflectorActivity::StreamingList))
    }
}
