//! The terminal while it is ours. However the program ends, the terminal is given back as it was: by the drop of
//! [`Screen`], and before a panic is told.

use std::io::{self, Stdout};

use crossterm::cursor::Show;
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::draw;
use super::state::State;

/// The terminal, taken until this is dropped.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    _given_back: GivenBack,
}

/// Gives the terminal back when it is dropped.
struct GivenBack;

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        tell_panics_on_the_usual_screen();
        enable_raw_mode()?;
        let given_back = GivenBack;
        execute!(io::stdout(), EnterAlternateScreen)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(Screen { terminal, _given_back: given_back })
    }

    pub(super) fn draw(&mut self, state: &State) -> io::Result<()> {
        self.terminal.draw(|frame| draw::draw(state, frame))?;
        Ok(())
    }
}

impl Drop for GivenBack {
    fn drop(&mut self) {
        give_back();
    }
}

/// Each step is tried, whatever became of the one before: there is nobody to tell.
fn give_back() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
}

/// A panic of this thread ends the program: it is told where it can be read. One of another thread, such as a handler's,
/// is caught and counted there; told here, it would only tear the picture.
fn tell_panics_on_the_usual_screen() {
    let (ours, tell) = (std::thread::current().id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == ours {
            give_back();
            tell(panic);
        }
    }));
}
