//! SIGTERM and Ctrl-C: the first signal stops the manager, the second ends the process.
//!
//! A thread of its own receives them. A second signal is sent, for instance, because a reconcile blocks all threads of
//! the runtime; that must not block the reception. Neither must a blocked log (a pipe that is not read): other threads
//! write the log lines.

use std::io;
use std::thread::{self, JoinHandle};

use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::fence;

/// Receives signals until it is dropped.
pub(super) struct SignalListener {
    first: CancellationToken,
    end: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl SignalListener {
    /// From now on signals no longer end the process by themselves.
    pub(super) fn listen() -> io::Result<SignalListener> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let streams = {
            let _context = runtime.enter();
            SignalStreams::new()?
        };
        let (first, end) = (CancellationToken::new(), CancellationToken::new());
        let listener = listen(streams, first.clone(), end.clone());
        let thread = thread::Builder::new().name("tidings-signals".to_owned());
        let thread = thread.spawn(move || runtime.block_on(listener))?;
        Ok(SignalListener { first, end, thread: Some(thread) })
    }

    /// Waits for the first signal.
    pub(super) async fn first(&self) {
        self.first.cancelled().await;
    }
}

impl Drop for SignalListener {
    fn drop(&mut self) {
        self.end.cancel();
        // A panic of the thread has already been reported by the panic hook.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

async fn listen(mut streams: SignalStreams, first: CancellationToken, end: CancellationToken) {
    // If this panics, the manager stops: signals no longer end the process, so it could not be stopped otherwise.
    let _stop = first.clone().drop_guard();
    let Some(signal) = end.run_until_cancelled(streams.next()).await else { return };
    first.cancel();
    let _unread = fence::log_on_thread(move || {
        tracing::info!(signal = signal.name, "stopping; a second signal ends the process at once");
    });
    let Some(signal) = end.run_until_cancelled(streams.next()).await else { return };
    let written = fence::log_on_thread(move || {
        tracing::error!(signal = signal.name, "a second signal: ending the process");
    });
    // Waits until the line is written, but not for long: the log may be blocked.
    let _ = written.map(|written| written.recv_timeout(fence::ABORT_NOTICE));
    std::process::exit(signal.exit_code);
}

struct ProcessSignal {
    name: &'static str,
    /// 128 plus the number of the signal, as shells report it.
    exit_code: i32,
}

const INTERRUPT: ProcessSignal = ProcessSignal { name: "SIGINT", exit_code: 130 };

#[cfg(unix)]
const TERMINATE: ProcessSignal = ProcessSignal { name: "SIGTERM", exit_code: 143 };

#[cfg(unix)]
struct SignalStreams {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl SignalStreams {
    fn new() -> io::Result<SignalStreams> {
        use tokio::signal::unix::{SignalKind, signal};
        let (terminate, interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(SignalStreams { terminate, interrupt })
    }

    async fn next(&mut self) -> ProcessSignal {
        tokio::select! {
            Some(()) = self.terminate.recv() => TERMINATE,
            Some(()) = self.interrupt.recv() => INTERRUPT,
            else => std::future::pending().await,
        }
    }
}

#[cfg(windows)]
struct SignalStreams {
    ctrl_c: tokio::signal::windows::CtrlC,
}

#[cfg(windows)]
impl SignalStreams {
    fn new() -> io::Result<SignalStreams> {
        Ok(SignalStreams { ctrl_c: tokio::signal::windows::ctrl_c()? })
    }

    async fn next(&mut self) -> ProcessSignal {
        match self.ctrl_c.recv().await {
            Some(()) => INTERRUPT,
            None => std::future::pending().await,
        }
    }
}
