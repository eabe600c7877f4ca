//! Bursts of updates with ten handlers, and with handlers that read whole objects.

use super::{ComparisonRun, log};
use crate::compare::contestant::KUBE_RS_LIST;
use crate::protocol::{Read, Resource};

/// The number of handlers, what they read, and the figures for CPU and rate.
const VARIANTS: &[(usize, Read, &str, Option<&str>)] = &[
    (10, Read::Identity, "update_cpu_ten_us", Some("updates_ten_per_s")),
    (1, Read::New, "update_cpu_new_us", None),
    (1, Read::Both, "update_cpu_both_us", None),
];

pub(super) fn measure(run: &mut ComparisonRun) -> anyhow::Result<()> {
    let pods = run.scale.pods.to_string();
    let mut server = run.server(&["--pods", &pods])?;
    for contestant in run.in_turn() {
        // The list mode does not affect updates.
        if contestant.name == KUBE_RS_LIST || !run.fits(&contestant)? {
            continue;
        }
        for (handlers, read, cpu, rate) in VARIANTS {
            log(&format!("updates, {handlers} handlers, {read:?}: {}", contestant.name));
            let mut subject = server.subject(&contestant)?;
            subject.sync(Resource::Pods, *handlers, *read)?;
            if !run.on_wire(&contestant, &mut subject)? {
                break;
            }
            subject.settle()?;
            let burst = subject.burst(&mut server, run.scale.updates)?;
            run.take(&contestant, cpu, burst.cpu_us);
            if let Some(rate) = rate {
                run.take(&contestant, rate, burst.per_s);
            }
        }
    }
    Ok(())
}
