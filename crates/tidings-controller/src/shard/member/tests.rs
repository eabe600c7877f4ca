//! One member and one other, step by step.

use std::time::Duration;

use super::*;
use crate::shard::peers::LeaseVersion;

const TIMING: ShardTiming = ShardTiming {
    lease_duration: Duration::from_secs(15),
    renew_deadline: Duration::from_secs(10),
    retry_period: Duration::from_secs(2),
    hand_over_timeout: Duration::from_secs(30),
};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn seen(name: &str, record: MemberRecord) -> ObservedLease {
    let version = LeaseVersion { uid: name.into(), version: record.sequence.to_string().into() };
    ObservedLease { name: name.into(), version, record }
}

/// Another member that claims all keys.
fn other() -> ObservedLease {
    let claim = Claim::Own(Arc::new(GroupView::of(["b".into()])));
    let record =
        MemberRecord { identity: "b".into(), lease_duration: TIMING.lease_duration, sequence: 1, claim };
    seen("lease-b", record)
}

/// The write of the member at this time. It succeeds at once.
fn write(member: &mut Member, now: Instant) -> ObservedLease {
    let MemberAction::Write(record) = member.next(now) else { panic!("{member:?}") };
    member.written(now, LeaseWriteResult::Done);
    seen("lease-a", record)
}

fn permits(member: &mut Member, now: Instant) -> bool {
    let key = Key::parse("default/x").unwrap();
    let is_ours = member.permit(now, 0, &key);
    member.ended(now, 0);
    is_ours
}

#[test]
fn a_stale_cache_declares_no_member_dead() {
    let begin = Instant::now();
    let mut member = Member::new("a".into(), "lease-a".into(), TIMING);
    member.observe(begin, vec![other()]);
    let mut own_writes = Vec::new();
    for sequence in 0..30 {
        own_writes.push(write(&mut member, begin + seconds(2 * sequence)));
    }
    // A minute has passed. The cache shows the own write of second 4, then of second 14, then of second 16.
    let now = begin + seconds(59);
    for (shown, is_dead) in [(2, false), (7, false), (8, true)] {
        member.observe(now, vec![other(), own_writes[shown].clone()]);
        assert_eq!(!member.target().members().any(|member| **member == *"b"), is_dead, "write {shown}");
        assert!(is_dead || !permits(&mut member, now), "b may still be working");
    }
    let published = write(&mut member, now);
    member.observe(now, vec![other(), published]);
    assert!(permits(&mut member, now));
}

#[test]
fn a_lease_that_is_deleted_without_leaving_counts_until_it_would_have_expired() {
    for has_left in [false, true] {
        let begin = Instant::now();
        let mut member = Member::new("a".into(), "lease-a".into(), TIMING);
        member.observe(begin, vec![other()]);
        let first = write(&mut member, begin);
        member.observe(begin, vec![other(), first.clone()]);
        member.observe(begin + seconds(1), vec![first]);
        let mut own = write(&mut member, begin + seconds(1));
        member.observe(begin + seconds(1), vec![own]);
        assert!(!permits(&mut member, begin + seconds(1)), "b may still be working");
        if has_left {
            member.member_left(begin + seconds(2), "lease-b");
            assert!(permits(&mut member, begin + seconds(2)));
            continue;
        }
        for at in (3..15).step_by(2) {
            own = write(&mut member, begin + seconds(at));
            member.observe(begin + seconds(at), vec![own]);
            assert!(!permits(&mut member, begin + seconds(at)), "after {at} s");
        }
        own = write(&mut member, begin + seconds(15));
        member.observe(begin + seconds(15), vec![own]);
        assert!(permits(&mut member, begin + seconds(15)));
    }
}

/// A member without others, when the cache shows its first write.
fn alone(begin: Instant) -> Member {
    let mut member = Member::new("a".into(), "lease-a".into(), TIMING);
    member.observe(begin, vec![]);
    let first = write(&mut member, begin);
    member.observe(begin, vec![first]);
    assert!(permits(&mut member, begin));
    member
}

#[test]
fn a_member_writes_once_each_retry_period() {
    let begin = Instant::now();
    let mut member = alone(begin);
    for sequence in 1..4 {
        let due = begin + TIMING.retry_period * sequence;
        assert_eq!(member.next(due - seconds(1)), MemberAction::Wait(Some(due)));
        write(&mut member, due);
    }
}

#[test]
fn a_member_whose_lease_was_deleted_starts_with_a_new_claim() {
    let begin = Instant::now();
    let mut member = alone(begin);
    member.observe(begin + seconds(1), vec![]);
    assert!(!permits(&mut member, begin + seconds(1)), "a new member would not see its claim");
    let again = write(&mut member, begin + seconds(1));
    assert!(!permits(&mut member, begin + seconds(1)), "the cache does not show it yet");
    member.observe(begin + seconds(2), vec![again]);
    assert!(permits(&mut member, begin + seconds(2)));
}

// holds: X43
#[test]
fn work_under_a_lease_that_was_deleted_is_fenced_when_that_lease_would_have_expired() {
    let begin = Instant::now();
    let mut member = alone(begin);
    let key = Key::parse("default/x").unwrap();
    assert!(member.permit(begin, 7, &key));
    let deadline = begin + TIMING.permits_end();
    member.observe(begin + seconds(1), vec![]);
    assert_eq!(member.effects_mut().lost, [7], "its token is cancelled at once");
    for at in [1, 5] {
        let again = write(&mut member, begin + seconds(at));
        member.observe(begin + seconds(at), vec![again]);
    }
    assert!(permits(&mut member, begin + seconds(5)), "the member has a new claim");
    let check = member.check_fence(begin + seconds(6));
    assert_eq!((check.overrun, check.deadline), (None, Some(deadline)), "a renewal does not move it");
    write(&mut member, begin + seconds(11));
    assert_eq!(member.next(begin + seconds(11)), MemberAction::Wait(Some(deadline)));
    let check = member.check_fence(deadline);
    assert_eq!(check.overrun, Some((deadline, vec![key])));
    assert_eq!(member.check_fence(deadline).overrun, None, "it is reported once");
    member.ended(deadline, 7);
    assert_eq!(member.check_fence(deadline).deadline, None);
}

#[test]
fn a_first_write_that_the_cache_does_not_show_yet_is_no_deletion() {
    let begin = Instant::now();
    let mut member = Member::new("a".into(), "lease-a".into(), TIMING);
    member.observe(begin, vec![]);
    let first = write(&mut member, begin);
    member.observe(begin + seconds(1), vec![]);
    member.observe(begin + seconds(1), vec![first]);
    assert!(permits(&mut member, begin + seconds(1)));
}

#[test]
fn a_member_that_leaves_publishes_that_deletes_its_lease_and_has_left() {
    let begin = Instant::now();
    let mut member = alone(begin);
    member.leave(begin);
    assert!(!permits(&mut member, begin));
    let last = write(&mut member, begin);
    assert_eq!(last.record.claim, Claim::Nothing);
    assert_eq!(
        member.next(begin),
        MemberAction::Wait(Some(begin + TIMING.retry_period)),
        "others must be able to see it first"
    );
    member.observe(begin + seconds(1), vec![last]);
    assert_eq!(member.next(begin + seconds(1)), MemberAction::DeleteOwn);
    member.own_deleted();
    assert_eq!(member.next(begin + seconds(1)), MemberAction::Left);
}

// At the renew deadline itself all permits are revoked. One given at that moment would be lost when it is given.
#[test]
fn a_permit_is_given_until_the_renew_deadline_and_not_at_it() {
    let begin = Instant::now();
    let deadline = begin + TIMING.renew_deadline;
    let mut member = alone(begin);
    assert!(permits(&mut member, deadline - Duration::from_nanos(1)));
    assert!(!permits(&mut member, deadline));
}
