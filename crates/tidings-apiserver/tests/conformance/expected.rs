//! What a real server answered: `expected/`, one file an area.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::run;
use crate::scenario::{Area, Scenario};
use crate::target::Target;

type RecordedAnswers = BTreeMap<String, Vec<Value>>;

/// What a real server answered to this scenario.
pub(crate) fn of(area: &Area, scenario: &Scenario) -> Vec<Value> {
    let mut recorded = read(area);
    recorded.remove(&scenario.name).unwrap_or_else(|| panic!("nothing is recorded of {}", scenario.name))
}

fn path(area: &Area) -> PathBuf {
    PathBuf::from(crate::FOLDER).join("expected").join(format!("{}.json", area.name))
}

fn read(area: &Area) -> RecordedAnswers {
    let path = path(area);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Asks a server, and writes down what it answered: all areas, or the one of this name.
pub(crate) fn record(areas: &[Area], target: &Target, name: Option<&str>) {
    for area in areas.iter().filter(|area| name.is_none_or(|name| name == area.name)) {
        let mut recorded = RecordedAnswers::new();
        for scenario in &area.scenarios {
            recorded.insert(scenario.name.clone(), run::answers(area, scenario, target));
        }
        std::fs::write(path(area), text(&recorded)).unwrap();
    }
}

/// An answer a line: short enough to keep, and a changed answer is a changed line.
fn text(recorded: &RecordedAnswers) -> String {
    let scenarios = recorded.iter().map(|(name, answers)| {
        let lines: Vec<String> = answers.iter().map(|answer| format!("    {answer}")).collect();
        format!("  {}: [\n{}\n  ]", Value::from(name.as_str()), lines.join(",\n"))
    });
    format!("{{\n{}\n}}\n", scenarios.collect::<Vec<String>>().join(",\n"))
}
