//! Waiting until something happened: conditions that are met one after the other, over any stream of events.

use std::error::Error;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, Stream, StreamExt as _};
use tidings_util::WithCauses;
use tokio::time::sleep;

use crate::{
    Change, ErrorClass, ListOptions, ListWatch, ListedPart, ObjectEvent, PAGE_SIZE_DEFAULT, SourceError,
    Trouble, asked, list_all, retry_watch,
};

/// Looks at one event: `true` if it is what was waited for. An error ends the waiting.
pub type Condition<'a> =
    Box<dyn FnMut(&ObjectEvent) -> Result<bool, Box<dyn Error + Send + Sync>> + Send + 'a>;

/// Why what was waited for did not happen.
#[derive(Debug, thiserror::Error)]
pub enum UntilError {
    /// A condition gave up at this event.
    #[error(
        "a condition gave up at {} {}: {}",
        .event.object.origin().resource, .event.object.key(), WithCauses(.source.as_ref())
    )]
    Condition {
        /// The event.
        event: ObjectEvent,
        /// What it said.
        r#source: Box<dyn Error + Send + Sync>,
    },
    /// The events ended with an error.
    #[error("waiting for an event: {0}")]
    Source(SourceError),
    /// The events ended.
    #[error("the events ended before the condition was met")]
    Closed,
}

impl From<SourceError> for UntilError {
    fn from(error: SourceError) -> Self {
        UntilError::Source(error)
    }
}

/// How long a list whose version expired at once is left alone.
const RELIST_PAUSE: Duration = Duration::from_secs(1);

/// Waits until each of these conditions was met, one after the other, and gives the event that met the last; a
/// condition whose turn comes is tried on the last event first. Without conditions there is nothing to wait for.
///
/// Dropping the future ends the waiting; put it into `tokio::time::timeout` for a deadline.
pub async fn until<'a, S>(
    events: S,
    conditions: impl IntoIterator<Item = Condition<'a>>,
) -> Result<Option<ObjectEvent>, UntilError>
where
    S: Stream<Item = Result<ObjectEvent, SourceError>>,
{
    let mut events = std::pin::pin!(events);
    let mut last: Option<ObjectEvent> = None;
    for mut condition in conditions {
        if let Some(event) = &last
            && meets(&mut condition, event)?
        {
            continue;
        }
        loop {
            let event = events.next().await.ok_or(UntilError::Closed)??;
            let is_met = meets(&mut condition, &event)?;
            last = Some(event);
            if is_met {
                break;
            }
        }
    }
    Ok(last)
}

/// As [`until`], over the objects that are there now and then whatever happens to them: see [`list_then_watch`].
pub async fn until_with_list<'a>(
    source: &dyn ListWatch,
    conditions: impl IntoIterator<Item = Condition<'a>>,
) -> Result<Option<ObjectEvent>, UntilError> {
    until(list_then_watch(source), conditions).await
}

/// Every object that is there now, as added, and then whatever happens. When the watch's version expires it
/// lists again: an object may then come as added twice, and a deletion in between is not told. Whoever needs
/// more wants an informer. It ends after one error.
pub fn list_then_watch(source: &dyn ListWatch) -> BoxStream<'_, Result<ObjectEvent, SourceError>> {
    let start = (source, Step::List(Duration::ZERO));
    stream::unfold(start, |(source, step)| async move {
        let (item, step) = advance(source, step).await?;
        Some((item, (source, step)))
    })
    .boxed()
}

enum Step<'a> {
    /// List after this pause.
    List(Duration),
    Listing(BoxStream<'a, Result<ListedPart, SourceError>>),
    Watching(BoxStream<'a, Result<ObjectEvent, SourceError>>),
    Done,
}

type Item = Result<ObjectEvent, SourceError>;

async fn advance<'a>(source: &'a dyn ListWatch, mut step: Step<'a>) -> Option<(Item, Step<'a>)> {
    loop {
        step = match step {
            Step::Done => return None,
            Step::List(pause) => {
                sleep(pause).await;
                Step::Listing(list_all(source, ListOptions::default(), Some(PAGE_SIZE_DEFAULT)))
            }
            Step::Listing(mut parts) => match parts.next().await? {
                Ok(ListedPart::Object(object)) => {
                    let event = ObjectEvent { change: Change::Added, object };
                    return Some((Ok(event), Step::Listing(parts)));
                }
                Ok(ListedPart::Skipped(_) | ListedPart::Restarted) => Step::Listing(parts),
                Ok(ListedPart::End(end)) => match retry_watch(source, end.version) {
                    Ok(events) => Step::Watching(events),
                    Err(error) => {
                        let asked = asked::list(source.resource(), source.scope(), &ListOptions::default());
                        let trouble = Trouble::Malformed(error.to_string());
                        return Some((Err(SourceError { asked, trouble }), Step::Done));
                    }
                },
                Err(error) => return Some((Err(error), Step::Done)),
            },
            Step::Watching(mut events) => match events.next().await? {
                Ok(event) => return Some((Ok(event), Step::Watching(events))),
                Err(error) if error.class() == ErrorClass::Expired => Step::List(RELIST_PAUSE),
                Err(error) => return Some((Err(error), Step::Done)),
            },
        }
    }
}

fn meets(condition: &mut Condition<'_>, event: &ObjectEvent) -> Result<bool, UntilError> {
    condition(event).map_err(|source| UntilError::Condition { event: event.clone(), source })
}

#[cfg(test)]
mod tests;
