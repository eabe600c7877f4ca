//! Faults by name, for the command line: `status=20,cut-stream=50`.

use std::str::FromStr;
use std::time::Duration;

use tidings_apiserver::{ApiServer, Ending, EventFault, Fault};

/// The default number of faults per 1000 requests.
const PER_MILLE: u32 = 20;

/// Faults, each with its number per 1000 requests.
#[derive(Debug, Clone)]
pub(crate) struct FaultPlan(Vec<(Fault, u32)>);

/// The faults that a plan can contain, with default parameters.
fn known() -> Vec<Fault> {
    vec![
        Fault::Status { code: 503, retry_after_seconds: Some(1) },
        Fault::HtmlPage { code: 502 },
        Fault::GarbageBody,
        Fault::Refused,
        Fault::Delay(Duration::from_secs(2)),
        Fault::RefuseStreamingList,
        Fault::FailStreamingList,
        Fault::HideMarker,
        Fault::ExpireOnOpen,
        Fault::CutBody { after_bytes: 1000, ending: Ending::Broken },
        Fault::CutStream { after_events: 10, ending: Ending::Broken },
        Fault::CutMidFrame { after_events: 10 },
        Fault::StallStream { after_events: 10 },
        Fault::SlowStream(Duration::from_millis(200)),
        Fault::Event { after_events: 5, fault: EventFault::Duplicate },
    ]
}

impl FaultPlan {
    pub(super) fn apply(&self, server: &ApiServer, seed: u64) {
        for (number, (fault, per_mille)) in (0..).zip(&self.0) {
            server.faults().plan(seed.wrapping_add(number), *per_mille, vec![fault.clone().always()]);
        }
    }
}

impl FromStr for FaultPlan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = |part: &str| {
            let (name, per_mille) = part.split_once('=').unwrap_or((part, ""));
            let found = known().into_iter().find(|fault| fault.name() == name);
            let names = || known().iter().map(Fault::name).collect::<Vec<_>>().join(", ");
            let found = found.ok_or_else(|| format!("there is no fault {name:?}; there are {}", names()))?;
            let per_mille = match per_mille {
                "" => Some(PER_MILLE),
                number => number.parse().ok().filter(|per_mille| *per_mille <= 1000),
            };
            Ok((
                found,
                per_mille.ok_or_else(|| {
                    format!("{part:?}: the number of faults per 1000 requests must be 0 to 1000")
                })?,
            ))
        };
        text.split(',').map(|part| fault(part.trim())).collect::<Result<_, String>>().map(FaultPlan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_faults_and_how_often() {
        let FaultPlan(plan) = "status, cut-stream=50".parse().unwrap();
        let planned: Vec<_> = plan.iter().map(|(fault, per_mille)| (fault.name(), *per_mille)).collect();
        assert_eq!(planned, [("status", PER_MILLE), ("cut-stream", 50)]);
    }

    #[test]
    fn an_unknown_fault_lists_those_that_are_known() {
        assert!("oops".parse::<FaultPlan>().unwrap_err().contains("there are status, html-page"));
        assert!("status=2000".parse::<FaultPlan>().unwrap_err().contains("0 to 1000"));
    }
}
