//! Simulates clocks that run too fast or too slow, in a runtime with one clock.
//!
//! A replica whose clock runs at 0.9 of the true rate behaves like a replica with a correct clock and durations that
//! are longer by 1/0.9. So the lease durations of the replica are scaled, and the duration inside a Lease is scaled
//! back when it crosses the network. Example: a slow replica is configured with 110 s. Its Leases say 99 s. A Lease of
//! another replica that says 99 s reads as 110 s.

use std::time::Duration;

use bytes::Bytes;
use tidings::controller::{Election, Sharding};

/// The rate of a clock. Elections and shards tolerate 10 % in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockRate {
    /// 10 % slow.
    Slow,
    /// Correct.
    True,
    /// 10 % fast.
    Fast,
}

/// The lease duration in seconds of a correct clock. Divided by 0.9 and by 1.1 it is a whole number of two or three
/// digits.
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

    /// Converts a duration of this clock to true time.
    fn scaled(self, duration: Duration) -> Duration {
        duration * self.lease_seconds() / LEASE_SECONDS
    }

    /// Configures an election for this clock.
    pub(crate) fn election(self, election: Election) -> Election {
        election
            .lease_duration(Duration::from_secs(self.lease_seconds().into()))
            .renew_deadline(self.scaled(Duration::from_secs(66)))
            .retry_period(self.scaled(Duration::from_secs(13)))
    }

    /// Configures a member of a shard group for this clock.
    pub(crate) fn sharding(self, sharding: Sharding) -> Sharding {
        sharding
            .lease_duration(Duration::from_secs(self.lease_seconds().into()))
            .renew_deadline(self.scaled(Duration::from_secs(60)))
            .retry_period(self.scaled(Duration::from_secs(13)))
            .hand_over_timeout(self.scaled(Duration::from_secs(30)))
    }

    /// Converts a Lease that this replica writes, for the other replicas.
    pub(crate) fn outgoing(self, body: Bytes) -> Bytes {
        self.rewrite(body, self.lease_seconds(), LEASE_SECONDS)
    }

    /// Converts a Lease of another replica, for this replica.
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
