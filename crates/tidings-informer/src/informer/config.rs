//! What can be set for one informer.

use std::time::Duration;

use tidings_object::LabelSelector;

use crate::delta::QueueOrder;
use crate::informer::observe::fault::ErrorHook;
use crate::reflector::ReflectorConfig;

/// What can be set for one informer. [`Default`] is what most want.
#[derive(Clone)]
#[non_exhaustive]
pub struct InformerConfig {
    /// How it is called in diagnostics.
    pub name: String,
    /// In which order changes are applied.
    pub queue_order: QueueOrder,
    /// How many deltas may wait to be applied before the reflector has to wait.
    pub queued_deltas_max: usize,
    /// Above how many pending notifications those of one object merge, for each handler. Of subscribers nothing merges: above
    /// it the informer's task makes the calls.
    pub merge_above: usize,
    /// How often each handler is told everything again, unless it says otherwise; zero is never.
    pub resync: Duration,
    /// How long a stop may take before what handlers have not been told is dropped.
    pub stop_deadline: Duration,
    /// Which objects its sources ask for, as far as labels tell: whoever waits for another is told at once.
    pub label_selector: LabelSelector,
    /// How lists and watches are made.
    pub reflector: ReflectorConfig,
    /// What is called with every fault.
    pub on_error: Option<ErrorHook>,
    /// Where every random choice comes from.
    pub seed: u64,
}

impl Default for InformerConfig {
    fn default() -> Self {
        InformerConfig {
            name: String::new(),
            queue_order: QueueOrder::InOrder,
            queued_deltas_max: 4096,
            merge_above: 1024,
            resync: Duration::ZERO,
            stop_deadline: Duration::from_secs(5),
            label_selector: LabelSelector::everything(),
            reflector: ReflectorConfig::default(),
            on_error: None,
            seed: 0,
        }
    }
}

impl std::fmt::Debug for InformerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InformerConfig")
            .field("name", &self.name)
            .field("queue_order", &self.queue_order)
            .field("resync", &self.resync)
            .finish_non_exhaustive()
    }
}
