//! The task of a shard: passes snapshots of the cache, responses and time to the member, and sends its requests. It
//! makes no decisions.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::{BoxFuture, FutureExt as _, OptionFuture};
use k8s_openapi::api::coordination::v1::Lease;
use tidings_informer::{InformerError, Lister, Notification, Notifications, SharedInformer, WaitError};
use tidings_object::Object;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::fence::CloseOnDrop;
use super::lease::LeaseWriter;
use super::member::{LeaseWriteResult, MemberAction};
use super::peers::{LeaseVersion, ObservedLease};
use super::record::{Claim, MemberRecord};
use crate::lease_error::LeaseError;

/// Keeps a replica in its group: renews its Lease, watches the Leases of others, hands keys over. The factory that it
/// was built with must run. Dropping the task revokes all permits at once; the Lease then expires by itself, and only
/// the watchdog thread still watches over permits that are held.
#[must_use = "a shard owns no key unless its task runs"]
pub struct ShardTask {
    pub(super) close_on_drop: CloseOnDrop,
    pub(super) leases: SharedInformer<Lease>,
    pub(super) notifications: Notifications<Lease>,
    pub(super) writer: LeaseWriter,
}

/// What the task waits for, in errors.
const AWAITED: &str = "the next change";

type PendingRequest = BoxFuture<'static, (LeaseWriter, RequestDone)>;

enum RequestDone {
    Written(LeaseWriteResult),
    ExpiredDeleted,
    OwnDeleted,
}

impl ShardTask {
    /// Runs until `stop` is cancelled. Then it hands over all keys, which ends when the last permit is dropped, and
    /// deletes the Lease. Permits are revoked after the hand-over timeout.
    ///
    /// It returns [`LeaseError::LeasesEnded`] if the Leases can no longer be watched. The replica then owns no key.
    pub async fn run(self, stop: CancellationToken) -> Result<(), LeaseError> {
        let ShardTask { close_on_drop, leases, mut notifications, writer } = self;
        let shared = close_on_drop.enter();
        let (lister, leases_watched) = (leases.lister(), leases.downgrade());
        let mut writer = Some(writer);
        let mut request: OptionFuture<PendingRequest> = None.into();
        let mut is_leaving = false;
        // Before the first list no key is owned.
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            synced = leases.synced() => synced.map_err(|cause| LeaseError::LeasesEnded { cause })?,
        }
        shared.with_member(|member, now| member.observe(now, observed(&lister)));
        loop {
            let action = shared.with_member(|member, now| member.next(now));
            shared.check_fence();
            let until = match action {
                MemberAction::Left => return Ok(()),
                MemberAction::Wait(until) => until,
                action => {
                    let writer = writer.take().expect("one request is pending at a time");
                    request = Some(send(writer, action)).into();
                    continue;
                }
            };
            tokio::select! {
                biased;
                Some((back, done)) = &mut request => {
                    (writer, request) = (Some(back), None.into());
                    shared.with_member(|member, now| match done {
                        RequestDone::Written(result) => member.written(now, result),
                        RequestDone::ExpiredDeleted => member.expired_deleted(),
                        RequestDone::OwnDeleted => member.own_deleted(),
                    });
                }
                notification = notifications.next() => {
                    let Some(notification) = notification else { return Err(leases_ended(&leases)) };
                    let member_left = member_left(&notification);
                    shared.with_member(|member, now| {
                        member.observe(now, observed(&lister));
                        if let Some(name) = member_left {
                            member.member_left(now, &name);
                        }
                    });
                }
                () = stop.cancelled(), if !is_leaving => {
                    is_leaving = true;
                    shared.with_member(|member, now| member.leave(now));
                }
                failure = leases_watched.failed() => {
                    return Err(leases_failed(failure));
                }
                () = shared.wake.notified() => {}
                () = sleep_until(until) => {}
            }
        }
    }
}

fn send(mut writer: LeaseWriter, action: MemberAction) -> PendingRequest {
    async move {
        let done = match action {
            MemberAction::Write(record) => RequestDone::Written(writer.write(&record).await),
            MemberAction::DeleteExpired(name, version) => {
                writer.delete(&name, &version).await;
                RequestDone::ExpiredDeleted
            }
            _ => {
                writer.delete_own().await;
                RequestDone::OwnDeleted
            }
        };
        (writer, done)
    }
    .boxed()
}

/// The Leases of the group, all at one version of the server.
fn observed(lister: &Lister<Lease>) -> Vec<ObservedLease> {
    lister
        .list()
        .iter()
        .map(|lease| ObservedLease {
            name: lease.key().name().into(),
            version: LeaseVersion { uid: lease.uid().into(), version: lease.version().to_string().into() },
            record: record(lease),
        })
        .collect()
}

fn record(lease: &Object<Lease>) -> MemberRecord {
    lease.decoded().map_or_else(|_| MemberRecord::unreadable(), |lease| MemberRecord::of(&lease))
}

/// The name of a deleted Lease whose last record claimed nothing. The deletion carries the last state.
fn member_left(notification: &Notification<Lease>) -> Option<Arc<str>> {
    let Notification::Deleted { object: lease, .. } = notification else { return None };
    (record(lease).claim == Claim::Nothing).then(|| lease.key().name().into())
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

fn leases_ended(leases: &SharedInformer<Lease>) -> LeaseError {
    match leases.health().failures.into_iter().next() {
        Some(failure) => leases_failed(failure),
        None => LeaseError::LeasesEnded { cause: WaitError::Stopped { what: AWAITED.to_owned() } },
    }
}

fn leases_failed(failure: InformerError) -> LeaseError {
    let cause = WaitError::Failed { what: AWAITED.to_owned(), failure: Box::new(failure) };
    LeaseError::LeasesEnded { cause }
}
