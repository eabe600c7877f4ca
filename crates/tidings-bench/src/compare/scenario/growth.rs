//! How the cost grows with the number of objects: sync of ten thousand to a million small pods, and updates among them.

use super::{ComparisonRun, log};
use crate::compare::contestant::{KUBE_RS_LIST, Library};
use crate::protocol::{Read, Resource};

const SIZES: &[u64] = &[10_000, 100_000, 1_000_000];

/// The largest cache for contestants that store decoded objects.
const DECODED_MAX: u64 = 100_000;

/// One burst is too short to measure, and no burst may change a pod twice. So several bursts are summed.
const BURSTS: usize = 5;
const BURST_UPDATES: u64 = 10_000;

pub(super) fn measure(run: &mut ComparisonRun) -> anyhow::Result<()> {
    let size_max = run.scale.pods * 10;
    for size in SIZES.iter().copied().filter(|size| *size <= size_max) {
        measure_at(run, size)?;
    }
    Ok(())
}

fn measure_at(run: &mut ComparisonRun, size: u64) -> anyhow::Result<()> {
    let pods = size.to_string();
    let mut server = run.server(&["--pods", &pods, "--small"])?;
    for contestant in run.contestants.clone() {
        let is_ours = contestant.library == Library::Tidings;
        if contestant.name == KUBE_RS_LIST || (!is_ours && size > DECODED_MAX) {
            continue;
        }
        log(&format!("growth: {size}, {}", contestant.name));
        let mut subject = server.subject(&contestant)?;
        let synced = subject.sync(Resource::Pods, 1, Read::Identity)?;
        if !run.on_wire(&contestant, &mut subject)? {
            continue;
        }
        run.take(&contestant, &format!("growth_sync_cpu_{size}_s"), synced.cpu_s);
        let resident = subject.settle()?;
        run.take(&contestant, &format!("growth_object_bytes_{size}"), resident / synced.objects as f64);
        if is_ours {
            let updates = BURST_UPDATES.min(size);
            let mut cpu_us = 0.0;
            for _ in 0..BURSTS {
                cpu_us += subject.burst(&mut server, updates)?.cpu_us;
            }
            run.take(&contestant, &format!("growth_update_cpu_{size}_us"), cpu_us / BURSTS as f64);
        }
    }
    Ok(())
}
