//! Each fault is logged as one `tracing` event, whichever module notices it.
//!
//! This test has its own process: `tracing` caches whether an event has subscribers when the event first happens, and
//! other tests in the process, which have no subscriber, would race with that.

#![allow(missing_docs, reason = "tests")]

#[path = "it/informer/fixture.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod fixture;
#[path = "it/informer/notification_log.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod notification_log;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tidings_informer::delta::QueueOrder;
use tidings_informer::indexer::Index;
use tidings_informer::informer::Handler;
use tidings_object::IntakeError;
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tidings_source::{ErrorKind, Skipped, StreamScope};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::fixture::{InformerFixture, config, pod, seconds};

/// Records events as `LEVEL field=value …`.
#[derive(Clone, Default)]
struct RecordedEvents(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for RecordedEvents {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tidings_informer") && *metadata.level() <= Level::INFO
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

// holds: X2
#[tokio::test(start_paused = true)]
async fn each_fault_is_logged_once() {
    let recorded = RecordedEvents::default();
    let _guard = tracing::subscriber::set_default(recorded.clone());
    let bad = StreamScope::Namespace("bad".into());
    let mut fixture =
        InformerFixture::over(config(QueueOrder::InOrder), &[StreamScope::All, bad.clone()], &[]);
    fixture.informer.add_handler(Handler::new().on_add(|_, _| panic!("from the handler"))).unwrap();
    fixture.informer.add_index(Index::raw("broken", |_| panic!("from the index"))).unwrap();
    fixture.source_of(&bad).will_list_always(|_| panic!("from the source"));
    fixture.source.will_list(ListAnswer::status(500, "from the list"));
    fixture.source.will_list(ListAnswer::page(5).object(&pod("a", 1)));
    let broken = ErrorKind::Network { message: "from the watch".to_owned(), is_refused: false };
    let unnamed = Skipped::Object(IntakeError::NoIdentity { missing: "from the frame" });
    fixture
        .source
        .will_watch(WatchAnswer::open().event(tidings_source::WatchEvent::Skipped(unnamed)).broken(broken));
    fixture.source.will_watch_always(|_| WatchAnswer::open().hang());
    fixture.start();
    tokio::time::sleep(seconds(60)).await;
    let lines = recorded.0.lock().unwrap().clone();
    for fault in ["handler", "index", "source", "list", "frame", "watch"] {
        let about = |line: &&String| line.contains(&format!("from the {fault}"));
        assert_eq!(lines.iter().filter(about).count(), 1, "{fault}: {lines:#?}");
    }
    assert_eq!(fixture.faults.all().len(), 6, "{:#?}", fixture.faults.all());
    fixture.end().await;
}
