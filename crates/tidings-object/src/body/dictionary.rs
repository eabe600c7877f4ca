//! A dictionary for the bodies of one informer, and its training: samples in, dictionary out, on whatever
//! thread may be kept busy for some hundred milliseconds. Too few or too odd samples give no dictionary, which
//! is no error.

use std::fmt;
use std::sync::Arc;

use zstd::zstd_safe::{CDict, DDict};

/// What bodies are packed against.
pub(crate) struct Dictionary {
    compress: CDict<'static>,
    decompress: DDict<'static>,
}

/// A dictionary to be trained: it owns its samples. [`run`](Self::run) it off the pipeline's task and
/// [`adopt`](crate::Intake::adopt) what comes out; dropping it instead is fine, another one will be due.
pub struct DictionaryTraining {
    samples: Vec<u8>,
    sample_lens: Vec<usize>,
    objects: u64,
    token: Arc<TrainingToken>,
}

/// What a training gave, for the intake that asked for it.
pub struct TrainedDictionary {
    pub(crate) dictionary: Option<Dictionary>,
    /// How many objects there were when it began.
    pub(crate) objects: u64,
    pub(crate) token: Arc<TrainingToken>,
}

/// Alive as long as a training is under way. Tells the trainings of different intakes apart.
#[derive(Debug, Default)]
pub(crate) struct TrainingToken(());

/// All samples together.
const SAMPLES_BYTES_MAX: usize = 4 << 20;

/// One sample. A huge object equals little about the others.
const SAMPLE_BYTES_MAX: usize = 64 << 10;

/// zstd refuses to train with fewer than 7.
const SAMPLES_MIN: usize = 8;

/// For pods, 64 KiB pack no better, and 16 KiB a few bytes worse.
const DICTIONARY_BYTES_MAX: usize = 32 << 10;

/// With a dictionary, most of a body is references into it: level 3 takes a fourteenth more off a pod, and for
/// that a third more time and four times the tables.
const LEVEL: i32 = 1;

impl DictionaryTraining {
    pub(crate) fn new(objects: u64, token: Arc<TrainingToken>) -> DictionaryTraining {
        DictionaryTraining { samples: Vec::new(), sample_lens: Vec::new(), objects, token }
    }

    /// Takes one more sample, as long as there is room.
    pub(crate) fn add_sample(&mut self, body: &[u8]) {
        let sample = &body[..body.len().min(SAMPLE_BYTES_MAX)];
        if self.samples.len() + sample.len() <= SAMPLES_BYTES_MAX {
            self.samples.extend_from_slice(sample);
            self.sample_lens.push(sample.len());
        }
    }

    /// How many samples it has.
    pub fn samples(&self) -> usize {
        self.sample_lens.len()
    }

    /// Trains. This blocks, and keeps a core busy.
    pub fn run(self) -> TrainedDictionary {
        let room = DICTIONARY_BYTES_MAX.min(self.samples.len() / 4);
        let dictionary = (self.samples() >= SAMPLES_MIN)
            .then(|| zstd::dict::from_continuous(&self.samples, &self.sample_lens, room).ok())
            .flatten()
            .and_then(|bytes| Dictionary::new(&bytes));
        TrainedDictionary { dictionary, objects: self.objects, token: self.token }
    }
}

impl TrainedDictionary {
    /// Whether a dictionary came out.
    pub fn is_dictionary(&self) -> bool {
        self.dictionary.is_some()
    }
}

impl Dictionary {
    fn new(bytes: &[u8]) -> Option<Dictionary> {
        Some(Dictionary { compress: CDict::try_create(bytes, LEVEL)?, decompress: DDict::try_create(bytes)? })
    }

    pub(super) fn for_packing(&self) -> &CDict<'static> {
        &self.compress
    }

    pub(super) fn for_unpacking(&self) -> &DDict<'static> {
        &self.decompress
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.compress.sizeof() + self.decompress.sizeof()
    }
}

/// Sizes only: a dictionary holds parts of bodies.
impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary").field("memory_bytes", &self.memory_bytes()).finish()
    }
}

/// Sizes only: samples are bodies.
impl fmt::Debug for DictionaryTraining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (samples, bytes) = (self.samples(), self.samples.len());
        f.debug_struct("DictionaryTraining").field("samples", &samples).field("bytes", &bytes).finish()
    }
}

impl fmt::Debug for TrainedDictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrainedDictionary").field("dictionary", &self.dictionary).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_or_useless_samples_give_no_dictionary_and_no_error() {
        for samples in [0, 1, 6, 7] {
            let mut training = DictionaryTraining::new(0, Arc::default());
            (0..samples).for_each(|_| training.add_sample(&[b'a'; 1_000]));
            assert!(!training.run().is_dictionary(), "{samples}");
        }
        let mut training = DictionaryTraining::new(0, Arc::default());
        (0..100).for_each(|_| training.add_sample(b"}"));
        assert!(!training.run().is_dictionary());
    }

    #[test]
    fn samples_are_bounded_in_bytes() {
        let mut training = DictionaryTraining::new(0, Arc::default());
        (0..1_000).for_each(|_| training.add_sample(&vec![b'a'; 1 << 20]));
        assert!(training.samples.len() <= SAMPLES_BYTES_MAX);
        assert_eq!(training.samples(), SAMPLES_BYTES_MAX / SAMPLE_BYTES_MAX);
    }
}
