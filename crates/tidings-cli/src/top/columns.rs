//! The columns of the table of informers: their content and sort order.

use std::cmp::Ordering;

use super::figures;
use super::state::InformerRow;
use crate::diagnostics_model::{InformerState, InformerStatus, StreamState};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Name,
    Objects,
    Bytes,
    Events,
    Lag,
    Backlog,
    Relists,
    Health,
}

/// The health of an informer, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InformerHealth {
    Stopped,
    Failing,
    Unsynced,
    Healthy,
}

impl Column {
    pub(super) const ALL: [Column; 8] = [
        Column::Name,
        Column::Objects,
        Column::Bytes,
        Column::Events,
        Column::Lag,
        Column::Backlog,
        Column::Relists,
        Column::Health,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Column::Name => "INFORMER",
            Column::Objects => "OBJECTS",
            Column::Bytes => "BYTES",
            Column::Events => "EVENTS/S",
            Column::Lag => "LAG",
            Column::Backlog => "BACKLOG",
            Column::Relists => "RELISTS",
            Column::Health => "HEALTH",
        }
    }

    pub(super) fn next(self) -> Self {
        let at = Column::ALL.iter().position(|column| *column == self).unwrap_or_default();
        Column::ALL[(at + 1) % Column::ALL.len()]
    }

    pub(super) fn text(self, row: &InformerRow) -> String {
        let informer = &row.informer;
        match self {
            Column::Name => figures::plain(&informer.name),
            Column::Objects => figures::count(informer.objects),
            Column::Bytes => figures::bytes(bytes(informer)),
            Column::Events => figures::rate(row.events_per_second),
            Column::Lag => figures::seconds(informer.lag_seconds),
            Column::Backlog => figures::count(backlog(informer)),
            Column::Relists => figures::count(informer.requests.relists),
            Column::Health => InformerHealth::of(informer).text().to_owned(),
        }
    }

    /// Names sort ascending. Numbers sort so that the informers that need attention come first: largest, slowest,
    /// worst.
    pub(super) fn order(self, one: &InformerRow, other: &InformerRow) -> Ordering {
        let (a, b) = (&one.informer, &other.informer);
        let order = match self {
            Column::Name => Ordering::Equal,
            Column::Objects => b.objects.cmp(&a.objects),
            Column::Bytes => bytes(b).cmp(&bytes(a)),
            Column::Events => {
                let rate = |row: &InformerRow| row.events_per_second.unwrap_or_default();
                rate(other).total_cmp(&rate(one))
            }
            Column::Lag => b.lag_seconds.total_cmp(&a.lag_seconds),
            Column::Backlog => backlog(b).cmp(&backlog(a)),
            Column::Relists => b.requests.relists.cmp(&a.requests.relists),
            Column::Health => InformerHealth::of(a).cmp(&InformerHealth::of(b)),
        };
        order.then_with(|| a.name.cmp(&b.name))
    }
}

impl InformerHealth {
    pub(super) fn of(informer: &InformerStatus) -> Self {
        let mut streams = informer.streams.iter();
        if informer.state == InformerState::Stopped
            || streams.any(|stream| stream.state == StreamState::Stopped)
        {
            return InformerHealth::Stopped;
        }
        if informer.streams.iter().any(|stream| stream.failing.is_some()) {
            return InformerHealth::Failing;
        }
        if informer.is_synced { InformerHealth::Healthy } else { InformerHealth::Unsynced }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            InformerHealth::Stopped => "stopped",
            InformerHealth::Failing => "failing",
            InformerHealth::Unsynced => "not synced",
            InformerHealth::Healthy => "healthy",
        }
    }
}

/// The memory of one informer. Decoded objects are not included, because informers share that budget.
fn bytes(informer: &InformerStatus) -> u64 {
    let memory = &informer.memory;
    let parts = [memory.object_bytes, memory.index_bytes, memory.backlog_bytes, memory.queue_bytes];
    parts.into_iter().fold(0, u64::saturating_add)
}

/// The number of notifications that handlers have not processed yet.
fn backlog(informer: &InformerStatus) -> u64 {
    informer.handlers.iter().map(|handler| handler.backlog).fold(0, u64::saturating_add)
}
