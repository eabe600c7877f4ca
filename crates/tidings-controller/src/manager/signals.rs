//! SIGTERM and Ctrl-C: the first asks, the second does not.
//!
//! They are heard on a thread of their own. A reconcile that blocks every thread of the runtime is one of the reasons
//! to send a second signal, and must not keep it from being heard. Nor must a log that nobody reads: lines are written
//! by other threads.

use std::io;
use std::thread::{self, JoinHandle};

use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::fence;

/// Hears signals until it is dropped.
pub(super) struct Signals {
    first: CancellationToken,
    end: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Signals {
    /// From now on, signals are heard here and no longer end the process by themselves.
    pub(super) fn listen() -> io::Result<Signals> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let heard = {
            let _context = runtime.enter();
            Heard::new()?
        };
        let (first, end) = (CancellationToken::new(), CancellationToken::new());
        let listener = listen(heard, first.clone(), end.clone());
        let thread = thread::Builder::new().name("tidings-signals".to_owned());
        let thread = thread.spawn(move || runtime.block_on(listener))?;
        Ok(Signals { first, end, thread: Some(thread) })
    }

    /// Waits for the first signal.
    pub(super) async fn first(&self) {
        self.first.cancelled().await;
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.end.cancel();
        // It has nothing left to do but to end.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

async fn listen(mut heard: Heard, first: CancellationToken, end: CancellationToken) {
    // Whoever no longer listens has heard the last: a panic of a log must not leave a process that no signal ends.
    let _stop = first.clone().drop_guard();
    let Some(signal) = end.run_until_cancelled(heard.next()).await else { return };
    first.cancel();
    let _unread = fence::write(move || {
        tracing::info!(signal = signal.name, "stopping; a second signal ends the process at once");
    });
    let Some(signal) = end.run_until_cancelled(heard.next()).await else { return };
    let written = fence::write(move || {
        tracing::error!(signal = signal.name, "a second signal: ending the process");
    });
    // Written, or a log that blocks: both end the wait.
    let _ = written.map(|written| written.recv_timeout(fence::NOTICE));
    std::process::exit(signal.exit_code);
}

/// A signal, with what a shell would say of a process that it ended.
struct Signal {
    name: &'static str,
    exit_code: i32,
}

const INTERRUPT: Signal = Signal { name: "SIGINT", exit_code: 130 };

#[cfg(unix)]
const TERMINATE: Signal = Signal { name: "SIGTERM", exit_code: 143 };

#[cfg(unix)]
struct Heard {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Heard {
    fn new() -> io::Result<Heard> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Heard { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            Some(()) = self.terminate.recv() => TERMINATE,
            Some(()) = self.interrupt.recv() => INTERRUPT,
            else => std::future::pending().await,
        }
    }
}

#[cfg(windows)]
struct Heard {
    ctrl_c: tokio::signal::windows::CtrlC,
}

#[cfg(windows)]
impl Heard {
    fn new() -> io::Result<Heard> {
        Ok(Heard { ctrl_c: tokio::signal::windows::ctrl_c()? })
    }

    async fn next(&mut self) -> Signal {
        match self.ctrl_c.recv().await {
            Some(()) => INTERRUPT,
            None => std::future::pending().await,
        }
    }
}
