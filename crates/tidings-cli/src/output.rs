//! Standard output, which the reader can close at any time: `tidings watch pods -o json | head` ends without an error.
//!
//! Text from a server must be written by [`line`](Output::line) or [`json`](Output::json), which escape terminal
//! control characters.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

use crate::escape::{escaped, escaped_json};

/// Whether a line was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    WriteOutcome,
    /// The reader has closed the pipe.
    Closed,
}

/// Buffered standard output.
pub(crate) struct Output {
    out: BufWriter<Stdout>,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Output { out: BufWriter::new(io::stdout()) }
    }

    /// Escapes and buffers one line until [`flush`](Self::flush).
    pub(crate) fn line(&mut self, line: &str) -> io::Result<WriteOutcome> {
        self.raw_line(&escaped(line))
    }

    /// Escapes and buffers a JSON document. Its meaning does not change.
    pub(crate) fn json(&mut self, json: &str) -> io::Result<WriteOutcome> {
        self.raw_line(&escaped_json(json))
    }

    /// Buffers text that needs no escaping: text of this program, or YAML of
    /// [`safe_yaml`](crate::safe_yaml).
    pub(crate) fn raw_line(&mut self, text: &str) -> io::Result<WriteOutcome> {
        closed(writeln!(self.out, "{text}"))
    }

    pub(crate) fn flush(&mut self) -> io::Result<WriteOutcome> {
        closed(self.out.flush())
    }
}

/// Writes text of this program and a line break, and flushes.
pub(crate) fn print(text: &str) -> io::Result<WriteOutcome> {
    let mut out = Output::stdout();
    match out.raw_line(text)? {
        WriteOutcome::WriteOutcome => out.flush(),
        closed => Ok(closed),
    }
}

/// Completes when the reader has closed standard output. A program that writes nothing would not notice it otherwise.
/// It never completes if standard output is a file, or on a system that can't report it.
pub(crate) async fn reader_gone() {
    #[cfg(unix)]
    if let Some(pipe) = pipe()
        && pipe.ready(tokio::io::Interest::ERROR).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Standard output as a pipe that can be polled. Nothing is written through it, so that it can stay in blocking mode:
/// the mode would apply to all processes that share the pipe.
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
