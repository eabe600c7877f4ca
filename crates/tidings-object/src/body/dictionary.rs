//! zstd dictionaries, trained on sampled bodies of one informer. A training takes some hundred milliseconds of one
//! core, and runs on a thread that may block. Too few or unsuitable samples give no dictionary, which is not an error.

use std::fmt;
use std::sync::Arc;

use zstd::zstd_safe::{CDict, DDict};

/// A zstd dictionary, prepared for both directions.
pub(crate) struct Dictionary {
    compress: CDict<'static>,
    decompress: DDict<'static>,
}

/// A dictionary to be trained, with its samples. [`run`](Self::run) it outside the informer's task, and
/// [`adopt`](crate::Intake::adopt) the result. It may be dropped instead: then another training will be due.
#[doc(hidden)]
pub struct DictionaryTraining {
    samples: Vec<u8>,
    sample_lens: Vec<usize>,
    objects: u64,
    token: Arc<TrainingToken>,
}

/// The result of a training, for the intake that started it.
#[doc(hidden)]
pub struct TrainedDictionary {
    pub(crate) dictionary: Option<Dictionary>,
    /// The number of objects at the start of the training.
    pub(crate) objects: u64,
    pub(crate) token: Arc<TrainingToken>,
}

/// Alive while a training runs. It distinguishes the trainings of different intakes.
#[derive(Debug, Default)]
pub(crate) struct TrainingToken(());

/// The most bytes of all samples.
const SAMPLES_BYTES_MAX: usize = 4 << 20;

/// The most bytes of one sample. A huge object does not represent the others.
const SAMPLE_BYTES_MAX: usize = 64 << 10;

/// zstd refuses to train with fewer than 7 samples.
const SAMPLES_MIN: usize = 8;

/// For pods, 64 KiB give no smaller bodies, and 16 KiB give bodies that are a few bytes larger.
const DICTIONARY_BYTES_MAX: usize = 32 << 10;

/// The compression level. With a dictionary, most of a body is references into it: for a pod, level 3 saves 7 % more
/// bytes, and takes a third more time and four times the memory for tables.
const LEVEL: i32 = 1;

impl DictionaryTraining {
    pub(crate) fn new(objects: u64, token: Arc<TrainingToken>) -> DictionaryTraining {
        DictionaryTraining { samples: Vec::new(), sample_lens: Vec::new(), objects, token }
    }

    /// Adds a sample, if there is room.
    pub(crate) fn add_sample(&mut self, body: &[u8]) {
        let sample = &body[..body.len().min(SAMPLE_BYTES_MAX)];
        if self.samples.len() + sample.len() <= SAMPLES_BYTES_MAX {
            self.samples.extend_from_slice(sample);
            self.sample_lens.push(sample.len());
        }
    }

    /// The number of samples.
    pub fn samples(&self) -> usize {
        self.sample_lens.len()
    }

    /// Trains the dictionary. This blocks, and uses one core.
    pub fn run(self) -> TrainedDictionary {
        let bytes_max = DICTIONARY_BYTES_MAX.min(self.samples.len() / 4);
        let dictionary = (self.samples() >= SAMPLES_MIN)
            .then(|| zstd::dict::from_continuous(&self.samples, &self.sample_lens, bytes_max).ok())
            .flatten()
            .and_then(|bytes| Dictionary::new(&bytes));
        TrainedDictionary { dictionary, objects: self.objects, token: self.token }
    }
}

impl TrainedDictionary {
    /// Whether the training gave a dictionary.
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

/// Only the size: a dictionary contains parts of bodies.
impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary").field("memory_bytes", &self.memory_bytes()).finish()
    }
}

/// Only sizes: samples are bodies.
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
