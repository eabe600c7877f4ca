//! Background work, in slices between batches: trains dictionaries on a blocking thread, packs cached bodies with
//! them, and builds indexes that were added after the cache was filled.

use std::sync::Arc;

use tidings_object::{Intake, RawObject, TrainedDictionary};
use tidings_util::panic_message;
use tokio::task::JoinHandle;

use crate::informer::apply::Applier;

/// Objects per slice. After a slice the informer handles other work first.
const OBJECTS_PER_SLICE: u32 = 256;

/// A slice ends after it has packed this many unpacked bytes: changes wait for the end of a slice, and zstd takes tens
/// of microseconds for a pod.
const REPACKED_BYTES_PER_SLICE: usize = 128 << 10;

pub(crate) struct Maintenance {
    intake: Arc<Intake>,
    training: Option<JoinHandle<TrainedDictionary>>,
    /// The next slot of the cache whose object is to be packed again; `None` if there is no such work. A position
    /// instead of a list of objects: to make that list would read every object of the cache at once.
    repack_from: Option<u32>,
    has_dictionary: bool,
    lists_seen: u64,
}

impl Maintenance {
    pub(crate) fn new(intake: Arc<Intake>) -> Self {
        Maintenance { intake, training: None, repack_from: None, has_dictionary: false, lists_seen: 0 }
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
            self.repack_from = Some(0);
        }
        self.lists_seen = applier.counts.lists;
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
        self.repack_from.is_some()
    }

    /// Uses a new dictionary from now on, and schedules all cached objects for packing with it.
    pub(crate) fn adopt(&mut self, trained: TrainedDictionary) {
        self.intake.adopt(trained);
        self.has_dictionary = true;
        self.repack_from = Some(0);
    }

    /// Runs one slice.
    pub(crate) fn work(&mut self, applier: &mut Applier) {
        applier.writer.maintain(OBJECTS_PER_SLICE as usize);
        if let Some(from) = self.repack_from {
            self.repack_from = self.repack(applier, from);
        }
        applier.publish();
    }

    /// Packs the objects from this slot on with the current dictionary. Returns where the next slice begins.
    fn repack(&self, applier: &mut Applier, from: u32) -> Option<u32> {
        let end = applier.writer.slots_end();
        let mut repacked_bytes = 0;
        for slot in from..end.min(from.saturating_add(OBJECTS_PER_SLICE)) {
            let repacked = applier.writer.exchange(slot, |object| self.intake.repacked(object));
            repacked_bytes += repacked.map_or(0, RawObject::wire_bytes);
            if repacked_bytes >= REPACKED_BYTES_PER_SLICE {
                return Some(slot + 1);
            }
        }
        Some(from.saturating_add(OBJECTS_PER_SLICE)).filter(|next| *next < end)
    }
}
