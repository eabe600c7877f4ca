//! The recorded responses of a real server: `expected/`, one file per area.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::run;
use crate::scenario::{Area, Scenario};
use crate::target::Target;

type RecordedAnswers = BTreeMap<String, Vec<Value>>;

/// The recorded responses for a scenario.
pub(crate) fn of(area: &Area, scenario: &Scenario) -> Vec<Value> {
    let mut recorded = read(area);
    recorded.remove(&scenario.name).unwrap_or_else(|| panic!("{} has no recorded responses", scenario.name))
}

fn path(area: &Area) -> PathBuf {
    PathBuf::from(crate::FOLDER).join("expected").join(format!("{}.json", area.name))
}

fn read(area: &Area) -> RecordedAnswers {
    let path = path(area);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Sends all requests to a server and records its responses: for all areas, or for the one with this name.
pub(crate) fn record(areas: &[Area], target: &Target, name: Option<&str>) {
    for area in areas.iter().filter(|area| name.is_none_or(|name| name == area.name)) {
        let mut recorded = RecordedAnswers::new();
        for scenario in &area.scenarios {
            recorded.insert(scenario.name.clone(), run::answers(area, scenario, target));
        }
        std::fs::write(path(area), text(&recorded)).unwrap();
    }
}

/// One response per line, so that a changed response is one changed line.
fn text(recorded: &RecordedAnswers) -> String {
    let scenarios = recorded.iter().map(|(name, answers)| {
        let lines: Vec<String> = answers.iter().map(|answer| format!("    {answer}")).collect();
        format!("  {}: [\n{}\n  ]", Value::from(name.as_str()), lines.join(",\n"))
    });
    format!("{{\n{}\n}}\n", scenarios.collect::<Vec<String>>().join(",\n"))
}
