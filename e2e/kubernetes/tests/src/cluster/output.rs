//! The last warnings and errors of a server, for failed tests. The number of lines is bounded.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use crate::sync::Mutex;

const LINES_MAX: usize = 60;
const LINE_BYTES_MAX: u64 = 400;

#[derive(Debug, Clone, Default)]
pub(crate) struct Output(Arc<Mutex<VecDeque<String>>>);

impl Output {
    /// Reads until the server ends, in its own thread: a full pipe would block the server.
    pub(crate) fn of(pipe: impl Read + Send + 'static) -> Output {
        let output = Output::default();
        let kept = output.clone();
        std::thread::spawn(move || kept.keep(BufReader::new(pipe)));
        output
    }

    fn keep(&self, mut pipe: impl BufRead) {
        let mut line = Vec::new();
        while matches!((&mut pipe).take(LINE_BYTES_MAX).read_until(b'\n', &mut line), Ok(1..)) {
            if line.last() != Some(&b'\n') && pipe.skip_until(b'\n').is_err() {
                return;
            }
            if !is_information(&line) {
                let mut lines = self.0.lock();
                if lines.len() == LINES_MAX {
                    lines.pop_front();
                }
                lines.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            line.clear();
        }
    }

    pub(crate) fn last(&self) -> String {
        self.0.lock().iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// Lines at level info start with `I` and the date. There are hundreds at every start.
fn is_information(line: &[u8]) -> bool {
    matches!(line, [b'I', digit, ..] if digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_errors_are_kept_and_long_lines_are_cut() {
        let output = Output::default();
        output.keep("E1116 trouble\nI1116 nothing new\n".as_bytes());
        assert_eq!(output.last(), "E1116 trouble");
        let text: String = (0..LINES_MAX * 2).map(|number| format!("line {number}\n")).collect();
        output.keep((text + &"x".repeat(5_000) + "\nlast").as_bytes());
        let last = output.last();
        assert_eq!(last.lines().count(), LINES_MAX);
        assert!(
            !last.contains("line 5\n") && last.contains("line 119\n") && last.ends_with("\nlast"),
            "{last}"
        );
        assert!(last.lines().all(|line| line.len() <= LINE_BYTES_MAX as usize));
    }
}
