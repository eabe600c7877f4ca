//! The part of this replica in the leader election: it is a candidate, then leads, then releases the lease.

use kube_client::Client;
use tokio_util::sync::CancellationToken;

use super::ManagerError;
use super::tasks::NamedTasks;
use crate::election::{Election, ElectionTask, Guard, Leadership, OnOverrun, Term};
use crate::lease_error::LeaseError;

#[cfg(test)]
mod tests;

pub(super) struct LeaderElector {
    pub(super) leadership: Leadership,
    /// `None` once it is spawned in `tasks`.
    pub(super) task: Option<ElectionTask>,
    tasks: NamedTasks,
    stop: CancellationToken,
    on_overrun: OnOverrun,
    /// Held while this replica works as the leader.
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

    /// Becomes a candidate, and waits until this replica leads. From then on the lease is renewed until
    /// [`release`](Self::release).
    pub(super) async fn lead(&mut self) -> Result<Term, ManagerError> {
        if let Some(task) = self.task.take() {
            self.tasks.spawn_until(self.leadership.name(), self.stop.clone(), task.run(self.stop.clone()));
        }
        loop {
            let Some(term) = self.leadership.acquired().await else { return Err(self.tasks.failed().await) };
            if self.guard_term(&term)? {
                return Ok(term);
            }
        }
    }

    /// Guards the work of this term. False if the term has ended: then the next term counts.
    fn guard_term(&mut self, term: &Term) -> Result<bool, ManagerError> {
        match term.guard(self.on_overrun.clone()) {
            Ok(guard) => {
                self.guard = Some(guard);
                Ok(true)
            }
            Err(LeaseError::TermEnded) => Ok(false),
            Err(error) => Err(ManagerError::Election(error)),
        }
    }

    /// Why the term ended. If the election's task has ended, its error is the cause of the loss.
    pub(super) async fn lost(&mut self) -> ManagerError {
        if self.leadership.has_ended() {
            return self.tasks.failed().await;
        }
        ManagerError::LeadershipLost { election: self.leadership.name().to_owned() }
    }

    /// Releases the lease. All work of the term must have ended.
    pub(super) async fn release(&mut self) {
        self.guard = None;
        self.stop.cancel();
        self.tasks.ended().await;
    }
}
