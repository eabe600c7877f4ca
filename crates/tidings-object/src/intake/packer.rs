//! The life of an informer's dictionary: when bodies are kept plain, packed without one or with one, and when
//! a training is due. It starts nothing itself: whoever drives the informer asks, trains elsewhere, and brings
//! back what came out.

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
    TrainedDictionary,
    /// For secrets: a dictionary holds parts of bodies, and would outlive them.
    NoDictionary,
}

#[derive(Debug)]
struct PackerState {
    /// What new bodies are packed with; until a first training they are kept as they came.
    codec: Option<Arc<Codec>>,
    /// The training under way; dead when there is none.
    training: Weak<TrainingToken>,
    samples: Reservoir<Weak<RawObject>>,
    /// How many objects there were at the last training; 0 before it.
    trained_objects: u64,
    ratio: RatioMonitor,
    /// How many bytes of bodies were packed since the last training.
    packed_since_bytes: u64,
    /// How many trainings there were because a dictionary was worn.
    degraded_trainings: u32,
    /// Beside a dictionary: the first of a key, and those that differ from their reference, are packed with that.
    references: ReferencePool,
    /// Every dictionary that bodies may still hold.
    dictionaries: Vec<Weak<Codec>>,
}

/// How well a dictionary packs now, against how well it packed at first.
#[derive(Debug, Default)]
struct RatioMonitor {
    bodies: u32,
    raw_bytes: u64,
    packed_bytes: u64,
    /// raw:packed of the first window, in hundredths.
    first_percent: Option<u64>,
    is_degraded: bool,
}

/// For pods of 500 services, four times as many give no better dictionary, and take more than three times as long.
const SAMPLES_MAX: usize = 128;

/// Below these a dictionary costs more than it saves.
const OBJECTS_MIN: u64 = 100;
const RAW_BYTES_MIN: u64 = 1 << 20;

/// A small cache grown by this much is another cache.
const GROWTH: u64 = 8;

/// From here on what was sampled stands for the rest: packing all of it anew would cost more than a slightly better
/// dictionary saves. If what comes later is of another kind, the dictionary is worn, and that is noticed.
const OBJECTS_ENOUGH: u64 = 1_000;

/// A worn dictionary waits until as many bytes have arrived as the cache holds, the next one twice as long, and so on
/// up to 2 to the power of this. A training packs the whole cache anew, and one tenant whose bodies pack well and badly
/// by turns wears out every dictionary: so the cost stays a share of what arrives, and ever less of it.
const RETRAIN_DOUBLINGS_MAX: u32 = 10;

/// Bodies over which the ratio is taken.
const WINDOW_BODIES: u32 = 256;

impl Packer {
    pub(super) fn new(resource: &ResourceKind, pool: Arc<PackPool>) -> Packer {
        let is_secret = resource.group.is_empty() && resource.kind == "Secret";
        let without_dictionary = Arc::new(Codec::new(pool, None));
        Packer {
            policy: if is_secret {
                DictionaryPolicy::NoDictionary
            } else {
                DictionaryPolicy::TrainedDictionary
            },
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

    /// Packs a body of one of `key`; `now` is what all of the informer take.
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
            state.references.packed(key, raw, &body, now.memory_bytes);
        }
        body
    }

    /// The body packed with the dictionary of now; `None` if it is already, or gains nothing by it, as one that is told
    /// by its reference.
    pub(super) fn repack(&self, body: &Body) -> Option<Body> {
        let codec = self.state.lock().codec.clone().filter(|codec| codec.has_dictionary())?;
        if body.is_packed_by(&codec) || body.is_delta() {
            return None;
        }
        let raw = body.unpacked().ok()?;
        let packed = Body::packed(body.wire(), &raw, &codec);
        packed.is_packed_by(&codec).then_some(packed)
    }

    /// Cacheable an object as a sample. It is not kept alive by that, nor its body copied.
    pub(super) fn offer_sample(&self, object: &Arc<RawObject>) {
        if self.policy == DictionaryPolicy::TrainedDictionary {
            self.state.lock().samples.offer(Arc::downgrade(object));
        }
    }

    pub(super) fn is_training_due(&self, now: PackStats) -> bool {
        let state = self.state.lock();
        self.policy == DictionaryPolicy::TrainedDictionary
            && state.training.strong_count() == 0
            && state.is_due(now)
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
        // Whatever arrives from now on would wait long enough to be packed twice.
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

    /// Takes what a training gave, unless another intake asked for it.
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
        // What they take with the old dictionary is no yardstick any more.
        state.references.clear();
        if let Some(dictionary) = trained.dictionary {
            let codec = Arc::new(self.without_dictionary.with_dictionary(dictionary));
            state.dictionaries.retain(|old| old.strong_count() > 0);
            state.dictionaries.push(Arc::downgrade(&codec));
            state.codec = Some(codec);
        }
    }

    /// What the dictionaries and reference take that bodies still hold, and those of now.
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
