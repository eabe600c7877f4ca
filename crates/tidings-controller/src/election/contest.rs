//! One replica's part in the contest for a lease: what to ask the server next, and who leads.
//!
//! Pure: what was seen, local time and the outcome of the last request in; the next request out. It never asks a
//! clock or a server. Two rules keep two replicas from leading at once. A holder counts its belief from the moment
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

use super::record::{Pen, Seen, in_microseconds};
use super::timing::Timing;

#[cfg(test)]
mod tests;

/// After a conflict a release is tried again this much later.
const RELEASE_RETRY: Duration = Duration::from_millis(50);

/// Now: by the local clock, which decides, and by the wall's, which is written down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) at: Instant,
    pub(super) wall: Timestamp,
}

/// What to do next.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// Ask the server; an answer that is not there by `until` has failed.
    Ask { request: Request, until: Instant },
    /// Nothing, until then.
    Rest { until: Instant },
    /// Nothing any more.
    Over,
}

/// What the server is asked.
#[derive(Debug, PartialEq)]
pub(super) enum Request {
    /// For the lease.
    Read,
    /// To make it.
    Create(Box<Lease>),
    /// To write it over the version that was seen.
    Replace(Box<Lease>),
}

/// How it answered.
#[derive(Debug)]
pub(super) enum Answer {
    /// With the lease, as read or as written.
    Lease(Box<Lease>),
    /// There is no such lease.
    Missing,
    /// Somebody else was first.
    Conflict,
    /// Not, or not in time, or with something else: whether a write took effect is not known.
    Failed,
}

/// For how long a holder believes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Belief {
    /// Leadership is lost here unless it is renewed.
    pub(super) lost_at: Instant,
    /// From here on another replica could have the lease.
    pub(super) expires_at: Instant,
}

/// The contest, as one replica knows it.
#[derive(Debug)]
pub(super) struct Contest {
    timing: Timing,
    pen: Pen,
    chance: SmallRng,
    seen: Option<Seen>,
    role: Role,
    next: Next,
    terms: u64,
    slow_paths: u64,
}

#[derive(Debug)]
enum Role {
    /// Wants the lease.
    Candidate,
    /// Has it.
    Holder(Hold),
    /// Had it, and gives it back by then.
    Releasing {
        acquired: Option<MicroTime>,
        by: Instant,
    },
    Over,
}

#[derive(Debug)]
struct Hold {
    belief: Belief,
    /// As the server last showed it to us.
    lease: Box<Lease>,
    acquired: Option<MicroTime>,
}

#[derive(Debug)]
enum Next {
    Rest(Instant),
    Read,
    /// The lease as we hold it, without reading it first: the fast path.
    Renew,
    /// The lease as it was read, to be written in our name.
    Write(Box<Lease>),
    /// The lease is not there.
    Create,
}

impl Contest {
    /// Wants the lease from `now` on.
    pub(super) fn new(timing: Timing, pen: Pen, seed: u64, now: Instant) -> Self {
        let chance = SmallRng::seed_from_u64(seed);
        let (role, next) = (Role::Candidate, Next::Rest(now));
        Contest { timing, pen, chance, seen: None, role, next, terms: 0, slow_paths: 0 }
    }

    /// What to do next. The moment `now` is the one that an answer to it is to be given with.
    pub(super) fn step(&mut self, now: Moment) -> Step {
        if self.belief().is_some_and(|belief| now.at >= belief.lost_at) {
            self.lose(now.at);
            // Whoever acts on it is to be told before anything is asked.
            return Step::Rest { until: now.at };
        }
        if let Next::Rest(until) = self.next {
            match self.role {
                Role::Over => return Step::Over,
                _ if now.at < until => return Step::Rest { until },
                Role::Holder(_) => self.next = Next::Renew,
                Role::Candidate | Role::Releasing { .. } => self.next = Next::Read,
            }
        }
        let Some(request) = self.request(in_microseconds(now.wall)) else { return Step::Over };
        let timeout = now.at + self.timing.request_timeout();
        let until = match &self.role {
            Role::Holder(hold) => timeout.min(hold.belief.lost_at),
            Role::Releasing { by, .. } => timeout.min(*by),
            Role::Candidate | Role::Over => timeout,
        };
        Step::Ask { request, until }
    }

    /// How the request that was sent at `sent` ended.
    pub(super) fn answer(&mut self, answer: Answer, sent: Instant, now: Instant) {
        if let Answer::Lease(lease) = &answer {
            self.see(lease, now);
        }
        let asked = std::mem::replace(&mut self.next, Next::Rest(now));
        self.next = match (&self.role, asked) {
            (Role::Over, _) | (_, Next::Rest(_)) => Next::Rest(now),
            (Role::Candidate, Next::Read) => self.candidate_read(answer, now),
            (Role::Candidate, _) => self.candidate_wrote(answer, sent, now),
            (Role::Holder(_), Next::Read) => self.holder_read(answer, now),
            (Role::Holder(_), wrote) => self.holder_wrote(answer, wrote, sent, now),
            (Role::Releasing { .. }, Next::Read) => self.releasing_read(answer, now),
            (Role::Releasing { .. }, _) => self.releasing_wrote(answer, now),
        };
    }

    /// For how long we believe in the lease that we hold.
    pub(super) fn belief(&self) -> Option<Belief> {
        match &self.role {
            Role::Holder(hold) => Some(hold.belief),
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
        matches!(self.next, Next::Renew | Next::Write(_) | Next::Create)
            || matches!(self.role, Role::Releasing { .. })
    }

    /// The term is over, though nobody else may have the lease.
    pub(super) fn lose(&mut self, now: Instant) {
        self.role = Role::Candidate;
        self.next = Next::Rest(now);
    }

    /// Gives the lease back, if we hold it. Only when nobody acts on it any more.
    pub(super) fn release(&mut self, now: Instant) {
        self.role = match std::mem::replace(&mut self.role, Role::Over) {
            Role::Holder(hold) => {
                Role::Releasing { acquired: hold.acquired, by: now + self.timing.renew_deadline }
            }
            releasing @ Role::Releasing { .. } => releasing,
            Role::Candidate | Role::Over => Role::Over,
        };
        self.next = Next::Rest(now);
    }

    /// Leaves the lease as it is.
    pub(super) fn leave(&mut self, now: Instant) {
        self.role = Role::Over;
        self.next = Next::Rest(now);
    }
}

impl Contest {
    fn request(&self, wall: Timestamp) -> Option<Request> {
        let pen = &self.pen;
        let replace = |lease| Some(Request::Replace(Box::new(lease)));
        let create = |lease| Some(Request::Create(Box::new(lease)));
        match (&self.role, &self.next) {
            (Role::Over, _) | (_, Next::Rest(_)) => None,
            (_, Next::Read) => Some(Request::Read),
            (Role::Candidate, Next::Write(lease)) => replace(pen.taken(lease, wall)),
            (Role::Holder(_), Next::Write(lease)) => replace(pen.renewed(lease, wall)),
            (Role::Releasing { .. }, Next::Write(lease)) => replace(pen.released(lease, wall)),
            (Role::Holder(hold), Next::Renew) => replace(pen.renewed(&hold.lease, wall)),
            (Role::Holder(hold), Next::Create) => create(pen.recreated(&hold.lease, wall)),
            (_, Next::Create) => create(pen.created(wall)),
            (_, Next::Renew) => Some(Request::Read),
        }
    }

    fn see(&mut self, lease: &Lease, now: Instant) {
        match &mut self.seen {
            Some(seen) => seen.again(lease, now),
            None => self.seen = Some(Seen::first(lease, now)),
        }
    }

    /// A candidate that waits does so by chance, so that several do not keep meeting.
    fn wait(&mut self, now: Instant) -> Next {
        Next::Rest(now + self.timing.retry_jittered(&mut self.chance))
    }

    fn candidate_read(&mut self, answer: Answer, now: Instant) -> Next {
        let write = match answer {
            Answer::Lease(lease) => Next::Write(lease),
            Answer::Missing => {
                if let Some(seen) = &mut self.seen {
                    seen.gone(now);
                }
                Next::Create
            }
            Answer::Conflict | Answer::Failed => return self.wait(now),
        };
        let is_takeable = self.seen.as_ref().is_none_or(|seen| now >= seen.takeable_at(self.timing.lease));
        if is_takeable { write } else { self.wait(now) }
    }

    fn candidate_wrote(&mut self, answer: Answer, sent: Instant, now: Instant) -> Next {
        let belief = self.believed_since(sent);
        match answer {
            Answer::Lease(lease) if now < belief.lost_at => {
                let acquired = lease.spec.as_ref().and_then(|spec| spec.acquire_time.clone());
                self.terms += 1;
                self.role = Role::Holder(Hold { belief, lease, acquired });
                Next::Rest(now + self.timing.retry)
            }
            _ => self.wait(now),
        }
    }

    fn holder_read(&mut self, answer: Answer, now: Instant) -> Next {
        let Role::Holder(hold) = &mut self.role else { return Next::Rest(now) };
        match answer {
            Answer::Lease(lease) if self.pen.is_ours(&lease, &hold.acquired) => {
                hold.lease = lease.clone();
                Next::Write(lease)
            }
            Answer::Lease(_) => {
                self.lose(now);
                self.wait(now)
            }
            Answer::Missing => Next::Create,
            Answer::Conflict | Answer::Failed => Next::Rest(now + self.timing.retry),
        }
    }

    fn holder_wrote(&mut self, answer: Answer, wrote: Next, sent: Instant, now: Instant) -> Next {
        let belief = self.believed_since(sent);
        let Role::Holder(hold) = &mut self.role else { return Next::Rest(now) };
        match (answer, wrote) {
            // Too late an answer renews nothing: the term is over, and somebody may have been told so.
            (Answer::Lease(_), _) if now >= hold.belief.lost_at => Next::Rest(now),
            (Answer::Lease(lease), _) => {
                (hold.belief, hold.lease) = (belief, lease);
                Next::Rest(now + self.timing.retry)
            }
            (_, Next::Renew) => {
                self.slow_paths += 1;
                Next::Read
            }
            _ => Next::Rest(now + self.timing.retry),
        }
    }

    fn releasing_read(&mut self, answer: Answer, now: Instant) -> Next {
        match (&self.role, answer) {
            (Role::Releasing { acquired, .. }, Answer::Lease(lease))
                if self.pen.is_ours(&lease, acquired) =>
            {
                Next::Write(lease)
            }
            // Another's, or gone, or out of reach: it will expire.
            _ => {
                self.role = Role::Over;
                Next::Rest(now)
            }
        }
    }

    fn releasing_wrote(&mut self, answer: Answer, now: Instant) -> Next {
        match (&self.role, answer) {
            (Role::Releasing { by, .. }, Answer::Conflict) if now + RELEASE_RETRY < *by => {
                Next::Rest(now + RELEASE_RETRY)
            }
            _ => {
                self.role = Role::Over;
                Next::Rest(now)
            }
        }
    }

    fn believed_since(&self, sent: Instant) -> Belief {
        Belief { lost_at: sent + self.timing.belief(), expires_at: sent + self.timing.expiry() }
    }
}
