//! The state of the screen: the last sample with rates since the previous one, and the user's selection. It does not
//! know a terminal or a clock; each sample comes with its time.

use std::collections::HashMap;

use tokio::time::Instant;

use super::columns::Column;
use crate::diagnostics_model::{Diagnostics, InformerStatus, QueueStatus};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct TopState {
    /// Where the informers run.
    pub(super) title: String,
    pub(super) view: TopView,
    pub(super) sort: Column,
    pub(super) is_reversed: bool,
    /// Shows only informers and queues whose names contain this text. Upper and lower case are equal.
    pub(super) filter: String,
    /// The name of the selected informer. The selection follows the informer when the order changes. `None` selects the
    /// first row.
    pub(super) selected: Option<String>,
    pub(super) rows: Vec<InformerRow>,
    pub(super) queues: Vec<QueueRow>,
    pub(super) sampled_at: Option<Instant>,
    /// Why the last sample failed.
    pub(super) error: Option<String>,
}

/// What the screen shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TopView {
    Table,
    /// The table while the user types a filter.
    Filtering,
    /// One informer, scrolled to this line.
    Details {
        name: String,
        scroll: u16,
    },
    /// The help. Closing it returns to the view inside.
    Help(Box<TopView>),
    /// The program is about to end.
    Quit,
}

/// An informer and its rate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InformerRow {
    pub(super) informer: InformerStatus,
    /// Since the previous sample. `None` for the first sample and after a restart of the program.
    pub(super) events_per_second: Option<f64>,
}

/// A queue and its rate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueueRow {
    pub(super) queue: QueueStatus,
    /// As for an informer.
    pub(super) adds_per_second: Option<f64>,
}

impl TopState {
    pub(super) fn new(title: String) -> Self {
        TopState {
            title,
            view: TopView::Table,
            sort: Column::Name,
            is_reversed: false,
            filter: String::new(),
            selected: None,
            rows: Vec::new(),
            queues: Vec::new(),
            sampled_at: None,
            error: None,
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        self.view == TopView::Quit
    }

    /// The state after a sample. If the sample failed, the last values stay.
    pub(super) fn with_sample(mut self, at: Instant, sample: Result<Diagnostics, String>) -> Self {
        let sample = match sample {
            Ok(sample) => sample,
            Err(error) => {
                self.error = Some(error);
                return self;
            }
        };
        let passed = self.sampled_at.map(|before| at.saturating_duration_since(before).as_secs_f64());
        let events = self.rows.iter().map(|row| (row.informer.name.clone(), row.informer.requests.events));
        let events: HashMap<String, u64> = events.collect();
        let adds = self.queues.iter().map(|row| (row.queue.name.clone(), row.queue.adds));
        let adds: HashMap<String, u64> = adds.collect();
        let row = |informer: InformerStatus| InformerRow {
            events_per_second: rate(events.get(&informer.name), informer.requests.events, passed),
            informer,
        };
        let queue = |queue: QueueStatus| QueueRow {
            adds_per_second: rate(adds.get(&queue.name), queue.adds, passed),
            queue,
        };
        TopState {
            rows: sample.informers.into_iter().map(row).collect(),
            queues: sample.queues.into_iter().map(queue).collect(),
            sampled_at: Some(at),
            error: None,
            ..self
        }
    }

    /// The rows that match the filter, in sort order.
    pub(super) fn visible_rows(&self) -> Vec<&InformerRow> {
        let mut shown: Vec<&InformerRow> =
            self.rows.iter().filter(|row| self.passes(&row.informer.name)).collect();
        shown.sort_by(|one, other| {
            let order = self.sort.order(one, other);
            if self.is_reversed { order.reverse() } else { order }
        });
        shown
    }

    /// The queues that match the filter.
    pub(super) fn visible_queues(&self) -> Vec<&QueueRow> {
        self.queues.iter().filter(|row| self.passes(&row.queue.name)).collect()
    }

    /// The index of the selected informer among the visible rows.
    pub(super) fn selected_index(&self) -> Option<usize> {
        let shown = self.visible_rows();
        let at = shown.iter().position(|row| Some(&row.informer.name) == self.selected.as_ref());
        at.or((!shown.is_empty()).then_some(0))
    }

    fn passes(&self, name: &str) -> bool {
        name.to_lowercase().contains(&self.filter.to_lowercase())
    }
}

/// The growth of a counter per second. A counter that has shrunk belongs to a restarted program.
fn rate(before: Option<&u64>, now: u64, passed_seconds: Option<f64>) -> Option<f64> {
    let grown = now.checked_sub(*before?)?;
    let passed = passed_seconds.filter(|passed| *passed > 0.0)?;
    Some(grown as f64 / passed)
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    /// Diagnostics with a busy, a failing and a slow informer, and a queue.
    pub(in crate::top) fn sample(events: u64) -> Diagnostics {
        let answer = json!({
            "informers": [
                {
                    "name": "pods", "kind": "Pod", "version": "v1", "state": "started", "isSynced": true, "objects": 1200,
                    "resourceVersion": "4711",
                    "memory": { "objectBytes": 2_097_152, "packedBytes": 1_048_576, "indexBytes": 1024 },
                    "requests": { "events": events, "relists": 1 },
                    "streams": [{ "state": "watching", "forSeconds": 61.0, "listMode": "streaming", "wire": "protobuf" }],
                    "handlers": [{ "name": "printer", "backlog": 3, "lagSeconds": 0.25, "delivered": 7 }],
                    "lagSeconds": 0.25,
                },
                {
                    "name": "nodes", "kind": "Node", "version": "v1", "state": "started", "isSynced": true, "objects": 3,
                    "requests": { "events": 5, "relists": 4 },
                    "streams": [{
                        "namespace": "kube-system", "state": "waiting", "lastError": "watching nodes: refused",
                        "failing": { "error": "watching nodes: refused", "class": "ConnectionRefused", "attempts": 9 },
                    }],
                },
                { "name": "secrets", "state": "started", "unsyncedBecause": "the list takes its time", "objects": 40 },
            ],
            "queues": [{
                "name": "replicas", "waiting": 12, "delayed": 2, "working": 1, "oldestSeconds": 3.5, "retries": 6,
                "adds": events,
            }],
        });
        serde_json::from_value(answer).expect("valid diagnostics")
    }

    pub(in crate::top) fn state() -> TopState {
        TopState::new("local".to_owned()).with_sample(Instant::now(), Ok(sample(100)))
    }

    fn names(state: &TopState) -> Vec<&str> {
        state.visible_rows().into_iter().map(|row| &*row.informer.name).collect()
    }

    #[test]
    fn a_rate_is_the_growth_between_two_samples() {
        let state = state();
        let began = state.sampled_at.unwrap();
        assert_eq!(state.rows[0].events_per_second, None, "a rate needs two samples");
        let state = state.with_sample(began + Duration::from_secs(2), Ok(sample(150)));
        assert_eq!(state.rows[0].events_per_second, Some(25.0));
        assert_eq!(state.queues[0].adds_per_second, Some(25.0));
        let state = state.with_sample(began + Duration::from_secs(3), Ok(sample(10)));
        assert_eq!(state.rows[0].events_per_second, None, "the program has restarted");
    }

    #[test]
    fn figures_stay_while_a_program_does_not_answer_and_the_rate_spans_the_gap() {
        let state = state();
        let began = state.sampled_at.unwrap();
        let state = state.with_sample(began + Duration::from_secs(1), Err("refused".to_owned()));
        assert_eq!((state.error.as_deref(), state.rows.len()), (Some("refused"), 3));
        let state = state.with_sample(began + Duration::from_secs(10), Ok(sample(200)));
        assert_eq!((state.error.as_deref(), state.rows[0].events_per_second), (None, Some(10.0)));
    }

    #[test]
    fn each_column_puts_first_what_deserves_attention() {
        for (sort, expected) in [
            (Column::Name, ["nodes", "pods", "secrets"]),
            (Column::Objects, ["pods", "secrets", "nodes"]),
            (Column::Bytes, ["pods", "nodes", "secrets"]),
            (Column::Events, ["pods", "nodes", "secrets"]),
            (Column::Lag, ["pods", "nodes", "secrets"]),
            (Column::Backlog, ["pods", "nodes", "secrets"]),
            (Column::Relists, ["nodes", "pods", "secrets"]),
            (Column::Health, ["nodes", "secrets", "pods"]),
        ] {
            let state = state();
            let at = state.sampled_at.unwrap() + Duration::from_secs(1);
            let mut state = TopState { sort, ..state.with_sample(at, Ok(sample(130))) };
            assert_eq!(names(&state), expected, "{sort:?}");
            state.is_reversed = true;
            let reversed: Vec<&str> = expected.into_iter().rev().collect();
            assert_eq!(names(&state), reversed, "{sort:?}");
        }
    }

    #[test]
    fn a_filter_matches_a_part_of_the_name_in_any_case() {
        let state = TopState { filter: "OD".to_owned(), ..state() };
        assert_eq!(names(&state), ["nodes", "pods"]);
        assert_eq!(state.visible_queues().len(), 0);
        let state = TopState { filter: "repl".to_owned(), ..state };
        assert_eq!((names(&state).len(), state.visible_queues().len(), state.selected_index()), (0, 1, None));
    }

    #[test]
    fn the_choice_stays_with_its_informer_and_falls_to_the_first_when_that_is_gone() {
        let mut state = TopState { selected: Some("pods".to_owned()), ..state() };
        assert_eq!(state.selected_index(), Some(1));
        state.sort = Column::Objects;
        assert_eq!(state.selected_index(), Some(0));
        state.filter = "s".to_owned();
        state.selected = Some("gone".to_owned());
        assert_eq!(state.selected_index(), Some(0));
    }
}
