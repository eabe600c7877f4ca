//! Reads from a full cache: all subjects are synced, and take turns.

use serde_json::Value;

use super::stage::Stage;
use super::{Run, tell};
use crate::compare::contestant::{CLIENT_GO_JSON, Contestant, KUBE_RS_LIST};
use crate::protocol::{Read, Resource, SubjectCommand};

const ROUNDS: usize = 5;

/// What is kept decoded reads the same whichever way it came.
const LEFT_OUT: [&str; 2] = [CLIENT_GO_JSON, KUBE_RS_LIST];

pub(super) fn measure(run: &mut Run) -> anyhow::Result<()> {
    let pods = run.scale.pods.to_string();
    let server = run.server(&["--pods", &pods])?;
    let mut stages: Vec<(Contestant, Stage)> = Vec::new();
    for contestant in run.contestants.clone() {
        if LEFT_OUT.contains(&contestant.name) || !run.fits_decoded(&contestant)? {
            continue;
        }
        tell(&format!("reads: {}", contestant.name));
        let mut stage = server.subject(&contestant)?;
        stage.sync(Resource::Pods, 1, Read::Identity)?;
        if run.on_wire(&contestant, &mut stage)? {
            // The first time prepares what is read, and is not counted.
            stage.program().ask::<Value>(&SubjectCommand::Reads)?;
            stages.push((contestant, stage));
        }
    }
    for round in 0..ROUNDS {
        tell(&format!("reads: round {} of {ROUNDS}", round + 1));
        for (contestant, stage) in &mut stages {
            let answer: Value = stage.program().ask(&SubjectCommand::Reads)?;
            for (figure, value) in figures_of(&answer["reads"]) {
                run.take(contestant, &figure, value);
            }
        }
    }
    Ok(())
}

/// `{"get": {"kept_ns": 200}}` is the figure `get_kept_ns`.
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
    use crate::compare::figures::SHOWN;

    #[test]
    fn what_a_subject_does_not_know_is_no_figure() {
        let reads = json!({ "get": { "kept_ns": 220, "cold_ns": null }, "list_all": { "kept_ns": 1.5 } });
        let figures = figures_of(&reads);
        assert_eq!(figures, [("get_kept_ns".to_owned(), 220.0), ("list_all_kept_ns".to_owned(), 1.5)]);
        for (name, _) in figures {
            assert!(SHOWN.iter().any(|shown| shown.figure == name), "{name} is not shown");
        }
    }
}
