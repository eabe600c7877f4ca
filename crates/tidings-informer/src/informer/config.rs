//! The options of one informer.

use std::time::Duration;

use tidings_object::LabelSelector;

use crate::delta::QueueOrder;
use crate::informer::observe::fault::ErrorHook;
use crate::reflector::ReflectorConfig;

/// The options of one informer.
#[derive(Clone)]
#[non_exhaustive]
pub struct InformerConfig {
    /// Its name in logs, metrics and errors.
    pub name: String,
    /// The order in which changes are applied.
    pub queue_order: QueueOrder,
    /// The bound of the delta queue. When it is full, the reflector waits.
    pub queued_deltas_max: usize,
    /// The number of pending notifications of a handler above which those of one object merge. The notifications of a
    /// subscriber do not merge: above this number the informer's task makes the calls.
    pub merge_above: usize,
    /// The resync period of handlers that have none of their own. Zero means never.
    pub resync: Duration,
    /// How long a stop may take. Then pending notifications are dropped.
    pub stop_deadline: Duration,
    /// The label selector of its sources. A wait for an object that does not match fails at once.
    pub label_selector: LabelSelector,
    /// The options of lists and watches.
    pub reflector: ReflectorConfig,
    /// A function that is called with every fault.
    pub on_error: Option<ErrorHook>,
    /// The seed of all random choices.
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
