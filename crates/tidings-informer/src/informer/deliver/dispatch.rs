//! Gives every listener what was applied.

use tokio::time::Instant;

use crate::informer::deliver::resync::PendingResyncs;
use crate::informer::notification::RawNotification;
use crate::informer::shared::Shared;

/// Gives each listener its copy, handlers first; the last one takes the originals. Resyncs go to those alone that are due.
#[expect(
    clippy::iter_overeager_cloned,
    reason = "a filter of references is not general enough for a future that is Send"
)]
pub(crate) async fn distribute(
    shared: &Shared,
    told: &mut Vec<RawNotification>,
    pending_resyncs: &PendingResyncs,
    now: Instant,
) {
    if told.is_empty() {
        return;
    }
    let mailboxes = {
        let mut registry = shared.registry.lock();
        registry.mailboxes.retain(|mailbox| mailbox.is_open());
        registry.mailboxes.clone()
    };
    let Some((last, others)) = mailboxes.split_last() else { return told.clear() };
    for mailbox in others {
        let is_due = pending_resyncs.concerns(mailbox);
        mailbox.deliver(told.iter().cloned().filter(move |one| is_due || !one.is_resync()), now).await;
    }
    let is_due = pending_resyncs.concerns(last);
    last.deliver(told.drain(..).filter(move |one| is_due || !one.is_resync()), now).await;
}
