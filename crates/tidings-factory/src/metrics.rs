//! The metrics of a factory: a collector that reads the informers in use at each scrape.
//!
//! It keeps no state. The series of an informer exist as long as the informer, and a late task can't bring them back. The
//! names are client-go's if client-go has the metric, and `tidings_…` otherwise.

mod families;

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder};
use prometheus_client::metrics::MetricType;
use tidings_informer::Histogram;
use tidings_object::Budget;

use crate::registry::Registry;
use crate::report::InformerReport;
use families::{FAMILIES, Family, Read, Value};

/// The metrics of the informers of one factory, as a collector for a registry of yours.
pub struct InformerMetrics {
    registry: Arc<Registry>,
    budget: Arc<Budget>,
}

impl InformerMetrics {
    pub(crate) fn new(registry: Arc<Registry>, budget: Arc<Budget>) -> Self {
        InformerMetrics { registry, budget }
    }
}

impl Collector for InformerMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let reports = InformerReport::of(&self.registry);
        for family in FAMILIES {
            encode_family(&mut encoder, family, &reports)?;
        }
        encode_budget(&mut encoder, &self.budget)
    }
}

impl fmt::Debug for InformerMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerMetrics").field("informers", &self.registry.len()).finish()
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

/// The budget that the informers of a factory share. The budget of a single informer is in its report.
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
