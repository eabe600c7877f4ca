//! Packs the bodies of one informer, and decides when to train a dictionary for them. It starts no thread: the task of
//! the informer asks whether a training is due, runs it elsewhere, and hands the result back.
//!
//! A body is packed in the first of these ways that applies:
//!
//! ```text
//! before the first training             plain
//! while the first training runs         zstd without a dictionary
//! the reference is similar enough       a delta against the reference (see `reference_pool`)
//! otherwise                             zstd with the dictionary
//! ```

use std::sync::{Arc, Weak};

use crate::body::{Body, Codec, DictionaryTraining, PackPool, TrainedDictionary, TrainingToken};
use crate::raw::PackStats;
use crate::sync::Mutex;
use crate::{RawObject, ResourceKind};

use super::reference_pool::{ReferenceKey, ReferencePool};
use super::reservoir::Reservoir;

/// Packs the bodies of one informer.
#[derive(Debug)]
pub(super) struct Packer {
    policy: DictionaryPolicy,
    without_dictionary: Arc<Codec>,
    state: Mutex<PackerState>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DictionaryPolicy {
    Train,
    /// For secrets: a dictionary contains parts of bodies, and may live longer than they do.
    NoDictionary,
}

#[derive(Debug)]
struct PackerState {
    /// Packs new bodies. It is `None` before the first training: then bodies are kept plain.
    codec: Option<Arc<Codec>>,
    /// Alive while a training runs.
    training: Weak<TrainingToken>,
    samples: Reservoir<Weak<RawObject>>,
    /// The number of objects at the last training; 0 before the first one.
    trained_objects: u64,
    ratio: RatioMonitor,
    /// The bytes of bodies that arrived since the last training.
    packed_since_bytes: u64,
    /// The number of trainings because a dictionary had degraded.
    degraded_trainings: u32,
    /// Used only if there is a dictionary, which packs bodies without a similar reference.
    references: ReferencePool,
    /// The dictionaries that bodies may still need.
    dictionaries: Vec<Weak<Codec>>,
}

/// Compares the compression ratio of a dictionary with its first ratio.
#[derive(Debug, Default)]
struct RatioMonitor {
    bodies: u32,
    raw_bytes: u64,
    packed_bytes: u64,
    /// The ratio raw:packed of the first window, in percent.
    first_percent: Option<u64>,
    is_degraded: bool,
}

/// For pods of 500 services, four times as many samples give no better dictionary, and training takes more than three
/// times as long.
const SAMPLES_MAX: usize = 128;

/// For fewer objects or bytes a dictionary costs more than it saves.
const OBJECTS_MIN: u64 = 100;
const RAW_BYTES_MIN: u64 = 1 << 20;

/// A small cache that has grown by this factor gets a new dictionary.
const GROWTH: u64 = 8;

/// From this many objects on the samples represent the rest, and growth alone causes no training: to repack the whole
/// cache would cost more than a slightly better dictionary saves. If later objects are different, the ratio degrades.
const OBJECTS_ENOUGH: u64 = 1_000;

/// Exponential backoff for degraded dictionaries: the first is replaced after as many bytes have arrived as the cache
/// holds, the next after twice as many, and so on up to 2 to the power of this. A training repacks the whole cache, and
/// a tenant whose bodies alternate between two kinds degrades every dictionary. The backoff bounds that cost to a
/// decreasing share of the arriving bytes.
const RETRAIN_DOUBLINGS_MAX: u32 = 10;

/// The number of bodies in one measurement of the ratio.
const WINDOW_BODIES: u32 = 256;

impl Packer {
    pub(super) fn new(resource: &ResourceKind, pool: Arc<PackPool>) -> Packer {
        let is_secret = resource.group.is_empty() && resource.kind == "Secret";
        let without_dictionary = Arc::new(Codec::new(pool, None));
        Packer {
            policy: if is_secret { DictionaryPolicy::NoDictionary } else { DictionaryPolicy::Train },
            state: Mutex::new(PackerState {
                codec: is_secret.then(|| Arc::clone(&without_dictionary)),
                training: Weak::new(),
                samples: Reservoir::new(SAMPLES_MAX),
                trained_objects: 0,
                ratio: RatioMonitor::default(),
                packed_since_bytes: 0,
                degraded_trainings: 0,
                references: ReferencePool::default(),
                dictionaries: Vec::new(),
            }),
            without_dictionary,
        }
    }

    /// Packs a body. `now` is the memory of all objects of the informer.
    pub(super) fn pack(&self, key: ReferenceKey, raw: &[u8], now: PackStats) -> Body {
        let mut state = self.state.lock();
        state.packed_since_bytes += raw.len() as u64;
        let Some(codec) = state.codec.clone() else { return Body::plain(key.wire(), raw) };
        let reference = state.references.reference(key, raw.len());
        drop(state);
        if let Some((reference, packed_max)) = reference
            && let Some(body) = Body::delta(key.wire(), raw, &reference, packed_max)
        {
            self.state.lock().references.record_hit(key);
            return body;
        }
        let body = Body::packed(key.wire(), raw, &codec);
        if codec.has_dictionary() {
            let mut state = self.state.lock();
            state.ratio.count(raw.len(), body.packed_len());
            state.references.record_miss(key, raw, &body, now.memory_bytes);
        }
        body
    }

    /// The body packed with the current dictionary; `None` if it already is, or if that saves nothing. A delta stays a
    /// delta.
    pub(super) fn repack(&self, body: &Body) -> Option<Body> {
        let codec = self.state.lock().codec.clone().filter(|codec| codec.has_dictionary())?;
        if body.is_packed_by(&codec) || body.is_delta() {
            return None;
        }
        let raw = body.unpacked().ok()?;
        let packed = Body::packed(body.wire(), &raw, &codec);
        packed.is_packed_by(&codec).then_some(packed)
    }

    /// Offers an object as a sample, by a weak reference. Its body is not copied.
    pub(super) fn offer_sample(&self, object: &Arc<RawObject>) {
        if self.policy == DictionaryPolicy::Train {
            self.state.lock().samples.offer(Arc::downgrade(object));
        }
    }

    pub(super) fn is_training_due(&self, now: PackStats) -> bool {
        let state = self.state.lock();
        self.policy == DictionaryPolicy::Train && state.training.strong_count() == 0 && state.is_due(now)
    }

    pub(super) fn training_due(&self, now: PackStats) -> Option<DictionaryTraining> {
        if self.policy == DictionaryPolicy::NoDictionary {
            return None;
        }
        let mut state = self.state.lock();
        if state.training.strong_count() > 0 || !state.is_due(now) {
            return None;
        }
        let token = Arc::new(TrainingToken::default());
        state.training = Arc::downgrade(&token);
        // From now on bodies are packed even without a dictionary: they may wait long for it, and are then repacked.
        state.codec.get_or_insert_with(|| Arc::clone(&self.without_dictionary));
        let samples = state.samples.samples().to_vec();
        drop(state);

        let mut training = DictionaryTraining::new(now.objects, token);
        for object in samples.iter().filter_map(Weak::upgrade) {
            if let Ok(body) = object.body().unpacked() {
                training.add_sample(&body);
            }
        }
        Some(training)
    }

    /// Uses the result of a training, unless it belongs to another intake.
    pub(super) fn adopt(&self, trained: TrainedDictionary) {
        let mut state = self.state.lock();
        if !Weak::ptr_eq(&state.training, &Arc::downgrade(&trained.token)) {
            return;
        }
        state.training = Weak::new();
        state.trained_objects = trained.objects.max(1);
        state.degraded_trainings += u32::from(state.ratio.is_degraded);
        state.ratio = RatioMonitor::default();
        state.packed_since_bytes = 0;
        state.samples.clear();
        // The sizes with the old dictionary are no longer a limit for deltas.
        state.references.clear();
        if let Some(dictionary) = trained.dictionary {
            let codec = Arc::new(self.without_dictionary.with_dictionary(dictionary));
            state.dictionaries.retain(|old| old.strong_count() > 0);
            state.dictionaries.push(Arc::downgrade(&codec));
            state.codec = Some(codec);
        }
    }

    /// The bytes of all dictionaries and references that are alive.
    pub(super) fn dictionary_bytes(&self) -> u64 {
        let state = self.state.lock();
        let dictionaries = state.dictionaries.iter().filter_map(Weak::upgrade);
        let dictionary_bytes: u64 = dictionaries.map(|codec| codec.dictionary_bytes() as u64).sum();
        dictionary_bytes + state.references.memory_bytes()
    }
}

impl PackerState {
    fn is_due(&self, now: PackStats) -> bool {
        match self.trained_objects {
            0 => now.objects >= OBJECTS_MIN && now.raw_bytes >= RAW_BYTES_MIN,
            before => {
                let has_grown = before < OBJECTS_ENOUGH && now.objects >= before.saturating_mul(GROWTH);
                let distance_bytes = now.raw_bytes << self.degraded_trainings.min(RETRAIN_DOUBLINGS_MAX);
                self.ratio.is_degraded && self.packed_since_bytes >= distance_bytes || has_grown
            }
        }
    }
}

impl RatioMonitor {
    fn count(&mut self, raw_len: usize, packed_len: usize) {
        self.bodies += 1;
        self.raw_bytes += raw_len as u64;
        self.packed_bytes += packed_len as u64;
        if self.bodies < WINDOW_BODIES {
            return;
        }
        let percent = self.raw_bytes * 100 / self.packed_bytes.max(1);
        let first_percent = *self.first_percent.get_or_insert(percent);
        self.is_degraded |= percent * 2 <= first_percent;
        (self.bodies, self.raw_bytes, self.packed_bytes) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests;
