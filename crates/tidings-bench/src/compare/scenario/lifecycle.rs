//! The life of one informer of pods with one handler: sync, a burst of updates, a relist of what has not changed, stop
//! and start again.

use super::stage::Server;
use super::{Run, tell};
use crate::compare::contestant::Contestant;
use crate::protocol::{Read, Resource};

pub(super) fn measure(run: &mut Run) -> anyhow::Result<()> {
    let pods = run.scale.pods.to_string();
    let mut server = run.server(&["--pods", &pods])?;
    for contestant in run.contestants.clone() {
        if run.fits(&contestant)? {
            tell(&format!("sync: {}", contestant.name));
            live(run, &mut server, &contestant)?;
        }
    }
    Ok(())
}

fn live(run: &mut Run, server: &mut Server, contestant: &Contestant) -> anyhow::Result<()> {
    let mut stage = server.subject(contestant)?;
    let synced = stage.sync(Resource::Pods, 1, Read::Identity)?;
    if !run.on_wire(contestant, &mut stage)? {
        return Ok(());
    }
    run.take(contestant, "sync_cpu_s", synced.cpu_s);
    run.take(contestant, "sync_wall_s", synced.wall_s);
    run.take(contestant, "sync_peak_bytes", synced.peak_bytes);
    let resident = stage.settle()?;
    run.take(contestant, "resident_bytes", resident);
    run.take(contestant, "object_bytes", resident / synced.objects as f64);

    let burst = stage.burst(server, run.scale.updates)?;
    run.take(contestant, "update_cpu_identity_us", burst.cpu_us);
    run.take(contestant, "updates_per_s", burst.per_s);

    stage.settle()?;
    let relisted = stage.relist(server)?;
    run.take(contestant, "relist_cpu_s", relisted.cpu_s);
    run.take(contestant, "relist_peak_bytes", relisted.peak_bytes);
    run.take(contestant, "relist_notifications", relisted.notifications as f64);
    if !run.scale.is_quick {
        let again = stage.restart()?;
        run.take(contestant, "restart_cpu_s", again.cpu_s);
        run.take(contestant, "restart_wall_s", again.wall_s);
    }
    Ok(())
}
