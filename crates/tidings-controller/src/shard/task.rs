//! Lets a member act: shows it the cache, sends what it wants written, and keeps the time for it. It decides nothing.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::{BoxFuture, FutureExt as _, OptionFuture};
use k8s_openapi::api::coordination::v1::Lease;
use tidings_informer::informer::{Notification, Notifications, SharedInformer};
use tidings_informer::lister::Lister;
use tidings_object::Object;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::fence::CloseOnDrop;
use super::lease::LeaseWriter;
use super::member::{LeaseWriteResult, MemberAction};
use super::peers::{LeaseVersion, ObservedLease};
use super::record::{Claim, MemberRecord};
use crate::lease_error::LeaseError;

/// Keeps a replica in its group: renews its Lease, watches those of others, hands keys over. It runs while the
/// factory runs that it was built with. Dropping it loses every permit at once; the Lease is left to expire, and only
/// the thread that fences work off goes on to watch over permits that are still held.
#[must_use = "nothing is ours unless it runs"]
pub struct ShardTask {
    pub(super) close_on_drop: CloseOnDrop,
    pub(super) leases: SharedInformer<Lease>,
    pub(super) notifications: Notifications<Lease>,
    pub(super) writer: LeaseWriter,
}

/// A request and what becomes of it.
type Request = BoxFuture<'static, (LeaseWriter, Done)>;

enum Done {
    Written(LeaseWriteResult),
    Cleared,
    Removed,
}

impl ShardTask {
    /// Runs until `stop`, then hands every key over and takes the Lease away: that ends when the last permit has
    /// been dropped. Holders are told to end after the grace of a hand-over.
    ///
    /// It ends with an error if the Leases can no longer be watched: then nothing is ours any more.
    pub async fn run(self, stop: CancellationToken) -> Result<(), LeaseError> {
        let ShardTask { close_on_drop, leases, mut notifications, writer } = self;
        let shared = close_on_drop.enter();
        let (lister, leases_watched) = (leases.lister(), leases.downgrade());
        let mut writer = Some(writer);
        let mut request: OptionFuture<Request> = None.into();
        let mut is_leaving = false;
        // Without a first list nothing is known, nor anything ours.
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            synced = leases.synced() => synced.map_err(|error| LeaseError::LeasesEnded { cause: error.to_string() })?,
        }
        shared.with_member(|member, now| member.observe(now, seen(&lister)));
        loop {
            let step = shared.with_member(|member, now| member.next(now));
            shared.act_on_overrun();
            let until = match step {
                MemberAction::Left => return Ok(()),
                MemberAction::Wait(until) => until,
                step => {
                    let writer = writer.take().expect("one request is made at a time");
                    request = Some(make(writer, step)).into();
                    continue;
                }
            };
            tokio::select! {
                biased;
                Some((back, done)) = &mut request => {
                    (writer, request) = (Some(back), None.into());
                    shared.with_member(|member, now| match done {
                        Done::Written(answer) => member.written(now, answer),
                        Done::Cleared => member.cleared(),
                        Done::Removed => member.removed(),
                    });
                }
                event = notifications.next() => {
                    let Some(event) = event else { return Err(leases_ended(&leases)) };
                    let member_left = member_left(&event);
                    shared.with_member(|member, now| {
                        member.observe(now, seen(&lister));
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
                    return Err(LeaseError::LeasesEnded { cause: failure.to_string() });
                }
                () = shared.wake.notified() => {}
                () = sleep_until(until) => {}
            }
        }
    }
}

fn make(mut writer: LeaseWriter, step: MemberAction) -> Request {
    async move {
        let done = match step {
            MemberAction::Write(record) => Done::Written(writer.write(&record).await),
            MemberAction::DeleteExpired(name, version) => {
                writer.clear(&name, &version).await;
                Done::Cleared
            }
            _ => {
                writer.remove().await;
                Done::Removed
            }
        };
        (writer, done)
    }
    .boxed()
}

/// The Leases of the group at one moment of the server.
fn seen(lister: &Lister<Lease>) -> Vec<ObservedLease> {
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

/// The name of a Lease that was deleted after it had claimed nothing: its last state came with its deletion.
fn member_left(event: &Notification<Lease>) -> Option<Arc<str>> {
    let Notification::Deleted { object: lease, .. } = event else { return None };
    (record(lease).claim == Claim::Nothing).then(|| lease.key().name().into())
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

fn leases_ended(leases: &SharedInformer<Lease>) -> LeaseError {
    let failures = leases.health().failures;
    let cause = failures.first().map_or_else(|| "the informer was stopped".to_owned(), ToString::to_string);
    LeaseError::LeasesEnded { cause }
}
