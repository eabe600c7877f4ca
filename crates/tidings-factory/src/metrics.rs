//! What Prometheus reads of a factory's informers: a collector that looks at those that live when it is scraped.
//!
//! Nothing is counted here and nothing is kept: the series of an informer are there as long as it is, and no
//! late task can bring them back. Names are upstream's where upstream has one, and `tidings_…` otherwise.

mod families;

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder};
use prometheus_client::metrics::MetricType;
use tidings_informer::informer::Histogram;
use tidings_object::Budget;

use crate::report::InformerReport;
use crate::roster::Roster;
use families::{FAMILIES, Family, Read, Value};

/// What a scrape reads of one factory's informers. A registry of yours takes it; a factory has no other.
pub struct InformerMetrics {
    roster: Arc<Roster>,
    budget: Arc<Budget>,
}

impl InformerMetrics {
    pub(crate) fn new(roster: Arc<Roster>, budget: Arc<Budget>) -> Self {
        InformerMetrics { roster, budget }
    }
}

impl Collector for InformerMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let reports = InformerReport::of(&self.roster);
        for family in FAMILIES {
            encode_family(&mut encoder, family, &reports)?;
        }
        encode_budget(&mut encoder, &self.budget)
    }
}

impl fmt::Debug for InformerMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerMetrics").field("informers", &self.roster.len()).finish()
    }
}

fn encode_family(
    encoder: &mut DescriptorEncoder<'_>,
    family: &Family,
    reports: &[InformerReport],
) -> fmt::Result {
    let kind = family.read.metric_type();
    let mut encoder = encoder.encode_descriptor(family.name, family.help, None, kind)?;
    for report in reports {
        let resource = &report.stats.resource;
        let labels = vec![
            ("name", &*report.stats.name),
            ("group", &*resource.group),
            ("version", &*resource.version),
            ("resource", &*resource.plural),
        ];
        match family.read {
            Read::Gauge(read) => {
                if let Some(value) = read(report) {
                    value.encode_gauge(encoder.encode_family(&labels)?)?;
                }
            }
            Read::Counter(read) => encode_counter(encoder.encode_family(&labels)?, read(report))?,
            Read::GaugeBy(label, read) => {
                for (name, value) in read(report) {
                    value.encode_gauge(encoder.encode_family(&with(&labels, label, &name))?)?;
                }
            }
            Read::CounterBy(label, read) => {
                for (name, value) in read(report) {
                    encode_counter(encoder.encode_family(&with(&labels, label, &name))?, value)?;
                }
            }
            Read::Durations(read) => encode_durations(encoder.encode_family(&labels)?, read(report))?,
            Read::Summary(read) => {
                let (sum, count) = read(report);
                let buckets = [(f64::INFINITY, count)];
                encoder
                    .encode_family(&labels)?
                    .encode_histogram::<[(&str, &str); 0]>(sum, count, &buckets, None)?;
            }
        }
    }
    Ok(())
}

fn with<'a>(labels: &[(&'a str, &'a str)], label: &'a str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    labels.iter().copied().chain([(label, value)]).collect()
}

fn encode_counter(mut encoder: MetricEncoder<'_>, value: u64) -> fmt::Result {
    encoder.encode_counter::<[(&str, &str); 0], u64, f64>(&value, None)
}

fn encode_durations(mut encoder: MetricEncoder<'_>, durations: &Histogram) -> fmt::Result {
    let buckets: Vec<(f64, u64)> = durations.buckets().collect();
    let sum_seconds = durations.sum().as_secs_f64();
    encoder.encode_histogram::<[(&str, &str); 0]>(sum_seconds, durations.count(), &buckets, None)
}

/// The budget that the informers of a factory share. One that an informer has for itself is told in its report.
fn encode_budget(encoder: &mut DescriptorEncoder<'_>, budget: &Budget) -> fmt::Result {
    let used = Value::from(budget.used_bytes_estimate());
    let help = "Estimated bytes of decoded objects that are kept.";
    used.encode_gauge(encoder.encode_descriptor("tidings_decoded_bytes", help, None, MetricType::Gauge)?)?;

    let limit = match budget.limit_bytes() {
        u64::MAX => Value::Real(f64::INFINITY),
        bytes => bytes.into(),
    };
    let help = "Bytes of decoded objects that may be kept.";
    limit.encode_gauge(encoder.encode_descriptor(
        "tidings_decoded_limit_bytes",
        help,
        None,
        MetricType::Gauge,
    )?)?;

    let counters = [
        ("tidings_decoded_hits", "Reads that found the object decoded.", budget.hits()),
        ("tidings_decoded_misses", "Reads that had to decode.", budget.misses()),
        ("tidings_decoded_evictions", "Decoded objects that were dropped.", budget.evictions()),
    ];
    for (name, help, value) in counters {
        encode_counter(encoder.encode_descriptor(name, help, None, MetricType::Counter)?, value)?;
    }
    Ok(())
}
