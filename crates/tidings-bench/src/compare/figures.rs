//! The measured values: for each contestant and figure, the values of all runs. The report uses their median.

mod rows;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use rows::{FIGURE_ROWS, FigureRow, Unit};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Figures {
    runs: BTreeMap<String, BTreeMap<String, Vec<f64>>>,
}

impl Figures {
    /// Adds the value of one run.
    pub(crate) fn take(&mut self, contestant: &str, figure: &str, value: f64) {
        let figures = self.runs.entry(contestant.to_owned()).or_default();
        figures.entry(figure.to_owned()).or_default().push(value);
    }

    /// The median of all runs.
    pub(crate) fn median(&self, contestant: &str, figure: &str) -> Option<f64> {
        let mut values = self.runs.get(contestant)?.get(figure)?.clone();
        values.sort_by(f64::total_cmp);
        let upper = *values.get(values.len() / 2)?;
        let lower = values[(values.len() - 1) / 2];
        Some((lower + upper) / 2.0)
    }

    /// Half the distance between the smallest and the largest value, in percent of the median. `None` for one run.
    pub(crate) fn spread_percent(&self, contestant: &str, figure: &str) -> Option<f64> {
        let values = self.runs.get(contestant)?.get(figure)?;
        let median = self.median(contestant, figure)?;
        let (least, largest) = range(values)?;
        (values.len() > 1 && median > 0.0).then(|| (largest - least) / 2.0 / median * 100.0)
    }

    /// The largest number of runs of any figure.
    pub(crate) fn runs_max(&self) -> usize {
        self.runs.values().flat_map(BTreeMap::values).map(Vec::len).max().unwrap_or(0)
    }

    /// The smallest value of all runs of these contestants.
    pub(crate) fn least_of_all_runs(&self, contestants: &[&str], figure: &str) -> Option<f64> {
        self.ranges(contestants, figure).map(|(least, _)| least).reduce(f64::min)
    }

    /// The largest value of all runs of these contestants.
    pub(crate) fn largest_of_all_runs(&self, contestants: &[&str], figure: &str) -> Option<f64> {
        self.ranges(contestants, figure).map(|(_, largest)| largest).reduce(f64::max)
    }

    fn ranges(&self, contestants: &[&str], figure: &str) -> impl Iterator<Item = (f64, f64)> {
        contestants.iter().filter_map(move |contestant| range(self.runs.get(*contestant)?.get(figure)?))
    }

    /// The smallest median of these contestants.
    pub(crate) fn least(&self, contestants: &[&str], figure: &str) -> Option<f64> {
        self.medians(contestants, figure).reduce(f64::min)
    }

    /// The largest median of these contestants.
    pub(crate) fn largest(&self, contestants: &[&str], figure: &str) -> Option<f64> {
        self.medians(contestants, figure).reduce(f64::max)
    }

    fn medians(&self, contestants: &[&str], figure: &str) -> impl Iterator<Item = f64> {
        contestants.iter().filter_map(move |contestant| self.median(contestant, figure))
    }

    /// The contestants with at least one value.
    pub(crate) fn contestants(&self) -> impl Iterator<Item = &str> {
        self.runs.keys().map(String::as_str)
    }
}

/// The smallest and the largest value.
fn range(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().reduce(f64::min)?;
    Some((least, values.iter().copied().fold(least, f64::max)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_half_the_range_in_percent_of_the_median() {
        let mut figures = Figures::default();
        figures.take("a", "cpu", 10.0);
        assert_eq!(figures.spread_percent("a", "cpu"), None);
        figures.take("a", "cpu", 9.0);
        figures.take("a", "cpu", 12.0);
        assert_eq!(figures.spread_percent("a", "cpu"), Some(15.0));
        assert_eq!(figures.least_of_all_runs(&["a", "b"], "cpu"), Some(9.0));
        assert_eq!(figures.largest_of_all_runs(&["a", "b"], "cpu"), Some(12.0));
        assert_eq!(figures.runs_max(), 3);
    }

    #[test]
    fn the_median_counts_whatever_the_order_of_the_runs() {
        let mut figures = Figures::default();
        for value in [5.0, 1.0, 900.0] {
            figures.take("a", "cpu", value);
        }
        assert_eq!(figures.median("a", "cpu"), Some(5.0));
        figures.take("a", "cpu", 7.0);
        assert_eq!(figures.median("a", "cpu"), Some(6.0));
        assert_eq!(figures.median("a", "memory"), None);
        assert_eq!(figures.median("b", "cpu"), None);
    }

    #[test]
    fn the_better_peer_is_the_better_of_those_measured() {
        let mut figures = Figures::default();
        figures.take("a", "cpu", 5.0);
        figures.take("b", "cpu", 3.0);
        assert_eq!(figures.least(&["a", "b", "c"], "cpu"), Some(3.0));
        assert_eq!(figures.largest(&["a", "b", "c"], "cpu"), Some(5.0));
        assert_eq!(figures.least(&["c"], "cpu"), None);
    }

    #[test]
    fn figures_survive_a_round_trip_through_json() {
        let mut figures = Figures::default();
        figures.take("a", "cpu", 5.25);
        let text = serde_json::to_string(&figures).expect("figures are JSON");
        assert_eq!(text, r#"{"a":{"cpu":[5.25]}}"#);
        assert_eq!(serde_json::from_str::<Figures>(&text).expect("and back"), figures);
    }
}
