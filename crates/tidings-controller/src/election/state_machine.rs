//! One replica's part in the machine for a lease: what to ask the server next, and who leads.
//!
//! Pure: what was seen, local time and the outcome of the last request in; the next request out. It never asks a
//! clock or a server. Two rules keep two replicas from leading at once. A holder counts its validity from the read_clocks
//! *before* the request was sent that renewed the lease, and gives up in time whatever the server does. A candidate
//! takes a lease only when it has *seen* it unchanged for as long as is written in it, by its own clock, whoever's
//! name stands there: even its own, since what it wrote before is not known to be what it reads.

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

/// After a conflict a release is tried again this much later.
const RELEASE_RETRY: Duration = Duration::from_millis(50);

/// Now: by the local clock, which decides, and by the wall's, which is written down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) at: Instant,
    pub(super) wall: Timestamp,
}

/// What to do next.
#[derive(Debug, PartialEq)]
pub(super) enum ElectionAction {
    /// Ask the server; an answer that is not there by `until` has failed.
    Send { request: LeaseRequest, until: Instant },
    /// Nothing, until then.
    Wait { until: Instant },
    /// Nothing any more.
    Stop,
}

/// What the server is asked.
#[derive(Debug, PartialEq)]
pub(super) enum LeaseRequest {
    /// For the lease.
    Read,
    /// To make it.
    Create(Box<Lease>),
    /// To write it over the version that was seen.
    Replace(Box<Lease>),
}

/// How it answered.
#[derive(Debug)]
pub(super) enum LeaseResponse {
    /// With the lease, as read or as written.
    Lease(Box<Lease>),
    /// There is no such lease.
    NotFound,
    /// Somebody else was first.
    Conflict,
    /// Not, or not in time, or with something else: whether a write took effect is not known.
    Failed,
}

/// For how long a holder believes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LeaseValidity {
    /// Leadership is lost here unless it is renewed.
    pub(super) lost_at: Instant,
    /// From here on another replica could have the lease.
    pub(super) expires_at: Instant,
}

/// The machine, as one replica knows it.
#[derive(Debug)]
pub(super) struct ElectionStateMachine {
    timing: ElectionTiming,
    template: LeaseTemplate,
    rng: SmallRng,
    seen: Option<ObservedRecord>,
    role: Role,
    next: NextRequest,
    terms: u64,
    slow_paths: u64,
}

#[derive(Debug)]
enum Role {
    /// Wants the lease.
    Candidate,
    /// Has it.
    Holder(HeldLease),
    /// Had it, and gives it back by then.
    Releasing {
        acquired: Option<MicroTime>,
        by: Instant,
    },
    Stopped,
}

#[derive(Debug)]
struct HeldLease {
    validity: LeaseValidity,
    /// As the server last showed it to us.
    lease: Box<Lease>,
    acquired: Option<MicroTime>,
}

#[derive(Debug)]
enum NextRequest {
    Wait(Instant),
    Read,
    /// The lease as we hold it, without reading it first: the fast path.
    Renew,
    /// The lease as it was read, to be written in our name.
    Write(Box<Lease>),
    /// The lease is not there.
    Create,
}

impl ElectionStateMachine {
    /// Wants the lease from `now` on.
    pub(super) fn new(timing: ElectionTiming, template: LeaseTemplate, seed: u64, now: Instant) -> Self {
        let rng = SmallRng::seed_from_u64(seed);
        let (role, next) = (Role::Candidate, NextRequest::Wait(now));
        ElectionStateMachine { timing, template, rng, seen: None, role, next, terms: 0, slow_paths: 0 }
    }

    /// What to do next. The read_clocks `now` is the one that an answer to it is to be given with.
    pub(super) fn step(&mut self, now: Now) -> ElectionAction {
        if self.validity().is_some_and(|validity| now.at >= validity.lost_at) {
            self.lose(now.at);
            // Whoever acts on it is to be told before anything is asked.
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

    /// How the request that was sent at `sent` ended.
    pub(super) fn answer(&mut self, answer: LeaseResponse, sent: Instant, now: Instant) {
        if let LeaseResponse::Lease(lease) = &answer {
            self.see(lease, now);
        }
        let asked = std::mem::replace(&mut self.next, NextRequest::Wait(now));
        self.next = match (&self.role, asked) {
            (Role::Stopped, _) | (_, NextRequest::Wait(_)) => NextRequest::Wait(now),
            (Role::Candidate, NextRequest::Read) => self.candidate_read(answer, now),
            (Role::Candidate, _) => self.candidate_wrote(answer, sent, now),
            (Role::Holder(_), NextRequest::Read) => self.holder_read(answer, now),
            (Role::Holder(_), wrote) => self.holder_wrote(answer, wrote, sent, now),
            (Role::Releasing { .. }, NextRequest::Read) => self.releasing_read(answer, now),
            (Role::Releasing { .. }, _) => self.releasing_wrote(answer, now),
        };
    }

    /// For how long we believe in the lease that we hold.
    pub(super) fn validity(&self) -> Option<LeaseValidity> {
        match &self.role {
            Role::Holder(hold) => Some(hold.validity),
            _ => None,
        }
    }

    /// Which of our terms this is, or was last.
    pub(super) fn term(&self) -> u64 {
        self.terms
    }

    /// Who holds the lease, as last seen.
    pub(super) fn holder(&self) -> Option<&str> {
        self.seen.as_ref()?.holder()
    }

    /// When the record was last seen to change.
    pub(super) fn changed_at(&self) -> Option<Instant> {
        Some(self.seen.as_ref()?.changed_at)
    }

    /// How often a renewal had to read first.
    pub(super) fn slow_paths(&self) -> u64 {
        self.slow_paths
    }

    /// Whether an answer to the request under way could still make us hold the lease, or give it back.
    pub(super) fn is_writing(&self) -> bool {
        matches!(self.next, NextRequest::Renew | NextRequest::Write(_) | NextRequest::Create)
            || matches!(self.role, Role::Releasing { .. })
    }

    /// The term is over, though nobody else may have the lease.
    pub(super) fn lose(&mut self, now: Instant) {
        self.role = Role::Candidate;
        self.next = NextRequest::Wait(now);
    }

    /// Gives the lease back, if we hold it. Only when nobody acts on it any more.
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

    /// Leaves the lease as it is.
    pub(super) fn leave(&mut self, now: Instant) {
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

    fn see(&mut self, lease: &Lease, now: Instant) {
        match &mut self.seen {
            Some(seen) => seen.again(lease, now),
            None => self.seen = Some(ObservedRecord::first(lease, now)),
        }
    }

    /// A candidate that waits does so by rng, so that several do not keep meeting.
    fn wait(&mut self, now: Instant) -> NextRequest {
        NextRequest::Wait(now + self.timing.retry_jittered(&mut self.rng))
    }

    fn candidate_read(&mut self, answer: LeaseResponse, now: Instant) -> NextRequest {
        let write = match answer {
            LeaseResponse::Lease(lease) => NextRequest::Write(lease),
            LeaseResponse::NotFound => {
                if let Some(seen) = &mut self.seen {
                    seen.gone(now);
                }
                NextRequest::Create
            }
            LeaseResponse::Conflict | LeaseResponse::Failed => return self.wait(now),
        };
        let is_takeable = self.seen.as_ref().is_none_or(|seen| now >= seen.takeable_at(self.timing.lease));
        if is_takeable { write } else { self.wait(now) }
    }

    fn candidate_wrote(&mut self, answer: LeaseResponse, sent: Instant, now: Instant) -> NextRequest {
        let validity = self.valid_since(sent);
        match answer {
            LeaseResponse::Lease(lease) if now < validity.lost_at => {
                let acquired = lease.spec.as_ref().and_then(|spec| spec.acquire_time.clone());
                self.terms += 1;
                self.role = Role::Holder(HeldLease { validity, lease, acquired });
                NextRequest::Wait(now + self.timing.retry)
            }
            _ => self.wait(now),
        }
    }

    fn holder_read(&mut self, answer: LeaseResponse, now: Instant) -> NextRequest {
        let Role::Holder(hold) = &mut self.role else { return NextRequest::Wait(now) };
        match answer {
            LeaseResponse::Lease(lease) if self.template.is_ours(&lease, &hold.acquired) => {
                hold.lease = lease.clone();
                NextRequest::Write(lease)
            }
            LeaseResponse::Lease(_) => {
                self.lose(now);
                self.wait(now)
            }
            LeaseResponse::NotFound => NextRequest::Create,
            LeaseResponse::Conflict | LeaseResponse::Failed => NextRequest::Wait(now + self.timing.retry),
        }
    }

    fn holder_wrote(
        &mut self,
        answer: LeaseResponse,
        wrote: NextRequest,
        sent: Instant,
        now: Instant,
    ) -> NextRequest {
        let validity = self.valid_since(sent);
        let Role::Holder(hold) = &mut self.role else { return NextRequest::Wait(now) };
        match (answer, wrote) {
            // Too late an answer renews nothing: the term is over, and somebody may have been told so.
            (LeaseResponse::Lease(_), _) if now >= hold.validity.lost_at => NextRequest::Wait(now),
            (LeaseResponse::Lease(lease), _) => {
                (hold.validity, hold.lease) = (validity, lease);
                NextRequest::Wait(now + self.timing.retry)
            }
            (_, NextRequest::Renew) => {
                self.slow_paths += 1;
                NextRequest::Read
            }
            _ => NextRequest::Wait(now + self.timing.retry),
        }
    }

    fn releasing_read(&mut self, answer: LeaseResponse, now: Instant) -> NextRequest {
        match (&self.role, answer) {
            (Role::Releasing { acquired, .. }, LeaseResponse::Lease(lease))
                if self.template.is_ours(&lease, acquired) =>
            {
                NextRequest::Write(lease)
            }
            // Another's, or gone, or out of reach: it will expire.
            _ => {
                self.role = Role::Stopped;
                NextRequest::Wait(now)
            }
        }
    }

    fn releasing_wrote(&mut self, answer: LeaseResponse, now: Instant) -> NextRequest {
        match (&self.role, answer) {
            (Role::Releasing { by, .. }, LeaseResponse::Conflict) if now + RELEASE_RETRY < *by => {
                NextRequest::Wait(now + RELEASE_RETRY)
            }
            _ => {
                self.role = Role::Stopped;
                NextRequest::Wait(now)
            }
        }
    }

    fn valid_since(&self, sent: Instant) -> LeaseValidity {
        LeaseValidity { lost_at: sent + self.timing.validity(), expires_at: sent + self.timing.expiry() }
    }
}
