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

use super::member::Fenced;
use super::shares::Shared;
use crate::fence::{self, Bell, LastWords, Look, NOTICE};

/// What happens to keys whose permits are held for too long.
#[derive(Clone)]
pub(super) enum OnOverstay {
    Abort,
    Call(Hook),
}

type Hook = Arc<dyn Fn(&[Key]) + Send + Sync>;

/// What the thread and the task share.
pub(super) struct Fence {
    on_overstay: OnOverstay,
    bell: Arc<Bell>,
    last_words: LastWords,
    /// The runtime of the task, whose clock counts: a paused one is seen as paused.
    runtime: OnceLock<Handle>,
}

/// Nobody acts for the member once this is dropped, however its task has ended. The thread ends with the last permit.
pub(super) struct Closing(Arc<Shared>);

impl Fence {
    pub(super) fn new(on_overstay: OnOverstay) -> Fence {
        let (bell, last_words, runtime) = (Arc::default(), LastWords::default(), OnceLock::new());
        Fence { on_overstay, bell, last_words, runtime }
    }

    pub(super) fn ring(&self) {
        self.bell.ring();
    }

    fn overstayed(&self, keys: Vec<Key>) {
        match &self.on_overstay {
            OnOverstay::Abort => self.last_words.abort(move || {
                tracing::error!(
                    ?keys,
                    "work goes on although the lease of this shard could have expired: aborting the process"
                );
            }),
            OnOverstay::Call(hook) => {
                if catch_unwind(AssertUnwindSafe(|| hook(&keys))).is_err() {
                    let _unread = fence::write(move || {
                        tracing::error!(?keys, "the hook for work that outlasts a shard's lease panicked");
                    });
                }
            }
        }
    }

    /// Says in the log what happens at the deadline.
    fn announce(&self) {
        self.last_words.announce(|| {
            tracing::error!(
                "work is about to outlast the lease of this shard: aborting the process unless it ends"
            );
        });
    }
}

impl Closing {
    /// Starts the thread.
    pub(super) fn start(shared: &Arc<Shared>) -> io::Result<Closing> {
        let closing = Closing(Arc::clone(shared));
        let watched = Arc::clone(shared);
        let _detached = fence::watch(Arc::clone(&shared.fence.bell), move || {
            let _context = watched.fence.runtime.get().map(Handle::enter);
            watched.look(Instant::now())
        })?;
        Ok(closing)
    }

    /// The task runs from now on, here.
    pub(super) fn enter(&self) -> Arc<Shared> {
        let _once = self.0.fence.runtime.set(Handle::current());
        Arc::clone(&self.0)
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.tell(|member, _| member.close());
        self.0.fence.ring();
    }
}

impl Shared {
    /// Acts on permits that are held for too long.
    pub(super) fn act_on_overstay(&self) {
        self.fenced();
    }

    fn fenced(&self) -> Fenced {
        let mut fenced = self.tell(super::member::Member::fence);
        let overstayed = std::mem::take(&mut fenced.overstayed);
        if !overstayed.is_empty() {
            self.fence.overstayed(overstayed);
        }
        fenced
    }

    /// What the thread does when it looks.
    fn look(&self, now: Instant) -> Look {
        let Fenced { next, deadline, is_over, .. } = self.fenced();
        if is_over {
            return Look::Over;
        }
        let Some(next) = next else { return Look::WhenRung };
        let deadline = deadline.filter(|_| matches!(self.fence.on_overstay, OnOverstay::Abort));
        let Some(deadline) = deadline else { return Look::After(next - now) };
        if deadline - now <= NOTICE {
            self.fence.announce();
        }
        Look::After((next - now).min(self.fence.last_words.next_look(deadline, now)))
    }
}
