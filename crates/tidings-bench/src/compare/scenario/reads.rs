//! Reads from a full cache. All subjects are synced and take turns.

use serde_json::Value;

use super::measured_subject::MeasuredSubject;
use super::{ComparisonRun, log};
use crate::compare::contestant::{CLIENT_GO_JSON, Contestant, KUBE_RS_LIST};
use crate::protocol::{Read, Resource, SubjectCommand};

const ROUNDS: usize = 5;

/// Reads of decoded objects do not depend on the wire or list mode.
const LEFT_OUT: [&str; 2] = [CLIENT_GO_JSON, KUBE_RS_LIST];

pub(super) fn measure(run: &mut ComparisonRun) -> anyhow::Result<()> {
    let pods = run.scale.pods.to_string();
    let server = run.server(&["--pods", &pods])?;
    let mut subjects: Vec<(Contestant, MeasuredSubject)> = Vec::new();
    for contestant in run.contestants.clone() {
        if LEFT_OUT.contains(&contestant.name) || !run.fits_decoded(&contestant)? {
            continue;
        }
        log(&format!("reads: {}", contestant.name));
        let mut subject = server.subject(&contestant)?;
        subject.sync(Resource::Pods, 1, Read::Identity)?;
        if run.on_wire(&contestant, &mut subject)? {
            // The first call prepares the data and is not counted.
            subject.program().request::<Value>(&SubjectCommand::Reads)?;
            subjects.push((contestant, subject));
        }
    }
    for round in 0..ROUNDS {
        log(&format!("reads: round {} of {ROUNDS}", round + 1));
        for (contestant, subject) in &mut subjects {
            let answer: Value = subject.program().request(&SubjectCommand::Reads)?;
            for (figure, value) in figures_of(&answer["reads"]) {
                run.take(contestant, &figure, value);
            }
        }
    }
    Ok(())
}

/// The value `{"get": {"kept_ns": 200}}` belongs to the figure `get_kept_ns`.
fn figures_of(reads: &Value) -> Vec<(String, f64)> {
    let kinds = reads.as_object().into_iter().flatten();
    let values = kinds.flat_map(|(kind, values)| {
        let values = values.as_object().into_iter().flatten();
        values.filter_map(move |(name, value)| Some((format!("{kind}_{name}"), value.as_f64()?)))
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compare::figures::FIGURE_ROWS;

    #[test]
    fn null_values_are_not_figures() {
        let reads = json!({ "get": { "kept_ns": 220, "cold_ns": null }, "list_all": { "kept_ns": 1.5 } });
        let figures = figures_of(&reads);
        assert_eq!(figures, [("get_kept_ns".to_owned(), 220.0), ("list_all_kept_ns".to_owned(), 1.5)]);
        for (name, _) in figures {
            assert!(FIGURE_ROWS.iter().any(|shown| shown.figure == name), "{name} is not shown");
        }
    }
}
