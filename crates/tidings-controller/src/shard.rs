//! Sharding: the replicas of one controller share its keys, and each key has at most one owner at any time.
//!
//! Replicas that work on the same kind form a group. Each replica (a *member*) holds a Lease of its own, watches the
//! Leases of the others, and gives [permits](Shard::permit) for the keys that it owns. Members join, leave, crash and
//! lose their connection. About one key in *n* moves when one of *n* members does, and the new owner of a key waits for
//! the old one.
//!
//! # Protocol
//!
//! A **view** is a set of members; rendezvous hashing assigns each key to one of them. A member publishes in its Lease
//! the view that it uses, with the sequence number of the write. The keys that this view assigns to the member are its
//! **claim**. A claim warns all others; it does not yet permit anything.
//!
//! 1. **Target.** The target view of a member is all members with a live Lease, and itself.
//! 2. **Hand over.** If the target assigns a key to another member, this member gives no more permits for the key. It
//!    publishes the target when no permit for such a key is held any longer, and not before.
//! 3. **See the own write.** A published view takes effect when the cache of Leases shows the write that published it.
//!    Writes to Leases are totally ordered, and the cache applies them in that order. So the cache then shows every
//!    claim that is older than ours.
//! 4. **Permit.** A member permits a key if all of this holds: the view in effect, the view being published and the
//!    target all assign the key to it; no other live member claims the key; its own Lease was renewed within the renew
//!    deadline.
//! 5. **Stop.** A lease counts from the moment at which its renewal was *sent*. At the renew deadline the member
//!    refuses permits and [revokes](Permit::lost) the held ones. At 4/5 of the lease duration all permits must have
//!    ended, and the claim expires: what the member publishes later is a new claim, and step 3 applies to it.
//! 6. **Expire.** A member is dead if its Lease has not changed for its lease duration. The duration is measured by the
//!    observer's own clock, from when the observer saw the last change, *in a cache that is known to be fresh enough*:
//!    it shows an own write that was sent after that time. A stale cache declares no member dead.
//! 7. **Leave.** A member that stops hands over all keys, publishes that it claims nothing, and deletes its Lease. A
//!    Lease that is deleted without that record counts until it would have expired.
//!
//! Example: *b* joins a group in which *a* is alone.
//!
//! ```text
//! b publishes {a, b}                     a still claims all keys: b permits nothing (4)
//! a sees b; its target becomes {a, b}    a gives no more permits for the keys of b (2)
//! the last such permit of a is dropped   a publishes {a, b}
//! b's cache shows that write             no claim of a overlaps: b permits its keys
//! ```
//!
//! # Why two members never hold a permit for the same key
//!
//! Assume that *a* and *b* both held a permit for one key at one moment. Each had a claim on it then, without a gap
//! since a write *A* of *a* and a write *B* of *b*. Let *A* be the older write. *b* gave its permit by a cache that
//! showed *B* (3), and therefore showed the Lease of *a* as of *A* or later. There are three cases:
//!
//! - The cache showed the claim of *a*, and *a* alive. Then *b* gave no permit (4).
//! - The cache showed a later write of *a* without the claim. *a* sent it after its permit had ended (2, 7).
//! - The cache showed the claim of *a*, and *a* dead (6). *a* sent its last renewal before *b* saw it, and no other one
//!   until *b* sent a write a whole lease duration later. By then the permits of *a* had ended and its claim had
//!   expired (5): with clocks that are 10 % off, 4/5 of a lease duration on the slower clock (0.8 / 0.9) is less than a
//!   whole one on the faster clock (1 / 1.1). If *a* came back later, then *A* is newer than *B*, and the argument
//!   holds with the names exchanged.
//!
//! The times written in a Lease are never used. A write whose response got lost may be applied late, but never after a
//! later write, because each write names the version that it replaces.
//!
//! # Why each key gets an owner
//!
//! When nothing changes, all targets are the same view, and its claims do not overlap. Dead members expire within a
//! lease duration, and the others notice with their next renewal. A hand-over takes as long as the work that it waits
//! for, which is revoked after a [timeout](Sharding::hand_over_timeout). A key has no owner for at most the sum of
//! these times and a few round trips.
//!
//! # Limits
//!
//! A person who deletes the Lease of a living member removes its protection: the member stops as soon as it sees the
//! deletion, but a new member may be faster. No protocol helps against a holder that continues after its permit is
//! lost: by default the process is [aborted](Sharding::on_overrun). A member whose record can't be read, such as one of
//! a later version with another hash, counts as a claim on all keys. So later versions must publish the old format
//! while old members exist.
//!
//! One owner is not one writer: a request that the former owner of a key has sent may arrive late. See
//! [`Election`](crate::Election#one-leader-is-not-one-writer) for what to do about it.

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
