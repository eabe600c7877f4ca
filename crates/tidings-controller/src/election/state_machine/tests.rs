//! The decisions of one replica, case by case. `simulation` has several replicas.

use k8s_openapi::api::coordination::v1::LeaseSpec;

use super::*;

mod simulation;

const DAY_ONE: i64 = 1_750_000_000;

/// A state machine with its own clock.
struct Harness {
    machine: ElectionStateMachine,
    start: Instant,
    at: Duration,
    sent: Duration,
}

impl Harness {
    fn new() -> Self {
        Self::of(template("us"))
    }

    fn of(template: LeaseTemplate) -> Self {
        let start = Instant::now();
        let machine = ElectionStateMachine::new(ElectionTiming::default(), template, 7, start);
        Harness { machine, start, at: Duration::ZERO, sent: Duration::ZERO }
    }

    /// A state machine that has just acquired the returned lease.
    fn leading() -> (Self, Lease) {
        let mut harness = Harness::new();
        harness.reads(LeaseResponse::NotFound);
        let lease = versioned(harness.creates(), "1");
        harness.responds(LeaseResponse::Lease(Box::new(lease.clone())));
        assert!(harness.leads());
        (harness, lease)
    }

    fn advance(&mut self, time: Duration) {
        self.at += time;
    }

    fn now(&self) -> Instant {
        self.start + self.at
    }

    fn next_action(&mut self) -> ElectionAction {
        self.sent = self.at;
        let wall = Timestamp::from_second(DAY_ONE).unwrap() + self.at;
        self.machine.next_action(Now { at: self.start + self.at, wall })
    }

    fn responds(&mut self, response: LeaseResponse) {
        let (sent, now) = (self.start + self.sent, self.now());
        self.machine.on_response(response, sent, now);
    }

    #[track_caller]
    fn sends(&mut self) -> LeaseRequest {
        match self.next_action() {
            ElectionAction::Send { request, .. } => request,
            other => panic!("{other:?}, and not a request"),
        }
    }

    /// Waits until the next request is due, which must be a read.
    #[track_caller]
    fn reads(&mut self, response: LeaseResponse) {
        if let ElectionAction::Wait { until } = self.next_action() {
            self.at = until - self.start;
        }
        assert_eq!(self.sends(), LeaseRequest::Read);
        self.responds(response);
    }

    #[track_caller]
    fn replaces(&mut self) -> Lease {
        match self.sends() {
            LeaseRequest::Replace(lease) => *lease,
            other => panic!("{other:?}, and not a replacement"),
        }
    }

    #[track_caller]
    fn creates(&mut self) -> Lease {
        match self.sends() {
            LeaseRequest::Create(lease) => *lease,
            other => panic!("{other:?}, and not a creation"),
        }
    }

    fn leads(&self) -> bool {
        self.machine.validity().is_some_and(|validity| self.now() < validity.lost_at)
    }

    #[track_caller]
    fn waits(&mut self) -> Duration {
        match self.next_action() {
            ElectionAction::Wait { until } => until - self.now(),
            other => panic!("{other:?}, and not a rest"),
        }
    }
}

fn template(identity: &str) -> LeaseTemplate {
    LeaseTemplate {
        name: "lock".to_owned(),
        namespace: "default".to_owned(),
        identity: identity.to_owned(),
        labels: [("team".to_owned(), "ours".to_owned())].into(),
        lease_seconds: 15,
    }
}

fn versioned(mut lease: Lease, version: &str) -> Lease {
    lease.metadata.resource_version = Some(version.to_owned());
    lease
}

/// The lease of another replica, written `age` ago.
fn held_by(holder: &str, age: Duration) -> Lease {
    let then = MicroTime(Timestamp::from_second(DAY_ONE).unwrap() - age);
    let mut lease = versioned(template(holder).created(then.0), "8");
    change(&mut lease).lease_transitions = Some(3);
    lease
}

fn spec(lease: &Lease) -> &LeaseSpec {
    lease.spec.as_ref().expect("it has a spec")
}

fn change(lease: &mut Lease) -> &mut LeaseSpec {
    lease.spec.as_mut().expect("it has a spec")
}

fn lease(lease: &Lease) -> LeaseResponse {
    LeaseResponse::Lease(Box::new(lease.clone()))
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What a candidate writes when it reads the same lease twice, with this time in between. `None` if it does not write.
fn taken_after(found: &Lease, later: Duration) -> Option<Lease> {
    let mut harness = Harness::new();
    harness.reads(lease(found));
    if later > Duration::ZERO {
        assert!(matches!(harness.next_action(), ElectionAction::Wait { .. }), "taken at once: {found:?}");
        harness.advance(later);
        harness.reads(lease(found));
    }
    match harness.next_action() {
        ElectionAction::Send { request: LeaseRequest::Replace(lease), .. } => Some(*lease),
        ElectionAction::Wait { .. } => None,
        other => panic!("{other:?}"),
    }
}

// holds: E7
#[test]
fn a_lease_that_does_not_exist_is_created_and_held() {
    let (mut harness, lease) = Harness::leading();
    assert_eq!(spec(&lease).holder_identity.as_deref(), Some("us"));
    assert_eq!(spec(&lease).lease_transitions, Some(0));
    assert_eq!(spec(&lease).lease_duration_seconds, Some(15));
    assert_eq!(spec(&lease).acquire_time, spec(&lease).renew_time);
    assert_eq!(harness.waits(), seconds(2));
}

// holds: E5
#[test]
fn a_lease_is_never_taken_because_its_times_are_old() {
    for age in [Duration::ZERO, seconds(16), seconds(1_000_000)] {
        assert_eq!(taken_after(&held_by("other", age), Duration::ZERO), None);
    }
}

// holds: E5, E7
#[test]
fn a_lease_that_has_not_changed_for_its_duration_is_taken() {
    let old = held_by("other", Duration::ZERO);
    assert_eq!(taken_after(&old, seconds(14)), None);
    let new = taken_after(&old, seconds(15)).expect("it has expired");
    assert_eq!(spec(&new).holder_identity.as_deref(), Some("us"));
    assert_eq!(spec(&new).lease_transitions, Some(4));
    assert_eq!(spec(&new).acquire_time, spec(&new).renew_time);
    assert_eq!(new.metadata.resource_version.as_deref(), Some("8"));
}

// holds: E5
#[test]
fn the_lease_duration_written_in_the_record_counts_and_not_the_own_one() {
    let mut short = held_by("other", Duration::ZERO);
    change(&mut short).lease_duration_seconds = Some(4);
    assert_eq!(taken_after(&short, seconds(3)), None);
    assert!(taken_after(&short, seconds(4)).is_some());
    change(&mut short).lease_duration_seconds = Some(i32::MAX);
    assert_eq!(taken_after(&short, seconds(1_000_000)), None);
}

#[test]
fn an_unusable_lease_duration_is_replaced_by_the_own_one() {
    for nonsense in [None, Some(0), Some(-7), Some(i32::MIN)] {
        let mut odd = held_by("other", Duration::ZERO);
        change(&mut odd).lease_duration_seconds = nonsense;
        change(&mut odd).lease_transitions = Some(i32::MAX);
        assert_eq!(taken_after(&odd, seconds(14)), None, "{nonsense:?}");
        assert!(taken_after(&odd, seconds(15)).is_some(), "{nonsense:?}");
    }
}

// holds: E5
#[test]
fn each_observed_change_restarts_the_wait() {
    let mut harness = Harness::new();
    let mut theirs = held_by("other", Duration::ZERO);
    for _ in 0..5 {
        change(&mut theirs).renew_time =
            Some(MicroTime(Timestamp::from_second(DAY_ONE).unwrap() + harness.at));
        harness.reads(lease(&theirs));
        harness.waits();
        harness.advance(seconds(10));
    }
    assert!(!harness.leads());
}

// holds: E7
#[test]
fn a_released_lease_is_taken_at_once() {
    let old = template("other")
        .released(&held_by("other", Duration::ZERO), Timestamp::from_second(DAY_ONE).unwrap());
    let new = taken_after(&old, Duration::ZERO).expect("it was released");
    assert_eq!(spec(&new).lease_transitions, Some(4));
    let mut bare = old.clone();
    bare.spec = None;
    assert!(taken_after(&bare, Duration::ZERO).is_some());
}

#[test]
fn it_reports_holder_term_and_pending_write() {
    let said = |harness: &Harness| {
        let Harness { machine, .. } = harness;
        (machine.holder().map(str::to_owned), machine.term(), machine.is_writing())
    };
    let by = |holder: &str, term, is_writing| (Some(holder.to_owned()), term, is_writing);
    let mut harness = Harness::new();
    assert_eq!(said(&harness), (None, 0, false));
    let theirs = held_by("other", Duration::ZERO);
    for (term, version) in [(1, "9"), (2, "10")] {
        harness.reads(lease(&theirs));
        assert_eq!(said(&harness), by("other", term - 1, false));
        harness.advance(seconds(16));
        harness.reads(lease(&theirs));
        let taken = versioned(harness.replaces(), version);
        assert_eq!(said(&harness), by("other", term - 1, true));
        harness.responds(lease(&taken));
        assert_eq!(said(&harness), by("us", term, false));
        harness.machine.lose(harness.now());
    }
    let (mut harness, held) = Harness::leading();
    harness.machine.release(harness.now());
    assert!(harness.machine.is_writing(), "a pending release counts as a write");
    harness.reads(lease(&held));
    assert_eq!(said(&harness), by("us", 1, true));
    let released = harness.replaces();
    harness.responds(lease(&released));
    assert_eq!(said(&harness), (None, 1, false));
}

// Someone may have written our identity there while the former holder still relies on the lease.
#[test]
fn a_lease_with_the_own_identity_that_this_process_did_not_acquire_is_not_taken_early() {
    let named = held_by("us", Duration::ZERO);
    assert_eq!(taken_after(&named, Duration::ZERO), None);
    assert_eq!(taken_after(&named, seconds(14)), None);
    assert!(taken_after(&named, seconds(15)).is_some());
}

#[test]
fn a_deleted_lease_is_not_created_while_its_holder_may_rely_on_it() {
    let mut harness = Harness::new();
    harness.reads(lease(&held_by("other", Duration::ZERO)));
    harness.advance(seconds(100));
    harness.reads(LeaseResponse::NotFound);
    let gone_at = harness.at;
    while harness.at < gone_at + seconds(15) {
        harness.waits();
        harness.reads(LeaseResponse::NotFound);
    }
    harness.creates();
}

// holds: E3
#[test]
fn a_candidate_reads_again_after_the_retry_period_and_jitter() {
    let mut harness = Harness::new();
    for response in [LeaseResponse::Failed, LeaseResponse::Conflict, lease(&held_by("other", Duration::ZERO))]
    {
        harness.reads(response);
        let rest = harness.waits();
        assert!(rest >= seconds(2) && rest < Duration::from_millis(4400), "{rest:?}");
    }
}

#[test]
fn a_candidate_whose_write_fails_does_not_lead() {
    for response in [LeaseResponse::Conflict, LeaseResponse::Failed, LeaseResponse::NotFound] {
        let mut harness = Harness::new();
        harness.reads(LeaseResponse::NotFound);
        harness.creates();
        harness.responds(response);
        assert!(!harness.leads());
        harness.waits();
    }
}

// holds: E6, E7
#[test]
fn a_leader_renews_without_reading_and_keeps_the_acquire_time() {
    let (mut harness, mut held) = Harness::leading();
    for round in 2..6 {
        harness.advance(seconds(2));
        let renewed = harness.replaces();
        assert_eq!(spec(&renewed).acquire_time, spec(&held).acquire_time);
        assert_eq!(spec(&renewed).lease_transitions, Some(0));
        assert!(spec(&renewed).renew_time > spec(&held).renew_time);
        held = versioned(renewed, &round.to_string());
        harness.responds(lease(&held));
        assert!(harness.leads());
    }
    assert_eq!(harness.machine.slow_paths(), 0);
}

// holds: E6
#[test]
fn after_a_failed_renewal_the_lease_is_read_first_and_that_is_counted() {
    for response in [LeaseResponse::Conflict, LeaseResponse::Failed, LeaseResponse::NotFound] {
        let (mut harness, held) = Harness::leading();
        harness.advance(seconds(2));
        harness.replaces();
        harness.responds(response);
        harness.reads(lease(&versioned(held, "9")));
        let renewed = harness.replaces();
        assert_eq!(renewed.metadata.resource_version.as_deref(), Some("9"));
        harness.responds(lease(&versioned(renewed, "10")));
        assert_eq!(harness.machine.slow_paths(), 1);
        assert_eq!(harness.waits(), seconds(2));
    }
}

#[test]
fn a_leader_whose_write_fails_after_a_read_waits_for_the_retry_period() {
    let (mut harness, first) = Harness::leading();
    let due = harness.waits();
    harness.advance(due);
    harness.replaces();
    harness.responds(LeaseResponse::Conflict);
    harness.reads(lease(&first));
    harness.replaces();
    harness.responds(LeaseResponse::Failed);
    assert_eq!(harness.waits(), ElectionTiming::default().retry_period);
}

// holds: E4
#[test]
fn a_leader_retries_in_each_retry_period_until_the_renew_deadline_and_then_has_lost() {
    let (mut harness, _) = Harness::leading();
    let mut attempts = 0;
    while harness.leads() {
        assert_eq!(harness.waits(), seconds(2));
        harness.advance(seconds(2));
        if !harness.leads() {
            break;
        }
        harness.replaces();
        harness.responds(LeaseResponse::Failed);
        harness.reads(LeaseResponse::Failed);
        attempts += 1;
    }
    assert_eq!((attempts, harness.at), (4, seconds(10)));
    assert_eq!(harness.waits(), Duration::ZERO, "the loss is published before a request is sent");
    assert!(harness.machine.validity().is_none());
    assert_eq!(harness.sends(), LeaseRequest::Read);
}

#[test]
fn the_validity_counts_from_before_the_request_was_sent() {
    let (mut harness, _) = Harness::leading();
    harness.advance(seconds(2));
    let renewed = harness.replaces();
    harness.advance(seconds(4));
    harness.responds(lease(&renewed));
    let validity = harness.machine.validity().expect("it leads");
    assert_eq!(validity.lost_at, harness.start + seconds(2) + seconds(10));
    assert_eq!(validity.expires_at, harness.start + seconds(2) + seconds(15) * 9 / 11);
}

#[test]
fn no_request_waits_past_the_renew_deadline() {
    let (mut harness, _) = Harness::leading();
    let until = |step| match step {
        ElectionAction::Send { until, .. } => until,
        other => panic!("{other:?}"),
    };
    harness.advance(seconds(2));
    assert_eq!(until(harness.next_action()), harness.start + seconds(2 + 5));
    harness.advance(seconds(5));
    harness.responds(LeaseResponse::Failed);
    assert_eq!(until(harness.next_action()), harness.start + seconds(10));
}

#[test]
fn a_response_after_the_renew_deadline_renews_nothing() {
    let (mut harness, _) = Harness::leading();
    harness.advance(seconds(9));
    let renewed = harness.replaces();
    harness.advance(seconds(1));
    harness.responds(lease(&renewed));
    assert!(!harness.leads());
    harness.waits();
    assert!(harness.machine.validity().is_none());
    let mut late = Harness::new();
    late.reads(LeaseResponse::NotFound);
    let created = late.creates();
    late.advance(seconds(10));
    late.responds(lease(&created));
    assert!(late.machine.validity().is_none());
}

// holds: E5
#[test]
fn a_leader_that_reads_another_holder_has_lost_at_once() {
    let (mut harness, held) = Harness::leading();
    let mut twin = held.clone();
    change(&mut twin).acquire_time = Some(MicroTime(Timestamp::from_second(DAY_ONE + 1).unwrap()));
    for found in [held_by("other", Duration::ZERO), twin] {
        harness.advance(seconds(2));
        harness.replaces();
        harness.responds(LeaseResponse::Conflict);
        harness.reads(lease(&found));
        assert!(!harness.leads(), "{found:?}");
        (harness, _) = Harness::leading();
    }
}

#[test]
fn a_leader_whose_lease_was_deleted_creates_it_again() {
    let (mut harness, held) = Harness::leading();
    harness.advance(seconds(2));
    harness.replaces();
    harness.responds(LeaseResponse::NotFound);
    harness.reads(LeaseResponse::NotFound);
    let created = harness.creates();
    assert_eq!(created.metadata.resource_version, None);
    assert_eq!(spec(&created).acquire_time, spec(&held).acquire_time);
    harness.responds(lease(&created));
    assert!(harness.leads());
}

// Other replicas take an unchanged record for one that is not renewed.
#[test]
fn a_renewal_changes_the_record_even_if_the_wall_clock_stops_or_runs_back() {
    let noon = Timestamp::from_second(DAY_ONE).unwrap();
    let mut held = template("us").created(noon);
    for wall in [noon, noon, noon - seconds(3600)] {
        let next = template("us").renewed(&held, wall);
        assert!(spec(&next).renew_time > spec(&held).renew_time);
        held = next;
    }
}

// holds: E11
#[test]
fn the_own_labels_are_added_to_those_of_the_lease() {
    let mut found = held_by("other", Duration::ZERO);
    let labels = [("team", "theirs"), ("kept", "yes")];
    found.metadata.labels = Some(labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
    let wall = Timestamp::from_second(DAY_ONE).unwrap();
    for written in [template("us").taken(&found, wall), template("us").renewed(&found, wall)] {
        let labels = written.metadata.labels.expect("it has labels");
        assert_eq!(
            labels.into_iter().collect::<Vec<_>>(),
            [("kept".to_owned(), "yes".to_owned()), ("team".to_owned(), "ours".to_owned()),]
        );
    }
    let bare = LeaseTemplate { labels: Default::default(), ..template("us") };
    assert_eq!(bare.taken(&found, wall).metadata.labels, found.metadata.labels);
    found.metadata.labels = None;
    assert_eq!(bare.taken(&found, wall).metadata.labels, None);
}

// holds: E8
#[test]
fn a_release_reads_and_then_writes_an_empty_holder_and_a_duration_of_a_second() {
    let (mut harness, held) = Harness::leading();
    harness.machine.release(harness.now());
    assert!(!harness.leads());
    harness.reads(lease(&versioned(held, "5")));
    let released = harness.replaces();
    assert_eq!(released.metadata.resource_version.as_deref(), Some("5"));
    assert_eq!(spec(&released).holder_identity.as_deref(), Some(""));
    assert_eq!(spec(&released).lease_duration_seconds, Some(1));
    assert_eq!(spec(&released).lease_transitions, Some(0));
    harness.responds(lease(&released));
    assert_eq!(harness.next_action(), ElectionAction::Stop);
}

// holds: E8
#[test]
fn a_release_with_a_conflict_is_retried_until_the_renew_deadline() {
    let (mut harness, held) = Harness::leading();
    harness.machine.release(harness.now());
    let mut attempts = 0;
    while !matches!(harness.next_action(), ElectionAction::Stop) {
        harness.reads(lease(&held));
        harness.replaces();
        harness.responds(LeaseResponse::Conflict);
        attempts += 1;
    }
    assert!((150..=200).contains(&attempts), "{attempts}");
    assert!(harness.at <= seconds(10));
}

// holds: E8
#[test]
fn a_lease_with_another_holder_is_not_released() {
    for response in [lease(&held_by("other", Duration::ZERO)), LeaseResponse::NotFound, LeaseResponse::Failed]
    {
        let (mut harness, _) = Harness::leading();
        harness.machine.release(harness.now());
        harness.reads(response);
        assert_eq!(harness.next_action(), ElectionAction::Stop);
    }
    let mut candidate = Harness::new();
    candidate.machine.release(candidate.now());
    assert_eq!(candidate.next_action(), ElectionAction::Stop);
}
