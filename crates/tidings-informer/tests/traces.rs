//! One fault is one event of `tracing`, whichever stage notices it.
//!
//! It has a process of its own: `tracing` remembers whether anybody listens to an event when it first happens, and tests
//! beside it that listen to nothing would race with that.

#![allow(missing_docs, reason = "tests")]

#[path = "it/informer/heard.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod heard;
#[path = "it/informer/stage.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod stage;

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

use crate::stage::{Stage, config, pod, seconds};

/// Keeps what is worth a line in a log as `LEVEL field=value …`.
#[derive(Clone, Default)]
struct Traced(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Traced {
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
async fn one_fault_is_one_event_in_the_log() {
    let traced = Traced::default();
    let _guard = tracing::subscriber::set_default(traced.clone());
    let bad = StreamScope::Namespace("bad".into());
    let mut stage = Stage::over(config(QueueOrder::InOrder), &[StreamScope::All, bad.clone()], &[]);
    stage.informer.add_handler(Handler::new().on_add(|_, _| panic!("from the handler"))).unwrap();
    stage.informer.add_index(Index::raw("broken", |_| panic!("from the index"))).unwrap();
    stage.source_of(&bad).will_list_always(|_| panic!("from the source"));
    stage.source.will_list(ListAnswer::status(500, "from the list"));
    stage.source.will_list(ListAnswer::page(5).object(&pod("a", 1)));
    let broken = ErrorKind::Network { message: "from the watch".to_owned(), is_refused: false };
    let unnamed = Skipped::Object(IntakeError::NoIdentity { missing: "from the frame" });
    stage
        .source
        .will_watch(WatchAnswer::open().event(tidings_source::WatchEvent::Skipped(unnamed)).broken(broken));
    stage.source.will_watch_always(|_| WatchAnswer::open().hang());
    stage.start();
    tokio::time::sleep(seconds(60)).await;
    let lines = traced.0.lock().unwrap().clone();
    for fault in ["handler", "index", "source", "list", "frame", "watch"] {
        let about = |line: &&String| line.contains(&format!("from the {fault}"));
        assert_eq!(lines.iter().filter(about).count(), 1, "{fault}: {lines:#?}");
    }
    assert_eq!(stage.faults.all().len(), 6, "{:#?}", stage.faults.all());
    stage.end().await;
}
