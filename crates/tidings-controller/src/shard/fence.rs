//! The watchdog of a shard: acts on permits that are still held when the lease of this member may count as expired.
//!
//! A thread checks, because the work under those permits may block all threads of the runtime. The task of the shard
//! checks too, by tokio's clock, which tests can pause. The first of the two acts, once for each permit.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::handle::SharedShard;
use super::member::{FenceCheck, Member};
use crate::election::{OnOverrun, Overrun};
use crate::fence::{self, ABORT_NOTICE, AbortLog, NextCheck, WakeSignal};

/// What the watchdog thread and the task share.
pub(super) struct Fence {
    /// The lease, as namespace and name.
    lease: Arc<str>,
    on_overrun: OnOverrun,
    wake_signal: Arc<WakeSignal>,
    abort_log: AbortLog,
    /// The runtime of the task. Its clock counts, which tests can pause.
    runtime: OnceLock<Handle>,
}

/// Closes the member when it is dropped, however the task has ended. The watchdog thread ends with the last permit.
pub(super) struct CloseOnDrop(Arc<SharedShard>);

impl Fence {
    pub(super) fn new(lease: Arc<str>, on_overrun: OnOverrun) -> Fence {
        let (wake_signal, abort_log, runtime) = (Arc::default(), AbortLog::default(), OnceLock::new());
        Fence { lease, on_overrun, wake_signal, abort_log, runtime }
    }

    pub(super) fn notify(&self) {
        self.wake_signal.notify();
    }

    fn act(&self, overrun: Overrun) {
        match &self.on_overrun {
            OnOverrun::Abort => self.abort_log.abort(move || {
                let Overrun { lease, keys, .. } = overrun;
                tracing::error!(%lease, ?keys, "work has outlasted the lease of this shard: aborting the process");
            }),
            OnOverrun::Call(hook) => {
                if catch_unwind(AssertUnwindSafe(|| hook(&overrun))).is_err() {
                    let _unread = fence::log_on_thread(move || {
                        let Overrun { lease, keys, .. } = overrun;
                        tracing::error!(%lease, ?keys, "the overrun hook of a shard panicked");
                    });
                }
            }
        }
    }

    fn announce_abort(&self) {
        let lease = Arc::clone(&self.lease);
        self.abort_log.announce(move || {
            tracing::error!(
                %lease,
                "work is about to outlast the lease of this shard: aborting the process unless it ends"
            );
        });
    }
}

impl CloseOnDrop {
    /// Starts the watchdog thread.
    pub(super) fn start(shared: &Arc<SharedShard>) -> io::Result<CloseOnDrop> {
        let close_on_drop = CloseOnDrop(Arc::clone(shared));
        let watched = Arc::clone(shared);
        let _detached = fence::spawn_watchdog(Arc::clone(&shared.fence.wake_signal), move || {
            let _context = watched.fence.runtime.get().map(Handle::enter);
            watched.next_check(Instant::now())
        })?;
        Ok(close_on_drop)
    }

    /// The task runs in the current runtime from now on.
    pub(super) fn enter(&self) -> Arc<SharedShard> {
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

impl SharedShard {
    /// Acts on permits that are held although the claim has expired.
    pub(super) fn check_fence(&self) -> FenceCheck {
        let mut check = self.with_member(Member::check_fence);
        if let Some((expired_at, keys)) = check.overrun.take() {
            self.fence.act(Overrun { lease: Arc::clone(&self.fence.lease), expired_at, keys });
        }
        check
    }

    /// The check of the watchdog thread.
    fn next_check(&self, now: Instant) -> NextCheck {
        let FenceCheck { next, deadline, is_over, .. } = self.check_fence();
        if is_over {
            return NextCheck::Never;
        }
        let Some(next) = next else { return NextCheck::OnWake };
        let deadline = deadline.filter(|_| matches!(self.fence.on_overrun, OnOverrun::Abort));
        let Some(deadline) = deadline else { return NextCheck::After(next - now) };
        if deadline - now <= ABORT_NOTICE {
            self.fence.announce_abort();
        }
        NextCheck::After((next - now).min(self.fence.abort_log.next_check(deadline, now)))
    }
}
