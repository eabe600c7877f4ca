//! Prints the lines of the demo, from handlers and workers. It notices when the reader closes the pipe.

use std::fmt::Display;
use std::io::{ErrorKind, Write as _};

use tokio_util::sync::CancellationToken;

use crate::escape::escaped;

/// Writes lines to standard output. Clones share the state of the pipe.
#[derive(Clone, Default)]
pub(super) struct LinePrinter {
    closed: CancellationToken,
}

impl LinePrinter {
    pub(super) fn print(&self, what: &str, text: impl Display) {
        let written = writeln!(std::io::stdout(), "{what:<11} {}", escaped(&text.to_string()));
        if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            self.closed.cancel();
        }
    }

    /// Completes when the reader has closed the pipe.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }
}
