//! Tests that read the drawn screen line by line.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::super::state::tests::{sample, state};
use super::*;

fn drawn_on(state: &TopState, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(state, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| line(y).trim_end().to_owned()).collect()
}

fn drawn(state: &TopState) -> Vec<String> {
    drawn_on(state, 120, 30)
}

/// The words of the line whose first word is `first`.
fn words<'a>(lines: &'a [String], first: &str) -> Vec<&'a str> {
    let mut lines =
        lines.iter().map(|line| line.trim_start_matches("> ").split_whitespace().collect::<Vec<_>>());
    lines.find(|words| words.first() == Some(&first)).unwrap_or_default()
}

#[track_caller]
fn shows(lines: &[String], text: &str) {
    assert!(lines.iter().any(|line| line.contains(text)), "{text:?} is not in\n{}", lines.join("\n"));
}

#[test]
fn each_informer_and_each_queue_has_a_line_of_figures() {
    let state = state();
    let at = state.sampled_at.unwrap() + Duration::from_secs(1);
    let lines = drawn(&state.with_sample(at, Ok(sample(130))));
    assert_eq!(lines[0], "tidings top: local  3 informers, 1,243 objects, 1 queues");
    let titles = ["INFORMER*", "OBJECTS", "BYTES", "EVENTS/S", "LAG", "BACKLOG", "RELISTS", "HEALTH"];
    assert_eq!(words(&lines, "INFORMER*"), titles);
    assert_eq!(words(&lines, "pods"), ["pods", "1,200", "2.00", "MiB", "30.0", "250ms", "3", "1", "healthy"]);
    assert_eq!(words(&lines, "nodes"), ["nodes", "3", "0", "B", "0.0", "0", "0", "4", "failing"]);
    assert_eq!(words(&lines, "secrets").last(), Some(&"synced"));
    assert_eq!(words(&lines, "QUEUE"), QUEUE_TITLES);
    assert_eq!(words(&lines, "replicas"), ["replicas", "12", "2", "1", "3.5s", "6", "30.0"]);
    assert!(lines[29].contains("s sort") && lines[29].contains("q quit"), "{}", lines[29]);
}

#[test]
fn the_selected_row_and_the_sorted_column_are_marked() {
    let state =
        TopState { selected: Some("pods".to_owned()), sort: Column::Objects, is_reversed: true, ..state() };
    let lines = drawn(&state);
    assert!(lines.iter().any(|line| line.starts_with("> pods")), "{lines:#?}");
    assert!(words(&lines, "INFORMER").contains(&"OBJECTS^"), "{lines:#?}");
}

#[test]
fn the_details_of_an_informer_show_its_parts_and_errors() {
    let opened =
        |name: &str| TopState { view: TopView::Details { name: name.to_owned(), scroll: 0 }, ..state() };
    let lines = drawn(&opened("pods"));
    shows(&lines, "objects 2.00 MiB (1.00 MiB packed), indexes 1.00 KiB");
    shows(&lines, "all namespaces: watching for 1m01s, listed by streaming, as protobuf");
    let handler = lines.iter().find(|line| line.contains("printer")).unwrap();
    let handler: Vec<&str> = handler.trim_matches('│').split_whitespace().collect();
    assert_eq!(handler, ["printer", "3", "0", "B", "250ms", "7", "0", "0"]);
    let lines = drawn(&opened("nodes"));
    shows(&lines, "kube-system: waiting to try again");
    shows(&lines, "9 attempts: watching nodes: refused");
    shows(&drawn(&opened("secrets")), "not synced: the list takes its time");
    shows(&drawn(&opened("gone")), "dropped this informer");
}

#[test]
fn the_details_scroll_to_the_end_and_no_further() {
    let opened = |scroll| TopState { view: TopView::Details { name: "pods".to_owned(), scroll }, ..state() };
    assert!(!drawn_on(&opened(0), 120, 10).iter().any(|line| line.contains("printer")));
    shows(&drawn_on(&opened(u16::MAX), 120, 10), "printer");
}

#[test]
fn a_filter_is_shown_while_it_is_typed_and_after() {
    let typing = TopState { view: TopView::Filtering, filter: "po".to_owned(), ..state() };
    let lines = drawn(&typing);
    assert_eq!(lines[29], "filter: po_");
    assert_eq!(words(&lines, "nodes"), [""; 0]);
    shows(&drawn(&TopState { view: TopView::Table, ..typing.clone() }), "/ filter: po");
    let nothing = TopState { filter: "none".to_owned(), ..typing };
    shows(&drawn(&nothing), "no informer's name contains \"none\"; esc shows all 3");
}

#[test]
fn help_names_every_key() {
    let lines =
        drawn_on(&TopState { view: TopView::Help(Box::new(TopView::Table)), ..state() }, WIDTH_MIN, 13);
    for (keys, what) in HELP {
        shows(&lines, keys);
        shows(&lines, what);
    }
}

#[test]
fn an_error_is_shown_below_the_last_values() {
    let at = state().sampled_at.unwrap();
    let lines = drawn(&state().with_sample(at, Err("requesting 127.0.0.1:1: refused".to_owned())));
    assert_eq!(lines[29], "no new sample: requesting 127.0.0.1:1: refused");
    assert_eq!(words(&lines, "pods")[1], "1,200");
}

#[test]
fn a_terminal_that_is_too_small_says_how_large_it_must_be() {
    for (width, height) in [(WIDTH_MIN - 1, 30), (120, HEIGHT_MIN - 1), (20, 5), (1, 1)] {
        let text = drawn_on(&state(), width, height).join(" ");
        assert!(!text.contains("pods"), "{text}");
        if width >= 20 {
            assert!(text.contains("is too small"), "{text}");
        }
    }
    shows(&drawn_on(&state(), WIDTH_MIN, HEIGHT_MIN), "healthy");
}

#[test]
fn many_informers_scroll_with_the_selection_and_many_queues_leave_room_for_them() {
    let mut state = state();
    let (row, queue) = (state.rows[0].clone(), state.queues[0].clone());
    for at in 0..100 {
        let (mut row, mut queue) = (row.clone(), queue.clone());
        row.informer.name = format!("informer-{at:03}");
        queue.queue.name = format!("queue-{at:03}");
        state.rows.push(row);
        state.queues.push(queue);
    }
    state.selected = Some("informer-099".to_owned());
    let lines = drawn(&state);
    shows(&lines, "> informer-099");
    shows(&lines, "queue-000");
}

#[test]
fn control_characters_of_another_program_do_not_reach_the_terminal() {
    let mut state = state();
    state.rows[0].informer.name = "po\u{1b}[2Jds".to_owned();
    state.rows[0].informer.streams[0].last_error = Some("a\u{1b}]0;title\u{7}\nb".to_owned());
    state.title = "\u{1b}c".to_owned();
    let opened = TopView::Details { name: state.rows[0].informer.name.clone(), scroll: 0 };
    for view in [TopView::Table, opened] {
        let lines = drawn(&TopState { view, ..state.clone() });
        assert!(!lines.concat().contains(char::is_control), "{lines:#?}");
    }
}

#[test]
fn a_program_without_informers_says_so() {
    let state = TopState::new("local".to_owned());
    shows(&drawn(&state), "no informers");
}
