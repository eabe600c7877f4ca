//! Decides, for one replica, which request to send next and whether it leads.
//!
//! A pure state machine: observed leases, local time and responses in, the next request out. It reads no clock and
//! sends nothing. Two rules keep two replicas from leading at the same time:
//!
//! - A holder counts the validity of its lease from the moment *before* it sent the renewing request, and stops leading
//!   in time even if the server never answers.
//! - A candidate takes a lease only after it has *observed* it unchanged for the written lease duration, by its own
//!   clock. This holds for every holder, even for its own identity: a write of another process with the same identity
//!   looks the same.
//!
//! Example, with a lease duration of 15 s and a retry period of 2 s:
//!
//! ```text
//! a: create                      -> holder, valid for 10 s from when the request was sent
//! b: read: held by a             -> candidate, takeable 15 s after this change was observed
//! a: crashes
//! b: reads every 2 to 4.4 s      -> unchanged
//! b: 15 s later: replace         -> the server accepts it, because the version is the one that b read: holder
//! ```

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::time::Instant;

use super::record::{LeaseTemplate, ObservedRecord, in_microseconds};
use super::timing::ElectionTiming;

#[cfg(test)]
mod tests;

/// After a conflict, a release is retried after this time.
const RELEASE_RETRY: Duration = Duration::from_millis(50);

/// The current time: by the local clock, which all decisions use, and by the wall clock, which is written into leases.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) at: Instant,
    pub(super) wall: Timestamp,
}

#[derive(Debug, PartialEq)]
pub(super) enum ElectionAction {
    /// Send this request. Without a response by `until`, it has failed.
    Send {
        request: LeaseRequest,
        until: Instant,
    },
    Wait {
        until: Instant,
    },
    /// The election has ended.
    Stop,
}

#[derive(Debug, PartialEq)]
pub(super) enum LeaseRequest {
    Read,
    Create(Box<Lease>),
    /// Replace the version that is in the metadata.
    Replace(Box<Lease>),
}

#[derive(Debug)]
pub(super) enum LeaseResponse {
    /// The lease, as read or as written.
    Lease(Box<Lease>),
    NotFound,
    Conflict,
    /// No response in time, or an error. A write may have taken effect.
    Failed,
}

/// Until when a holder relies on its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LeaseValidity {
    /// The holder stops leading here, unless it renews before.
    pub(super) lost_at: Instant,
    /// From here on another replica could hold the lease.
    pub(super) expires_at: Instant,
}

#[derive(Debug)]
pub(super) struct ElectionStateMachine {
    timing: ElectionTiming,
    template: LeaseTemplate,
    rng: SmallRng,
    observed: Option<ObservedRecord>,
    role: Role,
    next: NextRequest,
    terms: u64,
    slow_paths: u64,
}

#[derive(Debug)]
enum Role {
    Candidate,
    Holder(HeldLease),
    /// Releases the lease that it held. It gives up at `by`.
    Releasing {
        acquired: Option<MicroTime>,
        by: Instant,
    },
    Stopped,
}

#[derive(Debug)]
struct HeldLease {
    validity: LeaseValidity,
    /// The version that the server returned last.
    lease: Box<Lease>,
    acquired: Option<MicroTime>,
}

#[derive(Debug)]
enum NextRequest {
    Wait(Instant),
    Read,
    /// Write the held lease without reading it first: the fast path.
    Renew,
    /// Write our identity into the lease that was read.
    Write(Box<Lease>),
    /// There is no lease.
    Create,
}

impl ElectionStateMachine {
    /// A candidate from `now` on.
    pub(super) fn new(timing: ElectionTiming, template: LeaseTemplate, seed: u64, now: Instant) -> Self {
        let rng = SmallRng::seed_from_u64(seed);
        let (role, next) = (Role::Candidate, NextRequest::Wait(now));
        ElectionStateMachine { timing, template, rng, observed: None, role, next, terms: 0, slow_paths: 0 }
    }

    /// What to do next. The caller passes `now.at` as `sent` to [`on_response`](Self::on_response).
    pub(super) fn next_action(&mut self, now: Now) -> ElectionAction {
        if self.validity().is_some_and(|validity| now.at >= validity.lost_at) {
            self.lose(now.at);
            // An action without a request, so that the task publishes the loss before it sends anything.
            return ElectionAction::Wait { until: now.at };
        }
        if let NextRequest::Wait(until) = self.next {
            match self.role {
                Role::Stopped => return ElectionAction::Stop,
                _ if now.at < until => return ElectionAction::Wait { until },
                Role::Holder(_) => self.next = NextRequest::Renew,
                Role::Candidate | Role::Releasing { .. } => self.next = NextRequest::Read,
            }
        }
        let Some(request) = self.request(in_microseconds(now.wall)) else { return ElectionAction::Stop };
        let timeout = now.at + self.timing.request_timeout();
        let until = match &self.role {
            Role::Holder(hold) => timeout.min(hold.validity.lost_at),
            Role::Releasing { by, .. } => timeout.min(*by),
            Role::Candidate | Role::Stopped => timeout,
        };
        ElectionAction::Send { request, until }
    }

    /// Handles the response to the request that was sent at `sent`.
    pub(super) fn on_response(&mut self, response: LeaseResponse, sent: Instant, now: Instant) {
        if let LeaseResponse::Lease(lease) = &response {
            self.observe(lease, now);
        }
        let sent_request = std::mem::replace(&mut self.next, NextRequest::Wait(now));
        self.next = match (&self.role, sent_request) {
            (Role::Stopped, _) | (_, NextRequest::Wait(_)) => NextRequest::Wait(now),
            (Role::Candidate, NextRequest::Read) => self.candidate_read(response, now),
            (Role::Candidate, _) => self.candidate_wrote(response, sent, now),
            (Role::Holder(_), NextRequest::Read) => self.holder_read(response, now),
            (Role::Holder(_), wrote) => self.holder_wrote(response, wrote, sent, now),
            (Role::Releasing { .. }, NextRequest::Read) => self.releasing_read(response, now),
            (Role::Releasing { .. }, _) => self.releasing_wrote(response, now),
        };
    }

    /// The validity of the lease, if this replica holds it.
    pub(super) fn validity(&self) -> Option<LeaseValidity> {
        match &self.role {
            Role::Holder(hold) => Some(hold.validity),
            _ => None,
        }
    }

    /// The number of the current term, or of the last one.
    pub(super) fn term(&self) -> u64 {
        self.terms
    }

    /// The holder of the lease, as last observed.
    pub(super) fn holder(&self) -> Option<&str> {
        self.observed.as_ref()?.holder()
    }

    /// When the record was last observed to have changed.
    pub(super) fn changed_at(&self) -> Option<Instant> {
        Some(self.observed.as_ref()?.changed_at)
    }

    /// How many renewals had to read the lease first.
    pub(super) fn slow_paths(&self) -> u64 {
        self.slow_paths
    }

    /// Whether the pending request can acquire, renew or release the lease. Then its response must be awaited.
    pub(super) fn is_writing(&self) -> bool {
        matches!(self.next, NextRequest::Renew | NextRequest::Write(_) | NextRequest::Create)
            || matches!(self.role, Role::Releasing { .. })
    }

    /// Ends the term. The lease may still be ours on the server.
    pub(super) fn lose(&mut self, now: Instant) {
        self.role = Role::Candidate;
        self.next = NextRequest::Wait(now);
    }

    /// Releases the lease, if this replica holds it. All work of the term must have ended.
    pub(super) fn release(&mut self, now: Instant) {
        self.role = match std::mem::replace(&mut self.role, Role::Stopped) {
            Role::Holder(hold) => {
                Role::Releasing { acquired: hold.acquired, by: now + self.timing.renew_deadline }
            }
            releasing @ Role::Releasing { .. } => releasing,
            Role::Candidate | Role::Stopped => Role::Stopped,
        };
        self.next = NextRequest::Wait(now);
    }

    /// Stops without releasing the lease.
    pub(super) fn stop(&mut self, now: Instant) {
        self.role = Role::Stopped;
        self.next = NextRequest::Wait(now);
    }
}

impl ElectionStateMachine {
    fn request(&self, wall: Timestamp) -> Option<LeaseRequest> {
        let template = &self.template;
        let replace = |lease| Some(LeaseRequest::Replace(Box::new(lease)));
        let create = |lease| Some(LeaseRequest::Create(Box::new(lease)));
        match (&self.role, &self.next) {
            (Role::Stopped, _) | (_, NextRequest::Wait(_)) => None,
            (_, NextRequest::Read) => Some(LeaseRequest::Read),
            (Role::Candidate, NextRequest::Write(lease)) => replace(template.taken(lease, wall)),
            (Role::Holder(_), NextRequest::Write(lease)) => replace(template.renewed(lease, wall)),
            (Role::Releasing { .. }, NextRequest::Write(lease)) => replace(template.released(lease, wall)),
            (Role::Holder(hold), NextRequest::Renew) => replace(template.renewed(&hold.lease, wall)),
            (Role::Holder(hold), NextRequest::Create) => create(template.recreated(&hold.lease, wall)),
            (_, NextRequest::Create) => create(template.created(wall)),
            (_, NextRequest::Renew) => Some(LeaseRequest::Read),
        }
    }

    fn observe(&mut self, lease: &Lease, now: Instant) {
        match &mut self.observed {
            Some(observed) => observed.update(lease, now),
            None => self.observed = Some(ObservedRecord::first(lease, now)),
        }
    }

    /// Candidates wait for a random time, so that they do not send their requests at the same moment again and again.
    fn wait(&mut self, now: Instant) -> NextRequest {
        NextRequest::Wait(now + self.timing.retry_jittered(&mut self.rng))
    }

    fn candidate_read(&mut self, response: LeaseResponse, now: Instant) -> NextRequest {
        let write = match response {
            LeaseResponse::Lease(lease) => NextRequest::Write(lease),
            LeaseResponse::NotFound => {
                if let Some(observed) = &mut self.observed {
                    observed.set_deleted(now);
                }
                NextRequest::Create
            }
            LeaseResponse::Conflict | LeaseResponse::Failed => return self.wait(now),
        };
        let is_takeable = self
            .observed
            .as_ref()
            .is_none_or(|observed| now >= observed.takeable_at(self.timing.lease_duration));
        if is_takeable { write } else { self.wait(now) }
    }

    fn candidate_wrote(&mut self, response: LeaseResponse, sent: Instant, now: Instant) -> NextRequest {
        let validity = self.validity_from(sent);
        match response {
            LeaseResponse::Lease(lease) if now < validity.lost_at => {
                let acquired = lease.spec.as_ref().and_then(|spec| spec.acquire_time.clone());
                self.terms += 1;
                self.role = Role::Holder(HeldLease { validity, lease, acquired });
                NextRequest::Wait(now + self.timing.retry_period)
            }
            _ => self.wait(now),
        }
    }

    fn holder_read(&mut self, response: LeaseResponse, now: Instant) -> NextRequest {
        let Role::Holder(hold) = &mut self.role else { return NextRequest::Wait(now) };
        match response {
            LeaseResponse::Lease(lease) if self.template.is_ours(&lease, &hold.acquired) => {
                hold.lease = lease.clone();
                NextRequest::Write(lease)
            }
            LeaseResponse::Lease(_) => {
                self.lose(now);
                self.wait(now)
            }
            LeaseResponse::NotFound => NextRequest::Create,
            LeaseResponse::Conflict | LeaseResponse::Failed => {
                NextRequest::Wait(now + self.timing.retry_period)
            }
        }
    }

    fn holder_wrote(
        &mut self,
        response: LeaseResponse,
        wrote: NextRequest,
        sent: Instant,
        now: Instant,
    ) -> NextRequest {
        let validity = self.validity_from(sent);
        let Role::Holder(hold) = &mut self.role else { return NextRequest::Wait(now) };
        match (response, wrote) {
            // A late response renews nothing: the term has ended, and readers may have noticed that by the clock.
            (LeaseResponse::Lease(_), _) if now >= hold.validity.lost_at => NextRequest::Wait(now),
            (LeaseResponse::Lease(lease), _) => {
                (hold.validity, hold.lease) = (validity, lease);
                NextRequest::Wait(now + self.timing.retry_period)
            }
            (_, NextRequest::Renew) => {
                self.slow_paths += 1;
                NextRequest::Read
            }
            _ => NextRequest::Wait(now + self.timing.retry_period),
        }
    }

    fn releasing_read(&mut self, response: LeaseResponse, now: Instant) -> NextRequest {
        match (&self.role, response) {
            (Role::Releasing { acquired, .. }, LeaseResponse::Lease(lease))
                if self.template.is_ours(&lease, acquired) =>
            {
                NextRequest::Write(lease)
            }
            // The lease has another holder, was deleted, or can't be read: it expires by itself.
            _ => {
                self.role = Role::Stopped;
                NextRequest::Wait(now)
            }
        }
    }

    fn releasing_wrote(&mut self, response: LeaseResponse, now: Instant) -> NextRequest {
        match (&self.role, response) {
            (Role::Releasing { by, .. }, LeaseResponse::Conflict) if now + RELEASE_RETRY < *by => {
                NextRequest::Wait(now + RELEASE_RETRY)
            }
            _ => {
                self.role = Role::Stopped;
                NextRequest::Wait(now)
            }
        }
    }

    fn validity_from(&self, sent: Instant) -> LeaseValidity {
        LeaseValidity { lost_at: sent + self.timing.validity(), expires_at: sent + self.timing.expiry() }
    }
}
