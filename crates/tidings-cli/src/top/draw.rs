//! Draws a state. It reads nothing else and changes nothing.

mod details;

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Cell, Paragraph, Row as TableRow, Table, TableState};

use super::columns::{Column, InformerHealth};
use super::figures;
use super::keys::HELP;
use super::state::{InformerRow, QueueRow, TopState, TopView};

/// A smaller terminal shows an error message instead.
const WIDTH_MIN: u16 = 76;
const HEIGHT_MIN: u16 = 10;

const QUEUE_TITLES: [&str; 7] = ["QUEUE", "WAITING", "DELAYED", "WORKING", "OLDEST", "RETRIES", "ADDS/S"];

pub(super) fn draw(state: &TopState, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < WIDTH_MIN || area.height < HEIGHT_MIN {
        return too_small(frame, area);
    }
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    frame.render_widget(title(state), top);
    match &state.view {
        TopView::Table | TopView::Filtering | TopView::Quit => tables(state, frame, middle),
        TopView::Details { name, scroll } => details::draw(state, name, *scroll, frame, middle),
        TopView::Help(_) => help(frame, middle),
    }
    frame.render_widget(footer(state), bottom);
}

fn too_small(frame: &mut Frame<'_>, area: Rect) {
    let text = format!(
        "{}x{} is too small: enlarge it to {WIDTH_MIN}x{HEIGHT_MIN}; q quits",
        area.width, area.height
    );
    frame.render_widget(Paragraph::new(text).wrap(ratatui::widgets::Wrap { trim: true }), area);
}

fn title(state: &TopState) -> Line<'_> {
    let objects = state.rows.iter().map(|row| row.informer.objects).fold(0, u64::saturating_add);
    let text = format!(
        "tidings top: {}  {} informers, {} objects, {} queues",
        figures::plain(&state.title),
        state.rows.len(),
        figures::count(objects),
        state.queues.len(),
    );
    Line::styled(text, Style::new().add_modifier(Modifier::BOLD))
}

fn footer(state: &TopState) -> Line<'_> {
    if let Some(error) = &state.error {
        let text = format!("no new sample: {}", figures::plain(error));
        return Line::styled(text, Style::new().fg(Color::Red));
    }
    match &state.view {
        TopView::Filtering => Line::raw(format!("filter: {}_", state.filter)),
        TopView::Help(_) => Line::raw("any key closes"),
        TopView::Details { .. } => Line::raw("up/down scroll  esc close  ? help"),
        TopView::Table | TopView::Quit => {
            let filter = if state.filter.is_empty() {
                "filter".to_owned()
            } else {
                format!("filter: {}", state.filter)
            };
            Line::raw(format!("up/down move  enter open  s sort  r reverse  / {filter}  ? help  q quit"))
        }
    }
}

fn tables(state: &TopState, frame: &mut Frame<'_>, area: Rect) {
    let queues = state.visible_queues();
    // The queues get at most one third of the height.
    let wanted = u16::try_from(queues.len()).map_or(u16::MAX, |rows| rows.saturating_add(2));
    let height = if queues.is_empty() { 0 } else { wanted.min(area.height / 3) };
    let [above, below] = Layout::vertical([Constraint::Fill(1), Constraint::Length(height)]).areas(area);
    let shown = state.visible_rows();
    if shown.is_empty() {
        frame.render_widget(Paragraph::new(nothing(state)), above);
    } else {
        let mut selected = TableState::new().with_selected(state.selected_index());
        frame.render_stateful_widget(informers(state, &shown), above, &mut selected);
    }
    if height > 0 {
        frame.render_widget(queue_table(&queues), below);
    }
}

fn nothing(state: &TopState) -> String {
    if state.rows.is_empty() {
        return "no informers: this program has not created any, or has dropped them all".to_owned();
    }
    format!("no informer's name contains {:?}; esc shows all {}", state.filter, state.rows.len())
}

fn informers<'a>(state: &TopState, shown: &[&InformerRow]) -> Table<'a> {
    let titles = Column::ALL.map(|column| {
        let arrow = match (column == state.sort, state.is_reversed) {
            (false, _) => "",
            (true, false) => "*",
            (true, true) => "^",
        };
        aligned(column == Column::Name, format!("{}{arrow}", column.title()))
    });
    let rows = shown.iter().map(|row| {
        TableRow::new(Column::ALL.map(|column| {
            let cell = aligned(is_text(column), column.text(row));
            if column == Column::Health {
                cell.style(colour(InformerHealth::of(&row.informer)))
            } else {
                cell
            }
        }))
    });
    let widths = Column::ALL.map(|column| match column {
        Column::Name => Constraint::Min(12),
        Column::Bytes | Column::Events => Constraint::Length(10),
        Column::Health => Constraint::Length(10),
        Column::Lag => Constraint::Length(7),
        Column::Objects | Column::Backlog | Column::Relists => Constraint::Length(9),
    });
    Table::new(rows, widths)
        .header(TableRow::new(titles).style(Style::new().add_modifier(Modifier::UNDERLINED)))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
        .highlight_symbol("> ")
        .column_spacing(0)
}

fn is_text(column: Column) -> bool {
    column == Column::Name
}

/// Text is aligned left, numbers right.
fn aligned<'a>(is_text: bool, text: String) -> Cell<'a> {
    let alignment = if is_text { Alignment::Left } else { Alignment::Right };
    Cell::from(Line::raw(text).alignment(alignment))
}

fn queue_table<'a>(queues: &[&QueueRow]) -> Table<'a> {
    let rows = queues.iter().map(|row| {
        let queue = &row.queue;
        let figures = [
            figures::count(queue.waiting),
            figures::count(queue.delayed),
            figures::count(queue.working),
            figures::seconds(queue.oldest_seconds),
            figures::count(queue.retries),
            figures::rate(row.adds_per_second),
        ];
        let name = Cell::from(format!("  {}", figures::plain(&queue.name)));
        TableRow::new([name].into_iter().chain(figures.map(|figure| aligned(false, figure))))
    });
    let titles = QUEUE_TITLES.map(|title| match title {
        "QUEUE" => Cell::from("  QUEUE"),
        figure => aligned(false, figure.to_owned()),
    });
    let widths = [Constraint::Min(12)].into_iter().chain([Constraint::Length(10); 6]);
    Table::new(rows, widths)
        .header(TableRow::new(titles).style(Style::new().add_modifier(Modifier::UNDERLINED)).top_margin(1))
        .column_spacing(0)
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let lines: Vec<Line<'_>> = HELP
        .iter()
        .map(|(keys, what)| Line::from(vec![Span::raw(format!("  {keys:<14}")), Span::raw(*what)]))
        .collect();
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title("keys")), area);
}

fn colour(condition: InformerHealth) -> Style {
    match condition {
        InformerHealth::Healthy => Style::new().fg(Color::Green),
        InformerHealth::Unsynced => Style::new().fg(Color::Yellow),
        InformerHealth::Failing | InformerHealth::Stopped => Style::new().fg(Color::Red),
    }
}

#[cfg(test)]
mod tests;
