//! Runs executions in threads of their own, in parallel, and notices one that does not move.
//!
//! A thread that blocks can't be stopped. The exploration then ends with an error, and the thread is left behind.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use tokio::time::Instant;

use crate::execution::{Outcome, execute};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::sim::Sim;
use crate::sync::Mutex;

/// How often the watchdog looks.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Makes the configuration of an execution.
pub(crate) type Setup = Arc<dyn Fn(&mut Sim) + Send + Sync>;

/// A plan and its position in the exploration.
pub(crate) struct Job {
    pub(crate) at: usize,
    pub(crate) plan: Plan,
    pub(crate) changes_max: u64,
}

/// The end of a job.
pub(crate) struct Done {
    pub(crate) at: usize,
    pub(crate) plan: Plan,
    pub(crate) outcome: Outcome,
    /// How long its thread slept in real time, as far as the system says.
    pub(crate) asleep: Duration,
}

/// An execution that does not move.
#[derive(Debug, Clone)]
pub(crate) struct Blocked {
    pub(crate) plan: Plan,
    pub(crate) after: Duration,
}

struct Running {
    plan: Plan,
    progress: Arc<Progress>,
}

/// Threads that execute plans.
pub(crate) struct Workers {
    jobs: Option<Sender<Job>>,
    done: Receiver<Done>,
    running: Vec<Arc<Mutex<Option<Running>>>>,
    watchdog: Duration,
}

impl Workers {
    pub(crate) fn start(setup: &Setup, threads: usize, watchdog: Duration) -> Workers {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let (sender, done) = channel();
        let running = (0..threads)
            .map(|number| {
                let slot = Arc::new(Mutex::new(None));
                let worker = Worker {
                    setup: Arc::clone(setup),
                    queue: Arc::clone(&queue),
                    done: sender.clone(),
                    slot: Arc::clone(&slot),
                };
                let name = format!("simulation-{number}");
                let started = thread::Builder::new().name(name).spawn(move || worker.run());
                drop(started.expect("the system can start a thread"));
                slot
            })
            .collect();
        Workers { jobs: Some(jobs), done, running, watchdog }
    }

    pub(crate) fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // Fails only if all workers are gone, which `receive` reports.
            let _ = jobs.send(job);
        }
    }

    /// The next execution that ends.
    pub(crate) fn receive(&self) -> Result<Done, Blocked> {
        let mut seen: Vec<(u64, Duration)> = vec![(u64::MAX, Duration::ZERO); self.running.len()];
        loop {
            match self.done.recv_timeout(LOOK_EVERY) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Blocked { plan: Plan::default(), after: Duration::ZERO });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            for (slot, (steps, still)) in self.running.iter().zip(&mut seen) {
                let slot = slot.lock();
                let Some(running) = &*slot else { continue };
                let now = running.progress.steps();
                *still = if now == *steps { *still + LOOK_EVERY } else { Duration::ZERO };
                *steps = now;
                if *still >= self.watchdog {
                    return Err(Blocked { plan: running.plan.clone(), after: *still });
                }
            }
        }
    }
}

struct Worker {
    setup: Setup,
    queue: Arc<Mutex<Receiver<Job>>>,
    done: Sender<Done>,
    slot: Arc<Mutex<Option<Running>>>,
}

impl Worker {
    fn run(self) {
        loop {
            let job = self.queue.lock().recv();
            let Ok(Job { at, plan, changes_max }) = job else { return };
            let progress = Arc::new(Progress::default());
            *self.slot.lock() = Some(Running { plan: plan.clone(), progress: Arc::clone(&progress) });
            let mut sim = Sim::new();
            (self.setup)(&mut sim);
            let awake = AwakeTime::now();
            let outcome = execute(sim, plan.clone(), changes_max, progress);
            let asleep = awake.asleep_since();
            *self.slot.lock() = None;
            if self.done.send(Done { at, plan, outcome, asleep }).is_err() {
                return;
            }
        }
    }
}

/// The time at which this thread had run, or waited for a core, for so long.
struct AwakeTime {
    at: Instant,
    awake: Option<Duration>,
}

impl AwakeTime {
    fn now() -> AwakeTime {
        AwakeTime { at: Instant::now(), awake: awake() }
    }

    /// The time since then in which this thread neither ran nor wanted to. Zero if the system does not say. It does not
    /// depend on how busy the machine is.
    fn asleep_since(&self) -> Duration {
        match (self.awake, awake()) {
            (Some(before), Some(now)) => self.at.elapsed().saturating_sub(now.saturating_sub(before)),
            _ => Duration::ZERO,
        }
    }
}

/// How long this thread has run and waited for a core. Only Linux says so.
fn awake() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let mut nanos = text.split_whitespace().map_while(|field| field.parse::<u64>().ok());
    Some(Duration::from_nanos(nanos.next()?.saturating_add(nanos.next()?)))
}
