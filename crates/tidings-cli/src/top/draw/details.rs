//! One informer in detail: memory, streams, and the backlog of each handler.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph};

use super::super::columns::{Column, InformerHealth};
use super::super::figures::{bytes, count, plain, seconds};
use super::super::state::{InformerRow, TopState};
use super::colour;
use crate::diagnostics_model::{HandlerStatus, InformerStatus, ListMode, StreamState, StreamStatus, Wire};

pub(super) fn draw(state: &TopState, name: &str, scroll: u16, frame: &mut Frame<'_>, area: Rect) {
    let row = state.rows.iter().find(|row| row.informer.name == name);
    let lines = row.map_or_else(|| vec![Line::raw("the program has dropped this informer")], lines);
    let block = Block::bordered().title(plain(name));
    let room = usize::from(block.inner(area).height);
    let last = u16::try_from(lines.len().saturating_sub(room)).unwrap_or(u16::MAX);
    frame.render_widget(Paragraph::new(lines).block(block).scroll((scroll.min(last), 0)), area);
}

fn lines(row: &InformerRow) -> Vec<Line<'static>> {
    let informer = &row.informer;
    let mut lines = overview(row);
    lines.push(heading("MEMORY"));
    lines.extend(memory(informer));
    lines.push(heading("STREAMS"));
    lines.extend(informer.streams.iter().flat_map(stream));
    lines.push(heading(&format!(
        "{:<24}{:>10}{:>12}{:>9}{:>12}{:>10}{:>9}",
        "HANDLERS", "BACKLOG", "BYTES", "LAG", "DELIVERED", "MERGED", "PANICS"
    )));
    lines.extend(informer.handlers.iter().map(handler));
    lines
}

fn overview(row: &InformerRow) -> Vec<Line<'static>> {
    let informer = &row.informer;
    let group = if informer.group.is_empty() { String::new() } else { format!("{}/", informer.group) };
    let kind = plain(&format!("{group}{} {}", informer.version, informer.kind));
    let (requests, applied, faults) = (&informer.requests, &informer.applied, &informer.faults);
    let condition = InformerHealth::of(informer);
    let mut lines = vec![
        Line::raw(format!(
            "{kind}, {} objects, {} events/s",
            count(informer.objects),
            Column::Events.text(row)
        )),
        Line::styled(condition.text(), colour(condition)),
    ];
    let because =
        informer.unsynced_because.iter().map(|why| Line::raw(format!("not synced: {}", plain(why))));
    lines.extend(because);
    lines.extend([
        Line::raw(format!(
            "lists {}, relists {}, watches {} ({} fell silent), events {}, bookmarks {}",
            count(requests.lists),
            count(requests.relists),
            count(requests.watches),
            count(requests.silent_watches),
            count(requests.events),
            count(requests.bookmarks),
        )),
        Line::raw(format!(
            "applied {} changes in {} batches; {} stale, {} unchanged; {} deltas wait",
            count(applied.changes),
            count(applied.batches),
            count(applied.stale),
            count(applied.unchanged),
            count(informer.queued_deltas),
        )),
        Line::raw(format!(
            "faults: {} of the source, {} skipped, {} unreadable, {} of indexes, {} panics of handlers, {} restores of the server",
            count(faults.source),
            count(faults.skipped),
            count(faults.unreadable),
            count(faults.index),
            count(faults.handler_panics),
            count(faults.went_back),
        )),
    ]);
    lines
}

fn memory(informer: &InformerStatus) -> [Line<'static>; 2] {
    let memory = &informer.memory;
    [
        Line::raw(format!(
            "objects {} ({} packed), indexes {}, backlog {}, queue {}",
            bytes(memory.object_bytes),
            bytes(memory.packed_bytes),
            bytes(memory.index_bytes),
            bytes(memory.backlog_bytes),
            bytes(memory.queue_bytes),
        )),
        Line::raw(format!(
            "decoded, of all that share the budget: about {}",
            bytes(memory.decoded_bytes_estimate)
        )),
    ]
}

fn stream(stream: &StreamStatus) -> Vec<Line<'static>> {
    let namespace = stream.namespace.as_deref().unwrap_or("all namespaces");
    let mut text =
        format!("{}: {} for {}", plain(namespace), doing(stream.state), seconds(stream.for_seconds));
    if let Some(age) = stream.last_event_age_seconds {
        text += &format!(", last event {} ago", seconds(age));
    }
    if let Some(version) = &stream.resource_version {
        text += &format!(", at version {}", plain(version));
    }
    match stream.list_mode {
        Some(ListMode::Streaming) => text += ", listed by streaming",
        Some(ListMode::Chunked) => text += ", listed in pages",
        _ => {}
    }
    match stream.wire {
        Some(Wire::Protobuf) => text += ", as protobuf",
        Some(Wire::Json) => text += ", as JSON",
        _ => {}
    }
    let mut lines = vec![Line::raw(text)];
    match (&stream.failing, &stream.last_error) {
        (Some(failing), _) => lines.push(Line::styled(
            format!(
                "  failing for {}, {} attempts: {}",
                seconds(failing.for_seconds),
                failing.attempts,
                plain(&failing.error)
            ),
            colour(InformerHealth::Failing),
        )),
        (None, Some(error)) => lines.push(Line::raw(format!("  last error: {}", plain(error)))),
        (None, None) => {}
    }
    lines
}

fn handler(handler: &HandlerStatus) -> Line<'static> {
    Line::raw(format!(
        "{:<24}{:>10}{:>12}{:>9}{:>12}{:>10}{:>9}",
        plain(&handler.name),
        count(handler.backlog),
        bytes(handler.backlog_bytes),
        seconds(handler.lag_seconds),
        count(handler.delivered),
        count(handler.merged),
        count(handler.panics),
    ))
}

fn heading(text: &str) -> Line<'static> {
    Line::styled(text.to_owned(), Style::new().add_modifier(Modifier::UNDERLINED))
}

fn doing(state: StreamState) -> &'static str {
    match state {
        StreamState::NotStarted => "not started",
        StreamState::Listing => "listing",
        StreamState::Watching => "watching",
        StreamState::Waiting => "waiting to try again",
        StreamState::Stopped => "stopped",
        StreamState::Unknown => "unknown",
    }
}
