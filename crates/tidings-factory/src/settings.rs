//! The settings of an existing informer that are not part of its key. A second request must not ask for others.

use std::fmt;
use std::sync::Weak;
use std::time::Duration;

use std::sync::Arc;
use tidings_informer::delta::QueueOrder;
use tidings_informer::reflector::ReflectorConfig;
use tidings_informer::{ErrorHook, InformerConfig, InformerFault};
use tidings_source::{FRAME_BYTES_MAX_DEFAULT, WirePreference};

use crate::options::InformerOptions;

type HookFn = dyn Fn(&InformerFault) + Send + Sync;

/// The settings that an informer was made with.
pub(crate) struct InformerSettings {
    resync: Duration,
    budget: Option<u64>,
    queue_order: QueueOrder,
    reflector: ReflectorConfig,
    /// Weak: the registry must not keep a user's function alive.
    on_error: Option<Weak<HookFn>>,
    wire: WirePreference,
    gzip_lists: bool,
    frame_bytes_max: usize,
    merge_above: usize,
    queued_deltas_max: usize,
    stop_timeout: Duration,
}

/// An option that was requested with another value than the informer was made with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OptionDifference {
    pub(crate) option: &'static str,
    pub(crate) requested: String,
    pub(crate) existing: String,
}

impl InformerSettings {
    /// The settings of an informer that is made with these options.
    pub(crate) fn of(options: &InformerOptions) -> Self {
        let default = InformerConfig::default();
        InformerSettings {
            resync: options.resync.unwrap_or(default.resync),
            budget: options.budget,
            queue_order: options.queue_order.unwrap_or(default.queue_order),
            reflector: options.reflector.clone().unwrap_or(default.reflector),
            on_error: options.on_error.as_ref().map(Arc::downgrade),
            wire: options.wire.unwrap_or_default(),
            gzip_lists: options.gzip_lists.unwrap_or(false),
            frame_bytes_max: options.frame_bytes_max.unwrap_or(FRAME_BYTES_MAX_DEFAULT),
            merge_above: options.merge_above.unwrap_or(default.merge_above),
            queued_deltas_max: options.queued_deltas_max.unwrap_or(default.queued_deltas_max),
            stop_timeout: options.stop_timeout.unwrap_or(default.stop_deadline),
        }
    }

    /// The first option of `requested` that is set and has another value here.
    pub(crate) fn difference(&self, requested: &InformerOptions) -> Option<OptionDifference> {
        differs("resync", requested.resync.as_ref(), &self.resync)
            .or_else(|| differs("queue_order", requested.queue_order.as_ref(), &self.queue_order))
            .or_else(|| differs("reflector", requested.reflector.as_ref(), &self.reflector))
            .or_else(|| differs("wire", requested.wire.as_ref(), &self.wire))
            .or_else(|| differs("gzip_lists", requested.gzip_lists.as_ref(), &self.gzip_lists))
            .or_else(|| differs("frame_bytes_max", requested.frame_bytes_max.as_ref(), &self.frame_bytes_max))
            .or_else(|| differs("merge_above", requested.merge_above.as_ref(), &self.merge_above))
            .or_else(|| {
                differs("queued_deltas_max", requested.queued_deltas_max.as_ref(), &self.queued_deltas_max)
            })
            .or_else(|| differs("stop_timeout", requested.stop_timeout.as_ref(), &self.stop_timeout))
            .or_else(|| self.budget_difference(requested.budget))
            .or_else(|| self.hook_difference(requested.on_error.as_ref()))
    }

    fn budget_difference(&self, requested: Option<u64>) -> Option<OptionDifference> {
        let requested = requested.filter(|_| requested != self.budget)?;
        let existing =
            self.budget.map_or_else(|| "that of the factory".to_owned(), |bytes| bytes.to_string());
        Some(OptionDifference { option: "budget", requested: requested.to_string(), existing })
    }

    fn hook_difference(&self, requested: Option<&ErrorHook>) -> Option<OptionDifference> {
        let requested = requested.map(Arc::downgrade)?;
        let is_same = self.on_error.as_ref().is_some_and(|existing| existing.ptr_eq(&requested));
        (!is_same).then(|| OptionDifference {
            option: "on_error",
            requested: "a function".to_owned(),
            existing: if self.on_error.is_some() { "another function" } else { "none" }.to_owned(),
        })
    }
}

fn differs<T: PartialEq + fmt::Debug>(
    option: &'static str,
    requested: Option<&T>,
    existing: &T,
) -> Option<OptionDifference> {
    let requested = requested.filter(|requested| *requested != existing)?;
    Some(OptionDifference { option, requested: format!("{requested:?}"), existing: format!("{existing:?}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_that_differs_is_named_with_both_values() {
        let second = Duration::from_secs(1);
        let base = || InformerOptions::new().on_error(|_| ());
        let settings = InformerSettings::of(&base());
        let options: [(&str, InformerOptions); 11] = [
            ("resync", InformerOptions::new().resync(second)),
            ("queue_order", InformerOptions::new().queue_order(QueueOrder::PerObject)),
            (
                "reflector",
                InformerOptions::new().reflector(ReflectorConfig::default().watch_timeout_min(second)),
            ),
            ("wire", InformerOptions::new().wire(WirePreference::JsonOnly)),
            ("gzip_lists", InformerOptions::new().gzip_lists()),
            ("frame_bytes_max", InformerOptions::new().frame_bytes_max(7)),
            ("merge_above", InformerOptions::new().merge_above(7)),
            ("queued_deltas_max", InformerOptions::new().queued_deltas_max(7)),
            ("stop_timeout", InformerOptions::new().stop_timeout(second)),
            ("budget", InformerOptions::new().budget(7)),
            ("on_error", base()),
        ];
        for (option, requested) in options {
            let difference = settings.difference(&requested).expect("another value is a difference");
            assert_eq!(difference.option, option);
            assert_ne!(difference.requested, difference.existing);
            assert_eq!(InformerSettings::of(&requested).difference(&requested), None, "{option}");
        }
    }

    #[test]
    fn an_option_that_is_not_set_and_a_default_that_is_are_no_difference() {
        let settings = InformerSettings::of(&InformerOptions::new().resync(Duration::from_secs(1)));
        assert_eq!(settings.difference(&InformerOptions::new()), None);
        let explicit = InformerOptions::new()
            .wire(WirePreference::default())
            .queue_order(InformerConfig::default().queue_order)
            .frame_bytes_max(FRAME_BYTES_MAX_DEFAULT);
        assert_eq!(settings.difference(&explicit), None);
    }
}
