//! What a key does: a function from one state to the next.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::state::{State, View};

/// Longer than the name of any resource.
const FILTER_CHARS_MAX: usize = 128;

/// What keys do, for the help.
pub(super) const HELP: [(&str, &str); 9] = [
    ("up k, down j", "move, or scroll"),
    ("enter", "open one informer: streams, handlers, memory"),
    ("s", "sort by the next column"),
    ("r", "reverse the order"),
    ("/", "show only names that contain what you type"),
    ("esc", "close; forget the filter; quit"),
    ("q", "close; quit"),
    ("ctrl-c", "quit at once"),
    ("?", "this help"),
];

impl State {
    /// After a key.
    pub(super) fn pressed(mut self, key: KeyEvent) -> Self {
        if key.kind == KeyEventKind::Release {
            return self;
        }
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.view = View::Ended;
            return self;
        }
        match self.view.clone() {
            View::Table => self.pressed_in_table(key.code),
            View::Filtering => self.typed(key.code),
            View::Opened { name, scroll } => self.pressed_in_opened(name, scroll, key.code),
            View::Help(behind) => State { view: *behind, ..self },
            View::Ended => self,
        }
    }

    fn pressed_in_table(mut self, key: KeyCode) -> Self {
        match key {
            KeyCode::Down | KeyCode::Char('j') => return self.moved(|at| at.saturating_add(1)),
            KeyCode::Up | KeyCode::Char('k') => return self.moved(|at| at.saturating_sub(1)),
            KeyCode::Char('s') => self.sort = self.sort.next(),
            KeyCode::Char('r') => self.is_reversed = !self.is_reversed,
            KeyCode::Char('/') => self.view = View::Filtering,
            KeyCode::Char('?') => self.view = View::Help(Box::new(View::Table)),
            KeyCode::Enter => {
                let chosen = self.chosen_at().map(|at| self.shown()[at].informer.name.clone());
                if let Some(name) = chosen {
                    self.chosen = Some(name.clone());
                    self.view = View::Opened { name, scroll: 0 };
                }
            }
            KeyCode::Esc if !self.filter.is_empty() => self.filter.clear(),
            KeyCode::Esc | KeyCode::Char('q') => self.view = View::Ended,
            _ => {}
        }
        self
    }

    fn moved(mut self, to: impl FnOnce(usize) -> usize) -> Self {
        let shown = self.shown();
        let at = self.chosen_at().map(|at| to(at).min(shown.len() - 1));
        self.chosen = at.map(|at| shown[at].informer.name.clone());
        self
    }

    fn typed(mut self, key: KeyCode) -> Self {
        match key {
            KeyCode::Char(letter) if self.filter.chars().count() < FILTER_CHARS_MAX => {
                self.filter.push(letter)
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Enter => self.view = View::Table,
            KeyCode::Esc => {
                self.filter.clear();
                self.view = View::Table;
            }
            _ => {}
        }
        self
    }

    fn pressed_in_opened(mut self, name: String, scroll: u16, key: KeyCode) -> Self {
        self.view = match key {
            KeyCode::Down | KeyCode::Char('j') => View::Opened { name, scroll: scroll.saturating_add(1) },
            KeyCode::Up | KeyCode::Char('k') => View::Opened { name, scroll: scroll.saturating_sub(1) },
            KeyCode::Char('?') => View::Help(Box::new(View::Opened { name, scroll })),
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => View::Table,
            _ => View::Opened { name, scroll },
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::Column;
    use super::super::state::tests::state;
    use super::*;

    /// `<` is escape, `>` enter, `^` up, `v` down, `~` backspace; everything else is itself.
    fn pressed(keys: &str) -> State {
        keys.chars().fold(state(), |state, key| {
            let code = match key {
                '<' => KeyCode::Esc,
                '>' => KeyCode::Enter,
                '^' => KeyCode::Up,
                'v' => KeyCode::Down,
                '~' => KeyCode::Backspace,
                letter => KeyCode::Char(letter),
            };
            state.pressed(KeyEvent::new(code, KeyModifiers::NONE))
        })
    }

    fn opened(name: &str, scroll: u16) -> View {
        View::Opened { name: name.to_owned(), scroll }
    }

    #[test]
    fn keys_lead_from_view_to_view() {
        let help = |behind| View::Help(Box::new(behind));
        for (keys, view) in [
            ("", View::Table),
            ("x", View::Table),
            ("q", View::Ended),
            ("<", View::Ended),
            ("?", help(View::Table)),
            ("??", View::Table),
            ("?q", View::Table),
            (">", opened("nodes", 0)),
            ("j>", opened("pods", 0)),
            ("jj>", opened("secrets", 0)),
            ("vvvv>", opened("secrets", 0)),
            ("jjk>", opened("pods", 0)),
            ("vv^^^>", opened("nodes", 0)),
            (">jjk", opened("nodes", 1)),
            (">k", opened("nodes", 0)),
            (">?", help(opened("nodes", 0))),
            (">?<", opened("nodes", 0)),
            (">q", View::Table),
            ("><", View::Table),
            (">>", View::Table),
            (">qq", View::Ended),
            ("/", View::Filtering),
            ("/q?s", View::Filtering),
            ("/po>", View::Table),
            ("/po>>", opened("pods", 0)),
            ("/none>>", View::Table),
            ("/po><", View::Table),
            ("/po><<", View::Ended),
            ("/po<", View::Table),
        ] {
            assert_eq!(pressed(keys).view, view, "{keys:?}");
        }
    }

    #[test]
    fn keys_choose_order_and_filter() {
        for (keys, sort, is_reversed, filter) in [
            ("s", Column::Objects, false, ""),
            ("sss", Column::Events, false, ""),
            ("ssssssss", Column::Name, false, ""),
            ("sr", Column::Objects, true, ""),
            ("rr", Column::Name, false, ""),
            ("/sr", Column::Name, false, "sr"),
            ("/pods~~", Column::Name, false, "po"),
            ("/po>s", Column::Objects, false, "po"),
            ("/po<", Column::Name, false, ""),
            ("/po><", Column::Name, false, ""),
        ] {
            let state = pressed(keys);
            assert_eq!(
                (state.sort, state.is_reversed, &*state.filter),
                (sort, is_reversed, filter),
                "{keys:?}"
            );
        }
    }

    #[test]
    fn control_c_quits_from_anywhere_and_a_key_let_go_does_nothing() {
        for keys in ["", "/", ">", "?"] {
            let state = pressed(keys).pressed(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
            assert!(state.is_ended(), "{keys:?}");
        }
        let mut let_go = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
        let_go.kind = KeyEventKind::Release;
        assert!(!state().pressed(let_go).is_ended());
    }

    #[test]
    fn a_filter_does_not_grow_without_end() {
        let state = pressed(&format!("/{}", "x".repeat(1000)));
        assert_eq!(state.filter.len(), FILTER_CHARS_MAX);
    }
}
