//! How a script is played: its delay, its opening, its steps, one at a time and in tokio's time.

use std::collections::VecDeque;
use std::future::pending;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use super::Traffic;
use crate::{SourceError, Trouble};

/// What one answer does.
#[derive(Debug)]
pub(super) struct Script<T> {
    pub(super) delay: Duration,
    opening: Opening,
    pub(super) steps: VecDeque<Step<T>>,
}

#[derive(Debug)]
enum Opening {
    Answered,
    Refused(Trouble),
    Never,
}

#[derive(Debug)]
pub(super) enum Step<T> {
    Yield(Result<T, Trouble>),
    Wait(Duration),
    Hang,
    Live(mpsc::UnboundedReceiver<Result<T, Trouble>>),
}

/// Counts a stream as open until it is dropped.
struct OpenStream(watch::Sender<Traffic>);

impl OpenStream {
    fn new(traffic: watch::Sender<Traffic>) -> OpenStream {
        traffic.send_modify(|traffic| traffic.open_streams += 1);
        OpenStream(traffic)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.send_modify(|traffic| traffic.open_streams -= 1);
    }
}

impl<T: Send + 'static> Script<T> {
    pub(super) fn open() -> Self {
        Script { delay: Duration::ZERO, opening: Opening::Answered, steps: VecDeque::new() }
    }

    pub(super) fn refused(trouble: Trouble) -> Self {
        Script { opening: Opening::Refused(trouble), ..Script::open() }
    }

    pub(super) fn hanging() -> Self {
        Script { opening: Opening::Never, ..Script::open() }
    }

    pub(super) async fn play(
        self,
        asked: String,
        traffic: watch::Sender<Traffic>,
        keep: impl Fn(T) -> T + Send + 'static,
    ) -> Result<BoxStream<'static, Result<T, SourceError>>, SourceError> {
        let open = OpenStream::new(traffic);
        if !self.delay.is_zero() {
            sleep(self.delay).await;
        }
        match self.opening {
            Opening::Answered => {}
            Opening::Refused(trouble) => return Err(SourceError { asked, trouble }),
            Opening::Never => return pending().await,
        }
        let stream = stream::unfold((self.steps, open), |(mut steps, open)| async move {
            let item = next(&mut steps).await?;
            Some((item, (steps, open)))
        });
        Ok(stream
            .map(move |item| match item {
                Ok(item) => Ok(keep(item)),
                Err(trouble) => Err(SourceError { asked: asked.clone(), trouble }),
            })
            .boxed())
    }
}

async fn next<T>(steps: &mut VecDeque<Step<T>>) -> Option<Result<T, Trouble>> {
    loop {
        match steps.pop_front()? {
            Step::Yield(item) => return Some(item),
            Step::Wait(pause) => sleep(pause).await,
            Step::Hang => pending().await,
            Step::Live(mut live) => {
                let item = live.recv().await;
                if item.is_some() {
                    steps.push_front(Step::Live(live));
                    return item;
                }
            }
        }
    }
}
