//! Metrics of elections, under the names that Kubernetes' own components give them.
//!
//! Elections are looked at when somebody asks, through weak references: when an election and its handles are gone,
//! so are its series.

use std::fmt;
use std::sync::{Arc, Weak};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::leadership::{Leadership, SharedElection};
use crate::sync::Mutex;

/// `leader_election_master_status` and `leader_election_slowpath_total`, for the elections that it was shown. Clones
/// know the same elections: register one, keep another.
#[derive(Debug, Clone, Default)]
pub struct ElectionMetrics {
    elections: Arc<Mutex<Vec<Weak<SharedElection>>>>,
}

impl ElectionMetrics {
    /// Knows no election.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows an election's figures from now on, for as long as it lives.
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
