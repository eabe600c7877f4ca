//! Standard output that may be closed at any time: `tidings watch pods -o json | head` ends, and does not print_failure.
//!
//! What a server sent goes through [`line`](Output::line) or [`json`](Output::json), which leave nothing in it that a
//! terminal would obey.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

use crate::escape::{escaped, escaped_json};

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// It is out.
    WriteOutcome,
    /// Nobody reads any more.
    Closed,
}

/// Lines to standard output.
pub(crate) struct Output {
    out: BufWriter<Stdout>,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Output { out: BufWriter::new(io::stdout()) }
    }

    /// One line for people, held back until [`flush`](Self::flush).
    pub(crate) fn line(&mut self, line: &str) -> io::Result<WriteOutcome> {
        self.raw_line(&escaped(line))
    }

    /// A JSON document, held back as well. It means the same.
    pub(crate) fn json(&mut self, json: &str) -> io::Result<WriteOutcome> {
        self.raw_line(&escaped_json(json))
    }

    /// Text of our own, or YAML, whose writer escapes control characters; held back as well.
    pub(crate) fn raw_line(&mut self, text: &str) -> io::Result<WriteOutcome> {
        closed(writeln!(self.out, "{text}"))
    }

    /// What was held back.
    pub(crate) fn flush(&mut self) -> io::Result<WriteOutcome> {
        closed(self.out.flush())
    }
}

/// A text of our own and a line break, at once.
pub(crate) fn print(text: &str) -> io::Result<WriteOutcome> {
    let mut out = Output::stdout();
    match out.raw_line(text)? {
        WriteOutcome::WriteOutcome => out.flush(),
        closed => Ok(closed),
    }
}

/// Ends when nobody reads standard output any more: a program that has nothing to write would not notice. It never ends
/// if standard output is a file, or where the system can't tell.
pub(crate) async fn reader_gone() {
    #[cfg(unix)]
    if let Some(pipe) = pipe()
        && pipe.ready(tokio::io::Interest::ERROR).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Standard output, if it can be waited for. Nothing is written through this, so that it need not be non-blocking, which
/// would be so for everybody who shares the pipe.
#[cfg(unix)]
fn pipe() -> Option<tokio::net::unix::pipe::Sender> {
    use std::os::fd::AsFd as _;

    let stdout = io::stdout().as_fd().try_clone_to_owned().ok()?;
    tokio::net::unix::pipe::Sender::from_owned_fd_unchecked(stdout).ok()
}

fn closed(done: io::Result<()>) -> io::Result<WriteOutcome> {
    match done {
        Ok(()) => Ok(WriteOutcome::WriteOutcome),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(WriteOutcome::Closed),
        Err(error) => Err(error),
    }
}
