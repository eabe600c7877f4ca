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

/// A member that has observed an empty group, and whose first write has not been answered.
fn writing(begin: Instant) -> Member {
    let mut member = Member::new("a".into(), "lease-a".into(), TIMING);
    member.observe(begin, vec![]);
    assert!(matches!(member.next(begin), MemberAction::Write(_)));
    member
}

#[test]
fn a_write_renews_from_its_start_if_it_is_answered_before_permits_would_end() {
    let begin = Instant::now();
    let in_time = TIMING.permits_end() - Duration::from_nanos(1);
    for (answered_after, valid_until) in
        [(in_time, Some(begin + TIMING.renew_deadline)), (TIMING.permits_end(), None)]
    {
        let mut member = writing(begin);
        member.written(begin + answered_after, LeaseWriteResult::Done);
        assert_eq!(member.valid_until(), valid_until, "{answered_after:?}");
    }
}

#[test]
fn an_older_write_that_the_cache_shows_does_not_move_the_renewal_back() {
    let begin = Instant::now();
    let mut member = alone(begin);
    let first = write(&mut member, begin + seconds(2));
    write(&mut member, begin + seconds(4));
    member.observe(begin + seconds(5), vec![first]);
    assert_eq!(member.valid_until(), Some(begin + seconds(4) + TIMING.renew_deadline));
}

#[test]
fn a_renewal_after_the_renew_deadline_reports_that_refused_keys_may_be_permitted() {
    let begin = Instant::now();
    for (renewed_at, is_changed) in
        [(seconds(2), false), (TIMING.renew_deadline, true), (TIMING.renew_deadline + seconds(1), true)]
    {
        let mut member = alone(begin);
        member.effects_mut().is_changed = false;
        let renewal = write(&mut member, begin + renewed_at);
        assert_eq!(member.effects_mut().is_changed, is_changed, "{renewed_at:?}");
        // The same write in the cache is no further renewal.
        member.effects_mut().is_changed = false;
        member.observe(begin + renewed_at + TIMING.renew_deadline, vec![renewal]);
        assert!(!member.effects_mut().is_changed);
    }
}

#[test]
fn a_change_of_ownership_is_reported_once() {
    let begin = Instant::now();
    let mut member = Member::new("a".into(), "lease-a".into(), TIMING);
    member.observe(begin, vec![]);
    let own = write(&mut member, begin);
    for is_changed in [true, false] {
        member.effects_mut().is_changed = false;
        member.observe(begin, vec![own.clone()]);
        assert_eq!(member.effects_mut().is_changed, is_changed);
    }
}

#[test]
fn another_view_is_published_only_after_the_cache_shows_the_one_before_unless_the_member_leaves() {
    let begin = Instant::now();
    let mut member = writing(begin);
    member.written(begin, LeaseWriteResult::Done);
    member.observe(begin + seconds(1), vec![other()]);
    assert_eq!(member.next(begin + seconds(1)), MemberAction::Wait(Some(begin + TIMING.retry_period)));
    member.leave(begin + seconds(1));
    assert_eq!(write(&mut member, begin + seconds(1)).record.claim, Claim::Nothing);
}

#[test]
fn a_member_waits_for_a_pending_write_until_the_next_deadline() {
    let begin = Instant::now();
    let mut member = alone(begin);
    let later = begin + TIMING.retry_period;
    assert!(matches!(member.next(later), MemberAction::Write(_)));
    assert_eq!(member.next(later), MemberAction::Wait(Some(begin + TIMING.renew_deadline)));
    let mut member = writing(begin);
    assert_eq!(member.next(begin), MemberAction::Wait(None));
    member.leave(begin);
    assert_eq!(member.next(begin), MemberAction::Wait(Some(begin + TIMING.permits_end())));
}

#[test]
fn a_member_that_never_wrote_leaves_at_once_and_one_whose_write_failed_when_its_claim_has_expired() {
    let begin = Instant::now();
    let mut member = Member::new("a".into(), "lease-a".into(), TIMING);
    member.leave(begin);
    assert_eq!(member.next(begin), MemberAction::Left);

    let mut member = writing(begin);
    member.leave(begin);
    member.written(begin, LeaseWriteResult::Failed);
    let expiry = begin + TIMING.permits_end();
    for at in [begin, expiry - Duration::from_nanos(1)] {
        let MemberAction::Write(record) = member.next(at) else { panic!("{member:?}") };
        assert_eq!(record.claim, Claim::Nothing);
        member.written(at, LeaseWriteResult::Failed);
    }
    assert_eq!(member.next(expiry), MemberAction::Left);
}

#[test]
fn a_member_that_leaves_deletes_its_lease_after_a_retry_period_even_if_the_cache_is_late() {
    let begin = Instant::now();
    let mut member = alone(begin);
    member.leave(begin);
    write(&mut member, begin);
    assert_eq!(member.next(begin + TIMING.retry_period), MemberAction::DeleteOwn);
}

#[test]
fn permits_of_keys_that_are_handed_over_are_waited_for() {
    let begin = Instant::now();
    let mut member = alone(begin);
    assert!(member.permit(begin, 1, &Key::parse("default/x").unwrap()));
    assert!(member.permit(begin, 2, &Key::parse("default/y").unwrap()));
    assert_eq!((member.held_permit_count(), member.waits_for_permits()), (2, false));
    member.leave(begin);
    assert_eq!((member.held_permit_count(), member.waits_for_permits()), (2, true));
    (1..=2).for_each(|id| member.ended(begin, id));
    assert_eq!((member.held_permit_count(), member.waits_for_permits()), (0, false));
}

#[test]
fn a_cache_is_stale_if_it_shows_no_own_write_of_the_last_lease_duration() {
    let begin = Instant::now();
    assert!(writing(begin).is_cache_stale(begin));
    let member = alone(begin);
    let last = begin + TIMING.lease_duration;
    assert!(!member.is_cache_stale(last) && member.is_cache_stale(last + Duration::from_nanos(1)));
}

#[test]
fn the_watchdog_checks_next_at_the_first_deadline_that_has_not_passed() {
    let begin = Instant::now();
    let mut member = alone(begin);
    let (renew_deadline, end) = (begin + TIMING.renew_deadline, begin + TIMING.permits_end());
    for (now, next) in [(begin, Some(renew_deadline)), (renew_deadline, Some(end)), (end, None)] {
        assert_eq!(member.check_fence(now).next, next);
    }
}

#[test]
fn the_watchdog_of_a_closed_member_ends_when_its_permits_have_ended_or_are_reported() {
    let begin = Instant::now();
    let key = Key::parse("default/x").unwrap();
    let end = begin + TIMING.permits_end();
    for is_ended in [false, true] {
        let mut member = alone(begin);
        assert!(member.permit(begin, 7, &key));
        assert!(!member.check_fence(begin).is_over);
        member.close();
        assert!(!member.check_fence(begin).is_over, "the permit is held");
        if is_ended {
            member.ended(begin, 7);
            assert!(member.check_fence(begin).is_over);
        } else {
            let check = member.check_fence(end);
            assert_eq!((check.overrun, check.is_over), (Some((end, vec![key.clone()])), true));
        }
    }
}
