//! Metrics of elections, under the names that the components of Kubernetes use.
//!
//! The collector reads the elections on each scrape, through weak references: the series of an election disappear when
//! the election and its handles are dropped.

use std::fmt;
use std::sync::{Arc, Weak};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::leadership::{Leadership, SharedElection};
use crate::sync::Mutex;

/// The metrics `leader_election_master_status` and `leader_election_slowpath_total` of the elections passed to
/// [`show`](Self::show). Clones share the elections: register one clone and keep another.
#[derive(Debug, Clone, Default)]
pub struct ElectionMetrics {
    elections: Arc<Mutex<Vec<Weak<SharedElection>>>>,
}

impl ElectionMetrics {
    /// A collector without elections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an election. Its series exist as long as the election.
    pub fn show(&self, leadership: &Leadership) {
        let mut elections = self.elections.lock();
        elections.retain(|shared| shared.strong_count() > 0);
        elections.push(Arc::downgrade(&leadership.shared));
    }

    fn live(&self) -> Vec<Leadership> {
        let elections = self.elections.lock();
        elections.iter().filter_map(Weak::upgrade).map(|shared| Leadership { shared }).collect()
    }
}

impl Collector for ElectionMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let elections = self.live();
        let mut family = encoder.encode_descriptor(
            "leader_election_master_status",
            "Whether this replica leads: 1 if it does, 0 if it is a backup",
            None,
            MetricType::Gauge,
        )?;
        for election in &elections {
            let status = ConstGauge::new(i64::from(election.is_leader()));
            status.encode(family.encode_family(&[("name", election.name())])?)?;
        }
        let mut family = encoder.encode_descriptor(
            "leader_election_slowpath",
            "How often a leader had to read its lease before it could renew it",
            None,
            MetricType::Counter,
        )?;
        for election in &elections {
            let count = ConstCounter::new(election.slow_paths());
            count.encode(family.encode_family(&[("name", election.name())])?)?;
        }
        Ok(())
    }
}
