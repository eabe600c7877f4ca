//! This replica's part in an election: candidate, leader, and how it leaves.

use kube_client::Client;
use tokio_util::sync::CancellationToken;

use super::ManagerError;
use super::tasks::NamedTasks;
use crate::election::{Election, ElectionTask, Guard, GuardError, Leadership, OnOverrun, Term};

/// This replica's part in an election.
pub(super) struct LeaderElector {
    pub(super) leadership: Leadership,
    /// Until it stands for election.
    task: Option<ElectionTask>,
    tasks: NamedTasks,
    stop: CancellationToken,
    on_overrun: OnOverrun,
    /// While it works as the leader.
    guard: Option<Guard>,
}

impl LeaderElector {
    pub(super) fn new(
        election: Election,
        client: Client,
        on_overrun: OnOverrun,
    ) -> Result<LeaderElector, ManagerError> {
        let (leadership, task) = election.build(client).map_err(ManagerError::Election)?;
        let (tasks, stop) = (NamedTasks::default(), CancellationToken::new());
        Ok(LeaderElector { leadership, task: Some(task), tasks, stop, on_overrun, guard: None })
    }

    /// Stands for election, and waits until it leads. From then on the lease is kept until [`leave`](Self::leave).
    pub(super) async fn lead(&mut self) -> Result<Term, ManagerError> {
        if let Some(task) = self.task.take() {
            let ended = task.run(self.stop.clone());
            self.tasks.spawn(self.leadership.name(), async move {
                ended.await;
                Ok(())
            });
        }
        loop {
            let Some(term) = self.leadership.acquired().await else { return Err(self.ended().await) };
            match term.guard(self.on_overrun.clone()) {
                Ok(guard) => {
                    self.guard = Some(guard);
                    return Ok(term);
                }
                // It was short: on to the next.
                Err(GuardError::TermOver) => {}
                Err(error) => return Err(ManagerError::Guard(error)),
            }
        }
    }

    /// Why the term is over: the election's own end comes before a loss that it is the cause of.
    pub(super) fn lost(&mut self) -> ManagerError {
        let lost = || ManagerError::LeadershipLost { election: self.leadership.name().to_owned() };
        self.tasks.has_failed().unwrap_or_else(lost)
    }

    /// The election has ended although nobody stopped it.
    async fn ended(&mut self) -> ManagerError {
        self.tasks.failed().await
    }

    /// Gives the lease back. No work may go on any more.
    pub(super) async fn leave(&mut self) {
        self.guard = None;
        self.stop.cancel();
        self.tasks.ended().await;
    }
}
