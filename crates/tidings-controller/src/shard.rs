//! Sharing the keys of one kind among many replicas: each key has one owner at any time.
//!
//! Replicas that work on the same kind form a group. Each holds a Lease of its own, watches those of the others, and
//! assigns [permits](Shard::permit) to work on the keys that are its own. Members come, leave, crash and are cut off;
//! about one key in *n* moves when one does, and whoever takes a key over waits for the one who had it.
//!
//! # Protocol
//!
//! A **view** is a set of members; rendezvous hashing says whose each key is in it. In its Lease a member publishes
//! the view that it acts upon, with the number of the write: the keys that are its own in that view are its
//! **claim**. A claim is a warning to all others, not yet a right.
//!
//! 1. **Target.** The view that a member wants is everyone whose Lease is alive, and itself.
//! 2. **Hand over.** A key that the target assigns to another is permitted no more. When no permit for such a key is
//!    held_permits any longer, and not before, the target is published.
//! 3. **See oneself.** A view counts when the cache of Leases shows the write that published it. OwnWrites to Leases are
//!    totally ordered and the cache takes them in that order, so it then shows every claim that is older than ours.
//! 4. **Permit.** A key is permitted if it is ours in the view that counts (and in the one that is about to replace
//!    it, and in the target), if no other member that is alive claims it, and if our lease was renewed within the
//!    renew deadline.
//! 5. **Stop.** A lease counts from the moment at which its renewal was *sent*. At the renew deadline permits are
//!    refused and holders [are told](Permit::lost); at 4/5 of the lease duration every permit must have ended, and
//!    the claim is void: what is published later is a new one, which must be seen anew.
//! 6. **Expire.** A member is dead when its Lease has not changed for its lease duration, measured by our own clock
//!    from the moment at which we saw the last change, *in a cache that is known to be that new*: it shows a write of
//!    our own that was sent after that time. A cache that lags behind kills nobody.
//! 7. **Leave.** A member that stops hands everything over, publishes that it claims nothing, and takes its Lease
//!    away. A Lease that vanishes without such a word counts until it would have expired.
//!
//! # Why it is safe
//!
//! Say *a* and *b* both held_permits a permit for one key at one moment. Each had a claim on it then, unbroken since a write
//! *A* of the one and *B* of the other; let *A* be the older. *b* gave its permit by a cache that showed *B* (3), and
//! therefore showed *a*'s Lease as of *A* or later. Then one of these holds:
//!
//! - It showed *a*'s claim, and *a* alive. Then *b* gave no permit (4).
//! - It showed a later write of *a* without the claim. That was sent after *a*'s permit had ended (2, 7).
//! - It showed *a*'s claim, and *a* dead (6). *a* sent its last renewal before *b* saw it, and had none until *b* sent
//!   a write a whole lease duration later. By then *a*'s permits had ended and its claim was void (5): with clocks
//!   that run 10 % wrong, 4/5 of a lease duration on the slower one (0.8 / 0.9) is less than a whole one on the
//!   faster (1 / 1.1). If *a* came back later, *A* is newer than *B*, and the argument holds with the names exchanged.
//!
//! Nothing is judged by the times written in a Lease. A write whose answer got lost may be applied late, but never
//! after a later one, since each names the version that it replaces.
//!
//! # Why every key finds an owner
//!
//! Once nothing changes, all targets are the same view, and its claims do not overlap. The dead expire within a lease
//! duration, their end is seen with the next renewal, and hand-overs take as long as the work they wait for, which is
//! told to end after a [grace](Sharding::hand_over_timeout). A key is thus ownerless for no longer than the sum of
//! these and of a few round trips.
//!
//! # What it can't do
//!
//! Whoever deletes the Lease of a living member by hand takes its protection away: it stops as soon as it sees that,
//! but a newcomer may be quicker. A holder that goes on when its permit is lost is beyond any protocol: by default the
//! process is [aborted](Sharding::on_overrun). A member whose record can't be read, such as one of a later version
//! with other hashing, claims every key: later versions have to speak the old way while old members are there.
//!
//! One owner is not one writer: a request that the former owner of a key has sent may arrive late. See
//! [elections](crate::Election#one-leader-is-not-one-writer) for what to do about it.

mod fence;
mod handle;
mod lease;
mod member;
mod own_writes;
mod ownership;
mod peers;
mod record;
mod sharding;
#[cfg(test)]
mod simulation;
mod task;
mod timing;
mod view;

pub use handle::{Permit, Shard, ShardStatus};
pub use sharding::Sharding;
pub use task::ShardTask;
