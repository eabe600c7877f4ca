//! What is done in the background, in slices between batches: dictionaries are trained on a thread of their own,
//! cached bodies packed with them, and indexes built that were added to a full cache.

use std::sync::Arc;

use tidings_object::{Intake, RawObject, TrainedDictionary};
use tidings_util::panic_message;
use tokio::task::JoinHandle;

use crate::informer::apply::Applier;

/// How many objects are looked at before the informer looks for other work again.
const OBJECTS_A_SLICE: usize = 256;

pub(crate) struct Upkeep {
    intake: Arc<Intake>,
    training: Option<JoinHandle<TrainedDictionary>>,
    /// Cached objects that are to be packed again.
    to_repack: Vec<Arc<RawObject>>,
    has_dictionary: bool,
    lists_seen: u64,
}

impl Upkeep {
    pub(crate) fn new(intake: Arc<Intake>) -> Self {
        Upkeep { intake, training: None, to_repack: Vec::new(), has_dictionary: false, lists_seen: 0 }
    }

    /// Begins to train a dictionary when one is due, and looks again at what a list has brought: its first
    /// objects came before there was a dictionary.
    pub(crate) fn look(&mut self, applier: &Applier) {
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

    /// Ends when a training has, or has panicked with this message; never if none is under way. Cancel safe.
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

    /// Takes a new dictionary into use; what is cached will be packed with it.
    pub(crate) fn adopt(&mut self, trained: TrainedDictionary, applier: &Applier) {
        self.intake.adopt(trained);
        self.has_dictionary = true;
        self.repack_all(applier);
    }

    /// One slice of work.
    pub(crate) fn work(&mut self, applier: &mut Applier) {
        applier.writer.maintain(OBJECTS_A_SLICE);
        let from = self.to_repack.len().saturating_sub(OBJECTS_A_SLICE);
        for old in self.to_repack.drain(from..) {
            if let Some(new) = self.intake.repacked(&old) {
                applier.writer.exchange(&old, new);
            }
        }
        applier.publish();
    }
}
