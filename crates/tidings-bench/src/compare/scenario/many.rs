//! A thousand informers of ten small objects each, and as many watches without informers. The difference is the memory
//! of the informers.

use serde_json::Value;

use super::measured_subject::Server;
use super::{ComparisonRun, log};
use crate::compare::contestant::Contestant;
use crate::protocol::SubjectCommand;

const INFORMERS: usize = 1_000;

pub(super) fn measure(run: &mut ComparisonRun) -> anyhow::Result<()> {
    let count = INFORMERS.to_string();
    let server = run.server(&["--many", &count])?;
    for contestant in run.contestants.clone() {
        log(&format!("many: {}", contestant.name));
        let none = resident_after(&server, &contestant, None)?;
        let connections = SubjectCommand::Connections { count: INFORMERS };
        let connections = resident_after(&server, &contestant, Some(&connections))?;
        let informers = SubjectCommand::Many { informers: INFORMERS };
        let informers = resident_after(&server, &contestant, Some(&informers))?;
        run.take(&contestant, "many_bytes", (informers - connections) / INFORMERS as f64);
        run.take(&contestant, "connection_bytes", (connections - none) / INFORMERS as f64);
    }
    Ok(())
}

fn resident_after(
    server: &Server,
    contestant: &Contestant,
    command: Option<&SubjectCommand>,
) -> anyhow::Result<f64> {
    let mut subject = server.subject(contestant)?;
    if let Some(command) = command {
        subject.program().request::<Value>(command)?;
    }
    subject.settle()
}
