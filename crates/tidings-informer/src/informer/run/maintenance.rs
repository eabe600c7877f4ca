//! Background work, in slices between batches: trains dictionaries on a blocking thread, packs cached bodies with
//! them, and builds indexes that were added after the cache was filled.

use std::sync::Arc;

use tidings_object::{Intake, RawObject, TrainedDictionary};
use tidings_util::panic_message;
use tokio::task::JoinHandle;

use crate::informer::apply::Applier;

/// Objects per slice. After a slice the informer handles other work first.
const OBJECTS_PER_SLICE: usize = 256;

pub(crate) struct Maintenance {
    intake: Arc<Intake>,
    training: Option<JoinHandle<TrainedDictionary>>,
    /// Cached objects to pack again.
    to_repack: Vec<Arc<RawObject>>,
    has_dictionary: bool,
    lists_seen: u64,
}

impl Maintenance {
    pub(crate) fn new(intake: Arc<Intake>) -> Self {
        Maintenance { intake, training: None, to_repack: Vec::new(), has_dictionary: false, lists_seen: 0 }
    }

    /// Starts the training of a dictionary when one is due. After a list it schedules all objects for packing, because
    /// the first objects of the list were packed without the dictionary.
    pub(crate) fn schedule(&mut self, applier: &Applier) {
        if self.training.is_none()
            && let Some(training) = self.intake.training_due()
        {
            self.training = Some(tokio::task::spawn_blocking(move || training.run()));
        }
        if self.has_dictionary && applier.counts.lists != self.lists_seen {
            self.repack_all(applier);
        }
        self.lists_seen = applier.counts.lists;
    }

    fn repack_all(&mut self, applier: &Applier) {
        self.to_repack = applier.writer.iter().map(Arc::clone).collect();
    }

    /// Waits for the end of a training, or returns the message of its panic. Waits for ever if there is none. Cancel
    /// safe.
    pub(crate) async fn trained(&mut self) -> Result<TrainedDictionary, String> {
        match &mut self.training {
            None => std::future::pending().await,
            Some(training) => {
                let trained = training.await;
                self.training = None;
                trained.map_err(|error| match error.try_into_panic() {
                    Ok(panic) => panic_message(&*panic),
                    Err(error) => error.to_string(),
                })
            }
        }
    }

    pub(crate) fn has_work(&self) -> bool {
        !self.to_repack.is_empty()
    }

    /// Uses a new dictionary from now on, and schedules all cached objects for packing with it.
    pub(crate) fn adopt(&mut self, trained: TrainedDictionary, applier: &Applier) {
        self.intake.adopt(trained);
        self.has_dictionary = true;
        self.repack_all(applier);
    }

    /// Runs one slice.
    pub(crate) fn work(&mut self, applier: &mut Applier) {
        applier.writer.maintain(OBJECTS_PER_SLICE);
        let from = self.to_repack.len().saturating_sub(OBJECTS_PER_SLICE);
        for old in self.to_repack.drain(from..) {
            if let Some(new) = self.intake.repacked(&old) {
                applier.writer.exchange(&old, new);
            }
        }
        applier.publish();
    }
}
