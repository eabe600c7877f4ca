//! The errors of an informer: what it refuses or how it failed ([`InformerError`]), and why a wait ended early
//! ([`WaitError`]).

use std::fmt;

use tidings_object::Version;
use tidings_source::{ClientError, StreamScope};

use crate::indexer::IndexError;

/// An operation that an informer refused, or the failure that ended the informer or one of its streams.
///
/// After [`Panicked`](Self::Panicked) or [`StreamEnded`](Self::StreamEnded) the cache is readable but no longer
/// changes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InformerError {
    /// The informer has stopped. It can't be started again: get a new one from the factory.
    #[error("{what} was not added to the informer of {informer} because it has stopped already")]
    Stopped {
        /// What was to be added.
        what: String,
        /// The informer's name.
        informer: String,
    },
    /// The informer has failed. Get a new one from the factory.
    #[error("{what} was not added: {failure}")]
    Failed {
        /// What was to be added.
        what: String,
        /// How the informer failed.
        failure: Box<InformerError>,
    },
    /// An index can't be added or read.
    #[error("an index of the informer of {informer}: {source}")]
    Index {
        /// The informer's name.
        informer: String,
        /// The cause.
        r#source: IndexError,
    },
    /// A namespace has a name that no cluster accepts.
    #[error("changing the namespaces of the informer of {informer}: {source}")]
    Namespace {
        /// The informer's name.
        informer: String,
        /// The cause.
        r#source: ClientError,
    },
    /// The resource of a requested informer is not valid.
    #[error("requesting an informer: {0}")]
    Resource(ClientError),
    /// The informer exists already, with another value of an option.
    #[error(
        "the informer of {informer} exists with {option} = {existing}, but {requested} was requested; \
         request it with the same options everywhere, or set them once in the factory's builder"
    )]
    OptionsDiffer {
        /// The informer's name.
        informer: String,
        /// The option.
        option: &'static str,
        /// The requested value.
        requested: String,
        /// The value that the informer was made with.
        existing: String,
    },
    /// A handler can't be added as it is.
    #[error("a handler was not added to the informer of {informer}: {problem}")]
    InvalidHandler {
        /// The informer's name.
        informer: String,
        /// What is wrong with the handler.
        problem: &'static str,
    },
    /// The task of the informer panicked, which ended the informer for all its users. Get a new one from the factory.
    #[error("the informer of {informer} panicked: {message}")]
    Panicked {
        /// The informer's name.
        informer: String,
        /// The panic's message.
        message: String,
    },
    /// One stream of the informer ended: its reflector panicked, or its [`StopPolicy`](crate::reflector::StopPolicy)
    /// gave up. The other namespaces of the informer are still followed. The informer recovers when it no longer
    /// follows this scope.
    #[error("the informer of {informer} has stopped watching {scope}: {cause}")]
    StreamEnded {
        /// The informer's name.
        informer: String,
        /// What is no longer listed and state.
        scope: StreamScope,
        /// The cause.
        cause: String,
    },
}

/// Why a wait ended before its condition was true.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The deadline passed.
    #[error("timed out while waiting for {what}; the cache is at version {}", OrNone(.reached))]
    DeadlinePassed {
        /// What was waited for.
        what: String,
        /// The version of the cache.
        reached: Option<Version>,
    },
    /// The server's versions went back, for instance after a restore from a backup. The awaited version will be used
    /// for another change: read the object from the server again.
    #[error(
        "the versions of the server went back while waiting for {what}: read the object from the server again"
    )]
    WentBack {
        /// What was waited for.
        what: String,
    },
    /// The informer does not watch that namespace, or objects with those labels.
    #[error("this informer does not watch {what}")]
    NotWatched {
        /// What was waited for.
        what: String,
    },
    /// The given object is not the answer to a write.
    #[error("waiting for a write: the given metadata has no {missing}, so it is not the answer to a write")]
    NotWritten {
        /// The missing field.
        missing: &'static str,
    },
    /// The versions of this server are not numbers, so that they have no order.
    #[error("version {version} is not a number and has no order: wait for the object itself")]
    NoOrder {
        /// The version.
        version: String,
    },
    /// The informer has stopped.
    #[error("the informer stopped while waiting for {what}")]
    Stopped {
        /// What was waited for.
        what: String,
    },
    /// The informer has failed.
    #[error("waiting for {what} failed: {failure}")]
    Failed {
        /// What was waited for.
        what: String,
        /// How it failed.
        failure: Box<InformerError>,
    },
    /// Some informers or handlers have not synced, and will not, or did not in time.
    #[error("{}", List(.informers))]
    NotSynced {
        /// Each of them, with the reason.
        informers: Vec<Unsynced>,
    },
}

/// An informer or handler that has not synced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsynced {
    /// Its name.
    pub name: String,
    /// What it is waiting for, or why it will never sync.
    pub reason: String,
}

impl InformerError {
    /// The name of the informer; empty if it was never made.
    pub fn informer(&self) -> &str {
        match self {
            InformerError::Stopped { informer, .. }
            | InformerError::Index { informer, .. }
            | InformerError::Namespace { informer, .. }
            | InformerError::InvalidHandler { informer, .. }
            | InformerError::OptionsDiffer { informer, .. }
            | InformerError::Panicked { informer, .. }
            | InformerError::StreamEnded { informer, .. } => informer,
            InformerError::Failed { failure, .. } => failure.informer(),
            InformerError::Resource(_) => "",
        }
    }

    /// What happened, without the name of the informer.
    #[doc(hidden)]
    pub fn reason(&self) -> String {
        match self {
            InformerError::Panicked { message, .. } => format!("it panicked: {message}"),
            InformerError::StreamEnded { scope, cause, .. } => {
                format!("it has stopped watching {scope}: {cause}")
            }
            other => other.to_string(),
        }
    }
}

impl Unsynced {
    /// For a controller, which is not an informer.
    #[doc(hidden)]
    pub fn new(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Unsynced { name: name.into(), reason: reason.into() }
    }
}

impl From<Unsynced> for WaitError {
    fn from(unsynced: Unsynced) -> Self {
        WaitError::NotSynced { informers: vec![unsynced] }
    }
}

impl fmt::Display for Unsynced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has not synced: {}", self.name, self.reason)
    }
}

/// The version, or `none yet`.
struct OrNone<'a>(&'a Option<Version>);

impl fmt::Display for OrNone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(version) => version.fmt(f),
            None => f.write_str("none yet"),
        }
    }
}

/// Separated by `; `.
struct List<'a>(&'a [Unsynced]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, unsynced) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            unsynced.fmt(f)?;
        }
        Ok(())
    }
}
