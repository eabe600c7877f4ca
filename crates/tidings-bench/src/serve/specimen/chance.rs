//! Chance with a seed, in the shapes that objects need.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Draws uids, hashes, times and addresses.
pub(super) struct Chance(SmallRng);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Chance(SmallRng::seed_from_u64(seed))
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0.random_range(0..bound)
    }

    pub(super) fn of(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.0.random_range(0..choices.len())]
    }

    pub(super) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 16);
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.0.random::<u64>()));
        }
        text.truncate(digits);
        text
    }

    pub(super) fn uid(&mut self) -> String {
        let hex = self.hex(32);
        format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
    }

    /// What a controller puts at the end of a name.
    pub(super) fn suffix(&mut self) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..5).map(|_| char::from(LETTERS[self.0.random_range(0..LETTERS.len())])).collect()
    }

    pub(super) fn time(&mut self) -> String {
        let (month, day) = (1 + self.below(9), 1 + self.below(28));
        let (hour, minute, second) = (self.below(24), self.below(60), self.below(60));
        format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    pub(super) fn address(&mut self) -> String {
        format!("10.{}.{}.{}", self.below(200), self.below(256), 1 + self.below(250))
    }
}
