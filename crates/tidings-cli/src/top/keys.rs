//! Key handling: a function from one state to the next.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::state::{TopState, TopView};

/// Longer than the name of any resource.
const FILTER_CHARS_MAX: usize = 128;

/// The keys, for the help screen.
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

impl TopState {
    /// The state after a key event.
    pub(super) fn after_key(mut self, key: KeyEvent) -> Self {
        if key.kind == KeyEventKind::Release {
            return self;
        }
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.view = TopView::Quit;
            return self;
        }
        match self.view.clone() {
            TopView::Table => self.key_in_table(key.code),
            TopView::Filtering => self.key_in_filter(key.code),
            TopView::Details { name, scroll } => self.key_in_details(name, scroll, key.code),
            TopView::Help(behind) => TopState { view: *behind, ..self },
            TopView::Quit => self,
        }
    }

    fn key_in_table(mut self, key: KeyCode) -> Self {
        match key {
            KeyCode::Down | KeyCode::Char('j') => {
                return self.with_selection_moved(|at| at.saturating_add(1));
            }
            KeyCode::Up | KeyCode::Char('k') => return self.with_selection_moved(|at| at.saturating_sub(1)),
            KeyCode::Char('s') => self.sort = self.sort.next(),
            KeyCode::Char('r') => self.is_reversed = !self.is_reversed,
            KeyCode::Char('/') => self.view = TopView::Filtering,
            KeyCode::Char('?') => self.view = TopView::Help(Box::new(TopView::Table)),
            KeyCode::Enter => {
                let selected = self.selected_index().map(|at| self.visible_rows()[at].informer.name.clone());
                if let Some(name) = selected {
                    self.selected = Some(name.clone());
                    self.view = TopView::Details { name, scroll: 0 };
                }
            }
            KeyCode::Esc if !self.filter.is_empty() => self.filter.clear(),
            KeyCode::Esc | KeyCode::Char('q') => self.view = TopView::Quit,
            _ => {}
        }
        self
    }

    fn with_selection_moved(mut self, to: impl FnOnce(usize) -> usize) -> Self {
        let shown = self.visible_rows();
        let at = self.selected_index().map(|at| to(at).min(shown.len() - 1));
        self.selected = at.map(|at| shown[at].informer.name.clone());
        self
    }

    fn key_in_filter(mut self, key: KeyCode) -> Self {
        match key {
            KeyCode::Char(letter) if self.filter.chars().count() < FILTER_CHARS_MAX => {
                self.filter.push(letter)
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Enter => self.view = TopView::Table,
            KeyCode::Esc => {
                self.filter.clear();
                self.view = TopView::Table;
            }
            _ => {}
        }
        self
    }

    fn key_in_details(mut self, name: String, scroll: u16, key: KeyCode) -> Self {
        self.view = match key {
            KeyCode::Down | KeyCode::Char('j') => TopView::Details { name, scroll: scroll.saturating_add(1) },
            KeyCode::Up | KeyCode::Char('k') => TopView::Details { name, scroll: scroll.saturating_sub(1) },
            KeyCode::Char('?') => TopView::Help(Box::new(TopView::Details { name, scroll })),
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => TopView::Table,
            _ => TopView::Details { name, scroll },
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::Column;
    use super::super::state::tests::state;
    use super::*;

    /// `<` means escape, `>` enter, `^` up, `v` down, `~` backspace. Every other character is itself.
    fn after_key(keys: &str) -> TopState {
        keys.chars().fold(state(), |state, key| {
            let code = match key {
                '<' => KeyCode::Esc,
                '>' => KeyCode::Enter,
                '^' => KeyCode::Up,
                'v' => KeyCode::Down,
                '~' => KeyCode::Backspace,
                letter => KeyCode::Char(letter),
            };
            state.after_key(KeyEvent::new(code, KeyModifiers::NONE))
        })
    }

    fn opened(name: &str, scroll: u16) -> TopView {
        TopView::Details { name: name.to_owned(), scroll }
    }

    #[test]
    fn keys_lead_from_view_to_view() {
        let help = |behind| TopView::Help(Box::new(behind));
        for (keys, view) in [
            ("", TopView::Table),
            ("x", TopView::Table),
            ("q", TopView::Quit),
            ("<", TopView::Quit),
            ("?", help(TopView::Table)),
            ("??", TopView::Table),
            ("?q", TopView::Table),
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
            (">q", TopView::Table),
            ("><", TopView::Table),
            (">>", TopView::Table),
            (">qq", TopView::Quit),
            ("/", TopView::Filtering),
            ("/q?s", TopView::Filtering),
            ("/po>", TopView::Table),
            ("/po>>", opened("pods", 0)),
            ("/none>>", TopView::Table),
            ("/po><", TopView::Table),
            ("/po><<", TopView::Quit),
            ("/po<", TopView::Table),
        ] {
            assert_eq!(after_key(keys).view, view, "{keys:?}");
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
            let state = after_key(keys);
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
            let state = after_key(keys).after_key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
            assert!(state.is_ended(), "{keys:?}");
        }
        let mut let_go = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
        let_go.kind = KeyEventKind::Release;
        assert!(!state().after_key(let_go).is_ended());
    }

    #[test]
    fn a_filter_does_not_grow_without_end() {
        let state = after_key(&format!("/{}", "x".repeat(1000)));
        assert_eq!(state.filter.len(), FILTER_CHARS_MAX);
    }
}
