//! A `tracing` subscriber that records every event of tidings-informer on this thread.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Records every event as `LEVEL field=value …`.
#[derive(Clone, Default)]
pub(crate) struct Traced(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Traced {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tidings_informer")
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

impl Traced {
    /// Subscribes on this thread. With one dispatcher, `tracing` caches the interest of the thread on which an event
    /// first happens, and the other tests of this process have no subscriber. With two, it asks both.
    pub(crate) fn subscribe(&self) -> (tracing::Dispatch, tracing::subscriber::DefaultGuard) {
        (tracing::Dispatch::new(self.clone()), tracing::subscriber::set_default(self.clone()))
    }

    /// The events that contain this text.
    pub(crate) fn only(&self, part: &str) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        lines.iter().filter(|line| line.contains(part)).cloned().collect()
    }
}
