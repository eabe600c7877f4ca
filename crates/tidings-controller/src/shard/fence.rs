//! The fence of a shard: acts on permits that are held when others may take the lease for expired.
//!
//! A thread of its own looks, because all threads of the runtime may be blocked by the work of those permits. The
//! shard's task looks too, by tokio's clock; the first of the two acts, once for each permit.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use tidings_object::Key;
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::handle::Shared;
use super::member::FenceCheck;
use crate::fence::{self, ABORT_NOTICE, AbortLog, NextCheck, WakeSignal};

/// What happens to keys whose permits are held for too long.
#[derive(Clone)]
pub(super) enum OnPermitOverrun {
    Abort,
    Call(OverrunHook),
}

type OverrunHook = Arc<dyn Fn(&[Key]) + Send + Sync>;

/// What the thread and the task share.
pub(super) struct Fence {
    on_overrun: OnPermitOverrun,
    wake_signal: Arc<WakeSignal>,
    abort_log: AbortLog,
    /// The runtime of the task, whose clock counts: a paused one is seen as paused.
    runtime: OnceLock<Handle>,
}

/// Nobody acts for the member once this is dropped, however its task has ended. The thread ends with the last permit.
pub(super) struct CloseOnDrop(Arc<Shared>);

impl Fence {
    pub(super) fn new(on_overrun: OnPermitOverrun) -> Fence {
        let (wake_signal, abort_log, runtime) = (Arc::default(), AbortLog::default(), OnceLock::new());
        Fence { on_overrun, wake_signal, abort_log, runtime }
    }

    pub(super) fn notify(&self) {
        self.wake_signal.notify();
    }

    fn overran(&self, keys: Vec<Key>) {
        match &self.on_overrun {
            OnPermitOverrun::Abort => self.abort_log.abort(move || {
                tracing::error!(
                    ?keys,
                    "work goes on although the lease of this shard could have expired: aborting the process"
                );
            }),
            OnPermitOverrun::Call(hook) => {
                if catch_unwind(AssertUnwindSafe(|| hook(&keys))).is_err() {
                    let _unread = fence::log_on_thread(move || {
                        tracing::error!(?keys, "the hook for work that outlasts a shard's lease panicked");
                    });
                }
            }
        }
    }

    /// Says in the log what happens at the deadline.
    fn announce(&self) {
        self.abort_log.announce(|| {
            tracing::error!(
                "work is about to outlast the lease of this shard: aborting the process unless it ends"
            );
        });
    }
}

impl CloseOnDrop {
    /// Starts the thread.
    pub(super) fn start(shared: &Arc<Shared>) -> io::Result<CloseOnDrop> {
        let close_on_drop = CloseOnDrop(Arc::clone(shared));
        let watched = Arc::clone(shared);
        let _detached = fence::spawn_watchdog(Arc::clone(&shared.fence.wake_signal), move || {
            let _context = watched.fence.runtime.get().map(Handle::enter);
            watched.check(Instant::now())
        })?;
        Ok(close_on_drop)
    }

    /// The task runs from now on, here.
    pub(super) fn enter(&self) -> Arc<Shared> {
        let _once = self.0.fence.runtime.set(Handle::current());
        Arc::clone(&self.0)
    }
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.with_member(|member, _| member.close());
        self.0.fence.notify();
    }
}

impl Shared {
    /// Acts on permits that are held for too long.
    pub(super) fn act_on_overrun(&self) {
        self.check_fence();
    }

    fn check_fence(&self) -> FenceCheck {
        let mut check_fence = self.with_member(super::member::Member::fence);
        let overran = std::mem::take(&mut check_fence.overran);
        if !overran.is_empty() {
            self.fence.overran(overran);
        }
        check_fence
    }

    /// What the thread does when it looks.
    fn check(&self, now: Instant) -> NextCheck {
        let FenceCheck { next, deadline, is_over, .. } = self.check_fence();
        if is_over {
            return NextCheck::Never;
        }
        let Some(next) = next else { return NextCheck::OnWake };
        let deadline = deadline.filter(|_| matches!(self.fence.on_overrun, OnPermitOverrun::Abort));
        let Some(deadline) = deadline else { return NextCheck::After(next - now) };
        if deadline - now <= ABORT_NOTICE {
            self.fence.announce();
        }
        NextCheck::After((next - now).min(self.fence.abort_log.next_check(deadline, now)))
    }
}
