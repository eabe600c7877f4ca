//! A fair choice of a few among many whose number is not known beforehand: each one that came is among the
//! kept with the same chance, so that samples are spread over a list which is sorted by namespace.

/// At most `capacity` of all that was offered.
#[derive(Debug)]
pub(super) struct Reservoir<T> {
    kept: Vec<T>,
    capacity: usize,
    offered: u64,
    chance: u64,
}

impl<T> Reservoir<T> {
    /// The seed is fixed: the same arrivals give the same samples.
    pub(super) fn new(capacity: usize) -> Self {
        Reservoir { kept: Vec::new(), capacity, offered: 0, chance: 0x9e37_79b9_7f4a_7c15 }
    }

    pub(super) fn offer(&mut self, item: T) {
        self.offered += 1;
        if self.kept.len() < self.capacity {
            self.kept.push(item);
            return;
        }
        let place = self.next_chance() % self.offered;
        if let Some(kept) = usize::try_from(place).ok().and_then(|place| self.kept.get_mut(place)) {
            *kept = item;
        }
    }

    pub(super) fn kept(&self) -> &[T] {
        &self.kept
    }

    pub(super) fn begin_again(&mut self) {
        self.offered = 0;
        self.kept = Vec::new();
    }

    /// SplitMix64.
    fn next_chance(&mut self) -> u64 {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.chance;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_over_all_that_came() {
        let mut reservoir = Reservoir::new(500);
        (0..100_000).for_each(|item| reservoir.offer(item));
        let kept = reservoir.kept();
        assert_eq!(kept.len(), 500);
        for tenth in 0..10 {
            let range = tenth * 10_000..(tenth + 1) * 10_000;
            let count = kept.iter().filter(|item| range.contains(*item)).count();
            assert!((25..100).contains(&count), "{count} of the {tenth}th tenth");
        }
    }
}
