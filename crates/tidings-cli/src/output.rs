//! Standard output that may be closed at any time: `tidings watch pods -o json | head` ends, and does not complain.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// It is out.
    Yes,
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

    /// One line, held back until [`flush`](Self::flush).
    pub(crate) fn line(&mut self, line: &str) -> io::Result<Written> {
        closed(writeln!(self.out, "{line}"))
    }

    /// What was held back.
    pub(crate) fn flush(&mut self) -> io::Result<Written> {
        closed(self.out.flush())
    }
}

/// A text and a line break, at once.
pub(crate) fn print(text: &str) -> io::Result<Written> {
    let mut out = Output::stdout();
    match out.line(text)? {
        Written::Yes => out.flush(),
        closed => Ok(closed),
    }
}

fn closed(done: io::Result<()>) -> io::Result<Written> {
    match done {
        Ok(()) => Ok(Written::Yes),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Written::Closed),
        Err(error) => Err(error),
    }
}
