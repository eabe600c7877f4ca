//! The one place that every failure reaches: a hook of the user's, a counter, and a `tracing` event.

use std::fmt;
use std::sync::Arc;

use tidings_object::ReadError;
use tidings_source::{Skipped, SourceError};

use crate::indexer::IndexFault;
use crate::sync::{AtomicU64, Ordering};

/// Something that went wrong and that the informer went on from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum InformerFault {
    /// A list or watch went wrong; it is tried again.
    Source(SourceError),
    /// The server sent something that is no object of this resource; it was left out.
    Skipped(Skipped),
    /// An object is cached but its body can't be read: by the transform, or by whoever looked.
    Unreadable(ReadError),
    /// An index function gave an error or panicked; the object is cached but not in that index.
    Index(IndexFault),
    /// A handler panicked; it goes on with the next notification.
    HandlerPanicked {
        /// The handler's name.
        handler: String,
        /// The object that it was told of, or `its end` if it panicked when it was dropped.
        key: String,
        /// The panic's message.
        message: String,
    },
    /// A part of the informer itself panicked. If it was the informer's task, the informer has ended: see
    /// [`Health::failures`](crate::informer::Health::failures).
    Panicked {
        /// Which part.
        part: String,
        /// The panic's message.
        message: String,
    },
    /// The server went back in time: it was restored from a backup.
    WentBack {
        /// The version we had reached.
        from: String,
        /// The version of its list.
        to: String,
    },
}

/// How often each kind of fault was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaultCounts {
    /// Lists and watches that went wrong.
    pub source: u64,
    /// Frames that were left out.
    pub skipped: u64,
    /// Objects whose body could not be read.
    pub unreadable: u64,
    /// Index functions that gave an error.
    pub index: u64,
    /// Handler panics.
    pub handler_panics: u64,
    /// Times that the server went back.
    pub went_back: u64,
    /// Panics of the informer itself.
    pub panics: u64,
}

/// What is called with every fault.
pub type ErrorHook = Arc<dyn Fn(&InformerFault) + Send + Sync>;

/// Where faults are reported.
pub(crate) struct FaultReporter {
    informer: String,
    hook: Option<ErrorHook>,
    counters: [AtomicU64; 7],
}

impl FaultReporter {
    pub(crate) fn new(informer: String, hook: Option<ErrorHook>) -> Self {
        FaultReporter { informer, hook, counters: Default::default() }
    }

    pub(crate) fn report(&self, fault: &InformerFault) {
        self.counters[fault.class()].fetch_add(1, Ordering::Relaxed);
        if !fault.is_traced_by_the_reflector() {
            tracing::warn!(informer = %self.informer, fault = %fault, "informer fault");
        }
        if let Some(hook) = &self.hook {
            let call = std::panic::AssertUnwindSafe(|| hook(fault));
            if std::panic::catch_unwind(call).is_err() {
                tracing::error!(informer = %self.informer, "the error hook panicked");
            }
        }
    }

    /// The informer's name.
    pub(crate) fn informer(&self) -> &str {
        &self.informer
    }

    pub(crate) fn counts(&self) -> FaultCounts {
        let [source, skipped, unreadable, index, handler_panics, went_back, panics] =
            std::array::from_fn(|class| self.counters[class].load(Ordering::Relaxed));
        FaultCounts { source, skipped, unreadable, index, handler_panics, went_back, panics }
    }
}

impl InformerFault {
    /// Whether there is a `tracing` event of it already, at a level by its class and with the fields of its request: one
    /// fault is one event.
    fn is_traced_by_the_reflector(&self) -> bool {
        matches!(self, InformerFault::Source(_) | InformerFault::Skipped(_) | InformerFault::WentBack { .. })
    }

    /// Its place among the counters.
    fn class(&self) -> usize {
        match self {
            InformerFault::Source(_) => 0,
            InformerFault::Skipped(_) => 1,
            InformerFault::Unreadable(_) => 2,
            InformerFault::Index(_) => 3,
            InformerFault::HandlerPanicked { .. } => 4,
            InformerFault::WentBack { .. } => 5,
            InformerFault::Panicked { .. } => 6,
        }
    }
}

impl fmt::Display for InformerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InformerFault::Source(error) => error.fmt(f),
            InformerFault::Skipped(Skipped::Object(error)) => write!(f, "left out: {error}"),
            InformerFault::Skipped(Skipped::UnknownEvent { event_type }) => {
                write!(f, "left out: an event of unknown type {event_type:?}")
            }
            InformerFault::Unreadable(error) => error.fmt(f),
            InformerFault::Index(fault) => {
                write!(f, "index {:?} left out {}: {}", fault.index, fault.key, fault.cause)
            }
            InformerFault::HandlerPanicked { handler, key, message } => {
                write!(f, "handler {handler:?} panicked at {key}: {message}")
            }
            InformerFault::Panicked { part, message } => write!(f, "{part} panicked: {message}"),
            InformerFault::WentBack { from, to } => {
                write!(f, "the server went back from version {from} to {to}: restored from a backup?")
            }
        }
    }
}
