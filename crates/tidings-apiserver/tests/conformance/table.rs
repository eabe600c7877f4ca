//! The scenarios as tests: the responses of a target are compared with the recorded ones.

use libtest_mimic::{Completion, Failed, Trial};

use crate::compare::{self, Difference};
use crate::scenario::{Area, Scenario};
use crate::target::Target;
use crate::{differences, expected, run};

/// A test for each scenario with this target.
pub(crate) fn trials(areas: &[Area], target: &Target) -> Vec<Trial> {
    let each = areas.iter().flat_map(|area| area.scenarios.iter().map(move |scenario| (area, scenario)));
    let trials = each.map(|(area, scenario)| {
        let name = format!("{}: {} ({})", area.name, scenario.name, target.name());
        let (area, scenario, target) = (area.clone(), scenario.clone(), target.clone());
        Trial::ignorable_test(name, move || {
            if scenario.compacts() && !target.can_compact() {
                return Ok(Completion::ignored_with("TIDINGS_CONFORMANCE_CONTROL is not set"));
            }
            check(&area, &scenario, &target).map(|()| Completion::Completed).map_err(Failed::from)
        })
    });
    trials.collect()
}

/// Checks that the responses are as recorded. Intended differences are allowed for this server, but not for a real one.
pub(crate) fn check(area: &Area, scenario: &Scenario, target: &Target) -> Result<(), String> {
    let mut found = differences(area, scenario, target);
    if !matches!(target, Target::Real(_)) {
        let known = differences::all();
        found.retain(|difference| !known.iter().any(|known| known.is(area, scenario, difference)));
    }
    if found.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = found.iter().map(Difference::to_string).collect();
    Err(format!("{} differences (- expected, + answered)\n{}", lines.len(), lines.join("\n")))
}

/// The differences from the recorded responses.
pub(crate) fn differences(area: &Area, scenario: &Scenario, target: &Target) -> Vec<Difference> {
    let expected = expected::of(area, scenario);
    let answered = run::answers(area, scenario, target);
    compare::differences(&expected, &answered)
}
