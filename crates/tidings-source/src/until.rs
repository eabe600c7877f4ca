//! Waits until conditions on objects are met, one after the other, as client-go's `watchtools.Until`.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, Stream, StreamExt as _};
use tokio::time::sleep;

use crate::{
    ChangeType, ErrorClass, ErrorKind, ListOptions, ListWatch, ObjectEvent, PAGE_SIZE_DEFAULT, PagedPart,
    SourceError, list_all, retry_watch,
};

/// Checks one event. It returns `true` if the event is the expected one. An error ends the wait.
pub type EventCondition<'a> =
    Box<dyn FnMut(&ObjectEvent) -> Result<bool, Box<dyn Error + Send + Sync>> + Send + 'a>;

/// The pause before the list is repeated because its version expired.
const RELIST_PAUSE: Duration = Duration::from_secs(1);

/// Waits until all conditions are met, one after the other. Returns the event that met the last one; `None` if there are
/// no conditions.
///
/// Each condition is first checked with the event that met the condition before it. Use `tokio::time::timeout` to set a
/// deadline. The error is [`ErrorKind::Condition`] if a condition fails, and [`ErrorKind::Ended`] if the events end.
pub async fn until<'a, S>(
    events: S,
    conditions: impl IntoIterator<Item = EventCondition<'a>>,
) -> Result<Option<ObjectEvent>, SourceError>
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
            let event = events.next().await.ok_or_else(|| wait_error(ErrorKind::Ended))??;
            let is_met = meets(&mut condition, &event)?;
            last = Some(event);
            if is_met {
                break;
            }
        }
    }
    Ok(last)
}

/// Like [`until`], over the events of [`list_then_watch`].
pub async fn until_with_list<'a>(
    source: &dyn ListWatch,
    conditions: impl IntoIterator<Item = EventCondition<'a>>,
) -> Result<Option<ObjectEvent>, SourceError> {
    until(list_then_watch(source), conditions).await
}

/// Yields every existing object as added, and then all changes. It ends after one error.
///
/// If the version of the watch expires, it lists again. Then an object may be yielded as added twice, and a deletion in
/// between is not reported. Use an informer if that matters.
pub fn list_then_watch(source: &dyn ListWatch) -> BoxStream<'_, Result<ObjectEvent, SourceError>> {
    let start = (source, ListThenWatch::Pause(Duration::ZERO));
    stream::unfold(start, |(source, state)| async move {
        let (item, state) = advance(source, state).await?;
        Some((item, (source, state)))
    })
    .boxed()
}

enum ListThenWatch<'a> {
    /// List after this pause.
    Pause(Duration),
    Listing(BoxStream<'a, Result<PagedPart, SourceError>>),
    Watching(BoxStream<'a, Result<ObjectEvent, SourceError>>),
    Done,
}

type Item = Result<ObjectEvent, SourceError>;

async fn advance<'a>(
    source: &'a dyn ListWatch,
    mut state: ListThenWatch<'a>,
) -> Option<(Item, ListThenWatch<'a>)> {
    loop {
        state = match state {
            ListThenWatch::Done => return None,
            ListThenWatch::Pause(pause) => {
                sleep(pause).await;
                ListThenWatch::Listing(list_all(source, ListOptions::default(), Some(PAGE_SIZE_DEFAULT)))
            }
            ListThenWatch::Listing(mut parts) => match parts.next().await? {
                Ok(PagedPart::Object(object)) => {
                    let event = ObjectEvent { change: ChangeType::Added, object };
                    return Some((Ok(event), ListThenWatch::Listing(parts)));
                }
                Ok(PagedPart::Skipped(_) | PagedPart::Restarted) => ListThenWatch::Listing(parts),
                Ok(PagedPart::End(end)) => match retry_watch(source, end.version) {
                    Ok(events) => ListThenWatch::Watching(events),
                    Err(error) => return Some((Err(error), ListThenWatch::Done)),
                },
                Err(error) => return Some((Err(error), ListThenWatch::Done)),
            },
            ListThenWatch::Watching(mut events) => match events.next().await? {
                Ok(event) => return Some((Ok(event), ListThenWatch::Watching(events))),
                Err(error) if error.class() == ErrorClass::Expired => ListThenWatch::Pause(RELIST_PAUSE),
                Err(error) => return Some((Err(error), ListThenWatch::Done)),
            },
        }
    }
}

fn meets(condition: &mut EventCondition<'_>, event: &ObjectEvent) -> Result<bool, SourceError> {
    condition(event).map_err(|cause| {
        let key = event.object.key().to_string();
        wait_error(ErrorKind::Condition { key, cause: Arc::from(cause) })
    })
}

fn wait_error(kind: ErrorKind) -> SourceError {
    SourceError { request: "wait for a condition".to_owned(), kind }
}

#[cfg(test)]
mod tests;
