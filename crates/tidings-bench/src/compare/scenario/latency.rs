//! The latency of updates at a constant rate, without and with readers. All subjects are synced and take turns. A
//! subject is suspended between its turns, and catches up before the next one.

use super::measured_subject::{MeasuredSubject, Server};
use super::{ComparisonRun, log};
use crate::compare::contestant::{Contestant, KUBE_RS_LIST};
use crate::protocol::{Read, Resource, SubjectCommand};

/// The number of turns of each subject.
const ROUNDS: usize = 5;
/// The number of updates per turn, at 2,000 per second.
const UPDATES: u64 = 4_000;
const READERS: usize = 200;

pub(super) fn measure(run: &mut ComparisonRun) -> anyhow::Result<()> {
    let pods = run.scale.pods.to_string();
    let mut server = run.server(&["--pods", &pods])?;
    let mut subjects: Vec<(Contestant, MeasuredSubject)> = Vec::new();
    for contestant in run.contestants.clone() {
        if contestant.name == KUBE_RS_LIST || !run.fits(&contestant)? {
            continue;
        }
        log(&format!("latency: {}", contestant.name));
        let mut subject = server.subject(&contestant)?;
        let synced = subject.sync(Resource::Pods, 1, Read::Identity)?;
        if run.on_wire(&contestant, &mut subject)? {
            run.take(&contestant, "sync_cpu_s", synced.cpu_s);
            subject.program().pause()?;
            subjects.push((contestant, subject));
        }
    }
    for round in 0..ROUNDS {
        log(&format!("latency: round {} of {ROUNDS}", round + 1));
        for (contestant, subject) in &mut subjects {
            subject.program().resume()?;
            subject.program().wait_until_idle()?;
            turn(run, &mut server, contestant, subject)?;
            subject.program().pause()?;
        }
    }
    Ok(())
}

fn turn(
    run: &mut ComparisonRun,
    server: &mut Server,
    contestant: &Contestant,
    subject: &mut MeasuredSubject,
) -> anyhow::Result<()> {
    let updates = UPDATES.min(run.scale.updates);
    let alone = subject.latency(server, &SubjectCommand::Latency { updates }, updates)?;
    run.take(contestant, "latency_p50_us", alone.p50_us);
    run.take(contestant, "latency_p99_us", alone.p99_us);
    run.take(contestant, "latency_max_us", alone.max_us);
    let command = SubjectCommand::LatencyUnderReaders { updates, readers: READERS };
    let read = subject.latency(server, &command, updates)?;
    run.take(contestant, "readers_p50_us", read.p50_us);
    run.take(contestant, "readers_p99_us", read.p99_us);
    run.take(contestant, "readers_max_us", read.max_us);
    Ok(())
}
