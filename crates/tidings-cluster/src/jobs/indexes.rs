//! Sets of completion indexes, written as `0-2,5`.

use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Indexes(BTreeSet<usize>);

/// The largest index that is read. Kubernetes allows Jobs of 100,000 completions.
const INDEX_MAX: usize = 1_000_000;

impl Indexes {
    /// Reads `0-2,5`. Skips parts that are no indexes.
    pub(super) fn parse(text: &str) -> Self {
        let mut found = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            if let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) {
                found.extend(first.min(INDEX_MAX)..=last.min(INDEX_MAX));
            }
        }
        Indexes(found)
    }

    pub(super) fn insert(&mut self, index: usize) {
        self.0.insert(index);
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.0.contains(&index)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Indexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for index in &self.0 {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == *index => *last = *index,
                _ => runs.push((*index, *index)),
            }
        }
        for (at, (first, last)) in runs.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            match last - first {
                0 => write!(f, "{comma}{first}")?,
                1 => write!(f, "{comma}{first},{last}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_written_as_ranges_and_read_again() {
        for text in ["", "0", "0,1", "0-2", "1,3-5,7,8"] {
            assert_eq!(Indexes::parse(text).to_string(), text);
        }
        assert_eq!(Indexes::parse("3-1,x,2").to_string(), "2");
        assert!(Indexes::parse("0-99999999999").len() <= INDEX_MAX + 1);
    }
}
