//! Faults: errors after which an informer continues. Each one is counted, logged as a `tracing` event, and passed to
//! the user's error hook. A new kind of fault is a variant here, a counter in [`FaultCounts`], and a line in the
//! metrics of tidings-factory.

use std::fmt;
use std::sync::Arc;

use tidings_object::ReadError;
use tidings_source::{Skipped, SourceError};

use crate::indexer::IndexFault;
use crate::sync::{AtomicU64, Ordering};

/// An error after which the informer continues.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum InformerFault {
    /// A list or watch failed. The reflector retries.
    Source(SourceError),
    /// The server sent something that is not an object of this resource. It was skipped.
    Skipped(Skipped),
    /// An object is cached, but the transform or a reader could not read its body.
    Unreadable(ReadError),
    /// An index function returned an error or panicked. The object is cached, but not in that index.
    Index(IndexFault),
    /// A handler panicked. It continues with the next notification.
    HandlerPanicked {
        /// The handler's name.
        handler: String,
        /// The key of the object, or `its end` if the handler panicked when it was dropped.
        key: String,
        /// The panic's message.
        message: String,
    },
    /// A part of the informer itself panicked. If it was the informer's task, the informer has ended, and
    /// [`Health::failures`](crate::informer::Health::failures) has the cause.
    Panicked {
        /// The part.
        part: String,
        /// The panic's message.
        message: String,
    },
    /// The versions of the server went back: it was restored from a backup.
    WentBack {
        /// The version of the cache.
        from: String,
        /// The version of the new list.
        to: String,
    },
}

/// The number of faults of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FaultCounts {
    /// Lists and watches that failed.
    pub source: u64,
    /// Frames that were skipped.
    pub skipped: u64,
    /// Objects whose body could not be read.
    pub unreadable: u64,
    /// Errors and panics of index functions.
    pub index: u64,
    /// Handler panics.
    pub handler_panics: u64,
    /// How often the versions of the server went back.
    pub went_back: u64,
    /// Panics of the informer itself.
    pub panics: u64,
}

/// A function that is called with every fault.
pub type ErrorHook = Arc<dyn Fn(&InformerFault) + Send + Sync>;

/// Counts, logs and reports the faults of one informer.
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
    /// Whether the reflector has already logged it, with the fields of the request. Each fault is logged once.
    fn is_traced_by_the_reflector(&self) -> bool {
        matches!(self, InformerFault::Source(_) | InformerFault::Skipped(_) | InformerFault::WentBack { .. })
    }

    /// Its position among the counters.
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
            InformerFault::Skipped(Skipped::Object(error)) => write!(f, "skipped: {error}"),
            InformerFault::Skipped(Skipped::UnknownEvent { event_type }) => {
                write!(f, "skipped: an event of unknown type {event_type:?}")
            }
            InformerFault::Unreadable(error) => error.fmt(f),
            InformerFault::Index(fault) => {
                write!(f, "index {:?} does not contain {}: {}", fault.index, fault.key, fault.cause)
            }
            InformerFault::HandlerPanicked { handler, key, message } => {
                write!(f, "handler {handler:?} panicked at {key}: {message}")
            }
            InformerFault::Panicked { part, message } => write!(f, "{part} panicked: {message}"),
            InformerFault::WentBack { from, to } => {
                write!(
                    f,
                    "the versions of the server went back from {from} to {to}: was it restored from a backup?"
                )
            }
        }
    }
}
