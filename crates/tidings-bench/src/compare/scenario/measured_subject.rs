//! The server and one subject of a scenario, and the steps that scenarios consist of.

use std::process::Command;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::compare::contestant::Contestant;
use crate::compare::process::ChildProgram;
use crate::compare::usage;
use crate::protocol::{Read, Resource, SENTINEL, ServerCommand, SubjectCommand};

pub(super) struct Server {
    program: ChildProgram,
    url: String,
}

/// A running subject, measured from outside.
pub(super) struct MeasuredSubject {
    subject: ChildProgram,
}

/// How a subject describes itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SubjectInfo {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) allocator: String,
    pub(crate) wire: Option<String>,
    pub(crate) list: Option<String>,
}

/// The cost of a sync.
pub(super) struct Synced {
    pub(super) objects: u64,
    pub(super) cpu_s: f64,
    pub(super) wall_s: f64,
    pub(super) peak_bytes: f64,
}

/// The cost of a burst of updates.
pub(super) struct Burst {
    pub(super) cpu_us: f64,
    pub(super) per_s: f64,
}

/// The cost of a relist.
pub(super) struct Relisted {
    pub(super) cpu_s: f64,
    pub(super) peak_bytes: f64,
    pub(super) notifications: u64,
}

/// The latencies of updates.
#[derive(Deserialize)]
pub(super) struct Latency {
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
    pub(super) max_us: f64,
}

#[derive(Deserialize)]
struct Listening {
    url: String,
}

#[derive(Deserialize)]
struct Done {
    #[expect(dead_code, reason = "an answer is enough")]
    done: bool,
}

#[derive(Deserialize)]
struct Ready {
    #[expect(dead_code, reason = "an answer is enough")]
    ready: bool,
}

#[derive(Deserialize)]
struct Settled {
    #[expect(dead_code, reason = "an answer is enough")]
    settled: bool,
}

#[derive(Deserialize)]
struct SyncedObjects {
    synced: u64,
}

#[derive(Deserialize)]
struct UpdatesSeen {
    first_to_last_seconds: f64,
}

#[derive(Deserialize)]
struct RelistNotifications {
    notifications: u64,
}

/// The rate of updates in latency measurements.
const UPDATES_PER_SECOND: u64 = 2_000;

impl Server {
    /// Starts a server with these objects, such as `["--pods", "500"]`, and waits until it listens.
    pub(super) fn start(objects: &[&str]) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("serve").args(objects);
        let mut program = ChildProgram::start("the server", &command)?;
        let Listening { url } = program.receive()?;
        Ok(Server { program, url })
    }

    /// Starts a subject.
    pub(super) fn subject(&self, contestant: &Contestant) -> anyhow::Result<MeasuredSubject> {
        let subject = ChildProgram::start(contestant.name, &contestant.command(&self.url))?;
        Ok(MeasuredSubject { subject })
    }

    fn execute(&mut self, command: &ServerCommand) -> anyhow::Result<()> {
        self.program.request::<Done>(command).map(drop)
    }

    fn update(&mut self, count: u64, per_second: Option<u64>) -> anyhow::Result<()> {
        self.execute(&ServerCommand::Update { count, per_second })
    }
}

impl MeasuredSubject {
    pub(super) fn program(&mut self) -> &mut ChildProgram {
        &mut self.subject
    }

    pub(super) fn info(&mut self) -> anyhow::Result<SubjectInfo> {
        self.subject.request(&SubjectCommand::Info)
    }

    /// Syncs one informer.
    pub(super) fn sync(&mut self, resource: Resource, handlers: usize, read: Read) -> anyhow::Result<Synced> {
        let command = SubjectCommand::Sync { resource, handlers, read };
        self.measured(&command)
    }

    /// Stops the informer and syncs it again.
    pub(super) fn restart(&mut self) -> anyhow::Result<Synced> {
        self.measured(&SubjectCommand::Restart)
    }

    fn measured(&mut self, command: &SubjectCommand) -> anyhow::Result<Synced> {
        let pid = self.subject.pid();
        usage::reset_peak(pid)?;
        let (cpu, begun) = (usage::cpu_seconds(pid)?, Instant::now());
        let SyncedObjects { synced } = self.subject.request(command)?;
        Ok(Synced {
            objects: synced,
            wall_s: begun.elapsed().as_secs_f64(),
            cpu_s: usage::cpu_seconds(pid)? - cpu,
            peak_bytes: usage::peak_bytes(pid)?,
        })
    }

    /// Waits until the memory is stable, and returns the resident memory.
    pub(super) fn settle(&mut self) -> anyhow::Result<f64> {
        self.subject.wait_until_idle()?;
        self.subject.request::<Settled>(&SubjectCommand::Settle)?;
        self.subject.wait_until_idle()?;
        usage::resident_bytes(self.subject.pid())
    }

    /// Lets the server write updates while the subject is suspended, then measures how it catches up. So the speed of
    /// the server does not matter.
    pub(super) fn burst(&mut self, server: &mut Server, updates: u64) -> anyhow::Result<Burst> {
        let pid = self.subject.pid();
        self.subject.request::<Ready>(&SubjectCommand::Expect { updates })?;
        self.subject.pause()?;
        let written = server.update(updates, None);
        let cpu = usage::cpu_seconds(pid)?;
        self.subject.resume()?;
        written?;
        let UpdatesSeen { first_to_last_seconds } = self.subject.receive()?;
        let cpu_us = (usage::cpu_seconds(pid)? - cpu) * 1e6 / updates as f64;
        Ok(Burst { cpu_us, per_s: (updates - 1) as f64 / first_to_last_seconds.max(1e-9) })
    }

    /// Ends the watch so that the subject must list again, although nothing has changed.
    pub(super) fn relist(&mut self, server: &mut Server) -> anyhow::Result<Relisted> {
        let pid = self.subject.pid();
        self.subject.request::<Ready>(&SubjectCommand::Relist { sentinel: SENTINEL.to_owned() })?;
        usage::reset_peak(pid)?;
        let cpu = usage::cpu_seconds(pid)?;
        server.execute(&ServerCommand::Expire)?;
        self.subject.wait_until_idle()?;
        server.execute(&ServerCommand::Touch { key: SENTINEL.to_owned() })?;
        let RelistNotifications { notifications } = self.subject.receive()?;
        Ok(Relisted {
            cpu_s: usage::cpu_seconds(pid)? - cpu,
            peak_bytes: usage::peak_bytes(pid)?,
            notifications,
        })
    }

    /// Writes updates at a constant rate and returns their latencies.
    pub(super) fn latency(
        &mut self,
        server: &mut Server,
        command: &SubjectCommand,
        updates: u64,
    ) -> anyhow::Result<Latency> {
        self.subject.request::<Ready>(command)?;
        server.update(updates, Some(UPDATES_PER_SECOND))?;
        self.subject.receive()
    }
}
