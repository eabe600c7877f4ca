//! Clocks that run wrong, in one runtime with one clock.
//!
//! A replica whose clock runs at a rate of 0.9 is a replica with a right clock whose every duration is longer by 1/0.9. So the
//! durations of its lease are scaled, and the duration that is written in a Lease is scaled back on the wire: others read
//! what its clock means by it. For example, a slow replica is configured with 110 s; its Leases say 99 s, and where
//! another's Lease says 99 s it reads 110 s.

use std::time::Duration;

use bytes::Bytes;
use tidings::controller::{Election, Sharding};

/// How fast a clock runs. Elections and shards allow for 10 % in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockRate {
    /// 10 % slow.
    Slow,
    /// Right.
    True,
    /// 10 % fast.
    Fast,
}

/// The lease duration by a right clock, in seconds. Divided by 0.9 and by 1.1 it is a whole number of two or three digits.
const LEASE_SECONDS: u32 = 99;

impl ClockRate {
    /// The lease duration in true seconds.
    fn lease_seconds(self) -> u32 {
        match self {
            Self::Slow => LEASE_SECONDS * 10 / 9,
            Self::True => LEASE_SECONDS,
            Self::Fast => LEASE_SECONDS * 10 / 11,
        }
    }

    /// How long a duration by this clock is in true time.
    fn scaled(self, duration: Duration) -> Duration {
        duration * self.lease_seconds() / LEASE_SECONDS
    }

    /// An election by this clock.
    pub(crate) fn election(self, election: Election) -> Election {
        election
            .lease_duration(Duration::from_secs(self.lease_seconds().into()))
            .renew_deadline(self.scaled(Duration::from_secs(66)))
            .retry_period(self.scaled(Duration::from_secs(13)))
    }

    /// A member of a group by this clock.
    pub(crate) fn sharding(self, sharding: Sharding) -> Sharding {
        sharding
            .lease_duration(Duration::from_secs(self.lease_seconds().into()))
            .renew_deadline(self.scaled(Duration::from_secs(60)))
            .retry_period(self.scaled(Duration::from_secs(13)))
            .hand_over_timeout(self.scaled(Duration::from_secs(30)))
    }

    /// What a replica writes, as others have to read it.
    pub(crate) fn outgoing(self, body: Bytes) -> Bytes {
        self.rewrite(body, self.lease_seconds(), LEASE_SECONDS)
    }

    /// What others record_write, as this replica has to read it.
    pub(crate) fn incoming(self, body: Bytes) -> Bytes {
        self.rewrite(body, LEASE_SECONDS, self.lease_seconds())
    }

    fn rewrite(self, body: Bytes, from: u32, to: u32) -> Bytes {
        match std::str::from_utf8(&body) {
            Ok(text) if self != Self::True => {
                let (from, to) = (field(from), field(to));
                text.replace(&from, &to).into()
            }
            _ => body,
        }
    }
}

fn field(seconds: u32) -> String {
    format!("\"leaseDurationSeconds\":{seconds}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_replica_means_longer_by_its_seconds() {
        let written = Bytes::from(field(110));
        assert_eq!(ClockRate::Slow.outgoing(written.clone()), field(99));
        assert_eq!(ClockRate::Slow.incoming(field(99).into()), field(110));
        assert_eq!(ClockRate::Fast.incoming(field(99).into()), field(90));
        assert_eq!(ClockRate::True.outgoing(written.clone()), written);
    }
}
