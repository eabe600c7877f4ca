//! Reservoir sampling (Algorithm R: Vitter, "Random Sampling with a Reservoir", 1985): keeps a uniform sample of a
//! stream whose length is not known. A list is sorted by namespace, and its first objects would not be a good sample.
//!
//! Example, with a capacity of 2: the first two items are kept. The third replaces one of them with probability 2/3,
//! the fourth with 2/4, and so on. So after n items each one is in the sample with probability 2/n.

/// A uniform sample of at most `capacity` of the offered items.
#[derive(Debug)]
pub(super) struct Reservoir<T> {
    samples: Vec<T>,
    capacity: usize,
    offered: u64,
    rng_state: u64,
}

impl<T> Reservoir<T> {
    /// The seed is fixed, so that the same items give the same sample.
    pub(super) fn new(capacity: usize) -> Self {
        Reservoir { samples: Vec::new(), capacity, offered: 0, rng_state: 0x9e37_79b9_7f4a_7c15 }
    }

    pub(super) fn offer(&mut self, item: T) {
        self.offered += 1;
        if self.samples.len() < self.capacity {
            self.samples.push(item);
            return;
        }
        let index = self.next_random() % self.offered;
        if let Some(sample) = usize::try_from(index).ok().and_then(|index| self.samples.get_mut(index)) {
            *sample = item;
        }
    }

    pub(super) fn samples(&self) -> &[T] {
        &self.samples
    }

    pub(super) fn clear(&mut self) {
        self.offered = 0;
        self.samples = Vec::new();
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014).
    fn next_random(&mut self) -> u64 {
        self.rng_state = self.rng_state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.rng_state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_over_all_items() {
        let mut reservoir = Reservoir::new(500);
        (0..100_000).for_each(|item| reservoir.offer(item));
        let samples = reservoir.samples();
        assert_eq!(samples.len(), 500);
        for tenth in 0..10 {
            let range = tenth * 10_000..(tenth + 1) * 10_000;
            let count = samples.iter().filter(|item| range.contains(*item)).count();
            assert!((25..100).contains(&count), "{count} of the {tenth}th tenth");
        }
    }
}
