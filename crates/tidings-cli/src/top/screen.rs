//! Takes over the terminal and restores it. It is restored when [`Screen`] is dropped, and before the message of a
//! panic is printed.

use std::io::{self, Stdout};

use crossterm::cursor::Show;
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;

use super::draw;
use super::state::TopState;
use crate::escape::is_terminal_control;

/// The terminal in raw mode, until this is dropped.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    _restore_on_drop: RestoreOnDrop,
}

/// Restores the terminal when it is dropped.
struct RestoreOnDrop;

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        restore_before_panic_message();
        enable_raw_mode()?;
        let restore_on_drop = RestoreOnDrop;
        execute!(io::stdout(), EnterAlternateScreen)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(Screen { terminal, _restore_on_drop: restore_on_drop })
    }

    pub(super) fn draw(&mut self, state: &TopState) -> io::Result<()> {
        self.terminal.draw(|frame| {
            draw::draw(state, frame);
            remove_control_characters(frame.buffer_mut());
        })?;
        Ok(())
    }
}

/// Removes terminal control characters, because names and messages come from other programs and from servers. A cell
/// that contains nothing else shows a replacement character.
fn remove_control_characters(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.symbol().contains(is_terminal_control) {
            let rest: String = cell.symbol().chars().filter(|c| !is_terminal_control(*c)).collect();
            cell.set_symbol(if rest.is_empty() { "\u{fffd}" } else { &rest });
        }
    }
}

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        restore();
    }
}

/// Ignores errors, because each step must be tried even if the previous one failed.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
}

/// A panic of this thread ends the program, so its message must appear on the normal screen. Panics of other threads,
/// such as those of handlers, are caught and counted elsewhere. Their message would only damage the picture.
fn restore_before_panic_message() {
    let (ours, tell) = (std::thread::current().id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == ours {
            restore();
            tell(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use ratatui::text::Line;
    use ratatui::widgets::Widget as _;

    use super::*;

    #[test]
    fn no_cell_holds_what_a_terminal_obeys() {
        let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 20, 1));
        Line::from("a\u{202e}b\x1b[2Jc\u{9b}1md").render(buffer.area, &mut buffer);
        buffer.cell_mut((19, 0)).unwrap().set_symbol("\x1b");
        remove_control_characters(&mut buffer);
        let symbols: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert!(!symbols.contains(is_terminal_control), "{symbols:?}");
        assert!(
            symbols.starts_with("ab") && symbols.contains('c') && symbols.ends_with('\u{fffd}'),
            "{symbols:?}"
        );
    }
}
