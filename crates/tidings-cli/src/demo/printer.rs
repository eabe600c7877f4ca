//! What the demo says while it runs, from handlers and workers alike. It notices when nobody reads any more.

use std::fmt::Display;
use std::io::{ErrorKind, Write as _};

use tokio_util::sync::CancellationToken;

use crate::escape::escaped;

/// Lines to standard output; clones speak with the same printer.
#[derive(Clone, Default)]
pub(super) struct LinePrinter {
    closed: CancellationToken,
}

impl LinePrinter {
    /// One line.
    pub(super) fn print(&self, what: &str, text: impl Display) {
        let written = writeln!(std::io::stdout(), "{what:<11} {}", escaped(&text.to_string()));
        if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            self.closed.cancel();
        }
    }

    /// Ends when nobody reads any more.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }
}
