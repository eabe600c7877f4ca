//! Gives each mailbox the notifications of a batch.

use tokio::time::Instant;

use crate::informer::deliver::resync::PendingResyncs;
use crate::informer::notification::RawNotification;
use crate::informer::shared::Shared;

/// Clones the notifications for each mailbox, handlers before subscribers; the last mailbox gets the originals. A
/// resync is delivered only to the mailboxes that are due for it.
#[expect(
    clippy::iter_overeager_cloned,
    reason = "a filter of references is not general enough for a future that is Send"
)]
pub(crate) async fn dispatch(
    shared: &Shared,
    notifications: &mut Vec<RawNotification>,
    pending_resyncs: &PendingResyncs,
    now: Instant,
) {
    if notifications.is_empty() {
        return;
    }
    let mailboxes = {
        let mut registry = shared.registry.lock();
        registry.mailboxes.retain(|mailbox| mailbox.is_open());
        registry.mailboxes.clone()
    };
    let Some((last, others)) = mailboxes.split_last() else { return notifications.clear() };
    for mailbox in others {
        let is_due = pending_resyncs.concerns(mailbox);
        mailbox
            .deliver(notifications.iter().cloned().filter(move |one| is_due || !one.is_resync()), now)
            .await;
    }
    let is_due = pending_resyncs.concerns(last);
    last.deliver(notifications.drain(..).filter(move |one| is_due || !one.is_resync()), now).await;
}
