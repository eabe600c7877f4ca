//! Plays the script of one response: its delay, then its opening, then its steps, in tokio's time.

use std::collections::VecDeque;
use std::future::pending;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use super::RequestLog;
use crate::{ErrorKind, SourceError};

/// The script of one response.
#[derive(Debug)]
pub(super) struct Script<T> {
    pub(super) delay: Duration,
    opening: Opening,
    pub(super) steps: VecDeque<ScriptStep<T>>,
}

#[derive(Debug)]
enum Opening {
    Answered,
    Refused(ErrorKind),
    Never,
}

#[derive(Debug)]
pub(super) enum ScriptStep<T> {
    Yield(Result<T, ErrorKind>),
    Wait(Duration),
    Hang,
    Live(mpsc::UnboundedReceiver<Result<T, ErrorKind>>),
}

/// Counts a stream as open until it is dropped.
struct OpenStream(watch::Sender<RequestLog>);

impl OpenStream {
    fn new(log: watch::Sender<RequestLog>) -> OpenStream {
        log.send_modify(|log| log.open_streams += 1);
        OpenStream(log)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.send_modify(|log| log.open_streams -= 1);
    }
}

impl<T: Send + 'static> Script<T> {
    pub(super) fn open() -> Self {
        Script { delay: Duration::ZERO, opening: Opening::Answered, steps: VecDeque::new() }
    }

    pub(super) fn refused(kind: ErrorKind) -> Self {
        Script { opening: Opening::Refused(kind), ..Script::open() }
    }

    pub(super) fn hanging() -> Self {
        Script { opening: Opening::Never, ..Script::open() }
    }

    pub(super) async fn play(
        self,
        request: String,
        log: watch::Sender<RequestLog>,
        keep: impl Fn(T) -> T + Send + 'static,
    ) -> Result<BoxStream<'static, Result<T, SourceError>>, SourceError> {
        let open = OpenStream::new(log);
        if !self.delay.is_zero() {
            sleep(self.delay).await;
        }
        match self.opening {
            Opening::Answered => {}
            Opening::Refused(kind) => return Err(SourceError { request, kind }),
            Opening::Never => return pending().await,
        }
        let stream = stream::unfold((self.steps, open), |(mut steps, open)| async move {
            let item = next(&mut steps).await?;
            Some((item, (steps, open)))
        });
        Ok(stream
            .map(move |item| match item {
                Ok(item) => Ok(keep(item)),
                Err(kind) => Err(SourceError { request: request.clone(), kind }),
            })
            .boxed())
    }
}

async fn next<T>(steps: &mut VecDeque<ScriptStep<T>>) -> Option<Result<T, ErrorKind>> {
    loop {
        match steps.pop_front()? {
            ScriptStep::Yield(item) => return Some(item),
            ScriptStep::Wait(pause) => sleep(pause).await,
            ScriptStep::Hang => pending().await,
            ScriptStep::Live(mut live) => {
                let item = live.recv().await;
                if item.is_some() {
                    steps.push_front(ScriptStep::Live(live));
                    return item;
                }
            }
        }
    }
}
