//! The life cycle of one informer of pods with one handler: sync, a burst of updates, a relist without changes, stop
//! and restart.

use super::measured_subject::Server;
use super::{ComparisonRun, log};
use crate::compare::contestant::Contestant;
use crate::protocol::{Read, Resource};

pub(super) fn measure(run: &mut ComparisonRun) -> anyhow::Result<()> {
    let pods = run.scale.pods.to_string();
    let mut server = run.server(&["--pods", &pods])?;
    for contestant in run.in_turn() {
        if run.fits(&contestant)? {
            log(&format!("sync: {}", contestant.name));
            measure_one(run, &mut server, &contestant)?;
        }
    }
    Ok(())
}

fn measure_one(run: &mut ComparisonRun, server: &mut Server, contestant: &Contestant) -> anyhow::Result<()> {
    let mut subject = server.subject(contestant)?;
    let synced = subject.sync(Resource::Pods, 1, Read::Identity)?;
    if !run.on_wire(contestant, &mut subject)? {
        return Ok(());
    }
    run.take(contestant, "sync_cpu_s", synced.cpu_s);
    run.take(contestant, "sync_wall_s", synced.wall_s);
    run.take(contestant, "sync_peak_bytes", synced.peak_bytes);
    let resident = subject.settle()?;
    run.take(contestant, "resident_bytes", resident);
    run.take(contestant, "object_bytes", resident / synced.objects as f64);

    let burst = subject.burst(server, run.scale.updates)?;
    run.take(contestant, "update_cpu_identity_us", burst.cpu_us);
    run.take(contestant, "updates_per_s", burst.per_s);

    subject.settle()?;
    let relisted = subject.relist(server)?;
    run.take(contestant, "relist_cpu_s", relisted.cpu_s);
    run.take(contestant, "relist_peak_bytes", relisted.peak_bytes);
    run.take(contestant, "relist_notifications", relisted.notifications as f64);
    if !run.scale.is_quick {
        let again = subject.restart()?;
        run.take(contestant, "restart_cpu_s", again.cpu_s);
        run.take(contestant, "restart_wall_s", again.wall_s);
    }
    Ok(())
}
