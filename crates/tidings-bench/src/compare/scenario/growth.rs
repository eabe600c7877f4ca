//! How cost grows with the number of objects: syncs of ten thousand to a million small pods, and updates among them.

use super::{Run, tell};
use crate::compare::contestant::{KUBE_RS_LIST, Maker};
use crate::protocol::{Read, Resource};

const SIZES: &[u64] = &[10_000, 100_000, 1_000_000];

/// The largest cache that those who keep everything decoded are asked to hold.
const DECODED_MAX: u64 = 100_000;

/// One burst is too short to measure; no burst may change a pod twice.
const BURSTS: usize = 5;
const BURST_UPDATES: u64 = 10_000;

pub(super) fn measure(run: &mut Run) -> anyhow::Result<()> {
    let size_max = run.scale.pods * 10;
    for size in SIZES.iter().copied().filter(|size| *size <= size_max) {
        measure_at(run, size)?;
    }
    Ok(())
}

fn measure_at(run: &mut Run, size: u64) -> anyhow::Result<()> {
    let pods = size.to_string();
    let mut server = run.server(&["--pods", &pods, "--small"])?;
    for contestant in run.contestants.clone() {
        let is_ours = contestant.maker == Maker::Tidings;
        if contestant.name == KUBE_RS_LIST || (!is_ours && size > DECODED_MAX) {
            continue;
        }
        tell(&format!("growth: {size}, {}", contestant.name));
        let mut stage = server.subject(&contestant)?;
        let synced = stage.sync(Resource::Pods, 1, Read::Identity)?;
        if !run.on_wire(&contestant, &mut stage)? {
            continue;
        }
        run.take(&contestant, &format!("growth_sync_cpu_{size}_s"), synced.cpu_s);
        let resident = stage.settle()?;
        run.take(&contestant, &format!("growth_object_bytes_{size}"), resident / synced.objects as f64);
        if is_ours {
            let updates = BURST_UPDATES.min(size);
            let mut cpu_us = 0.0;
            for _ in 0..BURSTS {
                cpu_us += stage.burst(&mut server, updates)?.cpu_us;
            }
            run.take(&contestant, &format!("growth_update_cpu_{size}_us"), cpu_us / BURSTS as f64);
        }
    }
    Ok(())
}
