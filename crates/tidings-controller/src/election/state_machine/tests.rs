//! What a replica decides, case by case. The simulation of several is in `simulation`.

use k8s_openapi::api::coordination::v1::LeaseSpec;

use super::*;

mod simulation;

const DAY_ONE: i64 = 1_750_000_000;

/// A machine at a clock of its own.
struct Scene {
    machine: ElectionStateMachine,
    start: Instant,
    at: Duration,
    sent: Duration,
}

impl Scene {
    fn new() -> Self {
        Self::of(template("us"))
    }

    fn of(template: LeaseTemplate) -> Self {
        let start = Instant::now();
        let machine = ElectionStateMachine::new(ElectionTiming::default(), template, 7, start);
        Scene { machine, start, at: Duration::ZERO, sent: Duration::ZERO }
    }

    /// One that has just acquired the lease that it returns.
    fn leading() -> (Self, Lease) {
        let mut scene = Scene::new();
        scene.reads(LeaseResponse::NotFound);
        let lease = versioned(scene.creates(), "1");
        scene.hears(LeaseResponse::Lease(Box::new(lease.clone())));
        assert!(scene.leads());
        (scene, lease)
    }

    fn pass(&mut self, time: Duration) {
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

    fn hears(&mut self, answer: LeaseResponse) {
        let (sent, now) = (self.start + self.sent, self.now());
        self.machine.on_response(answer, sent, now);
    }

    #[track_caller]
    fn asks(&mut self) -> LeaseRequest {
        match self.next_action() {
            ElectionAction::Send { request, .. } => request,
            other => panic!("{other:?}, and not a request"),
        }
    }

    /// Waits as told, then reads.
    #[track_caller]
    fn reads(&mut self, answer: LeaseResponse) {
        if let ElectionAction::Wait { until } = self.next_action() {
            self.at = until - self.start;
        }
        assert_eq!(self.asks(), LeaseRequest::Read);
        self.hears(answer);
    }

    #[track_caller]
    fn replaces(&mut self) -> Lease {
        match self.asks() {
            LeaseRequest::Replace(lease) => *lease,
            other => panic!("{other:?}, and not a replacement"),
        }
    }

    #[track_caller]
    fn creates(&mut self) -> Lease {
        match self.asks() {
            LeaseRequest::Create(lease) => *lease,
            other => panic!("{other:?}, and not a creation"),
        }
    }

    fn leads(&self) -> bool {
        self.machine.validity().is_some_and(|validity| self.now() < validity.lost_at)
    }

    #[track_caller]
    fn rests(&mut self) -> Duration {
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

/// A lease of another replica, as it was written `age` ago.
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

/// How a candidate goes on after a lease that it sees for the first time, `later`, and unchanged.
fn taken_after(found: &Lease, later: Duration) -> Option<Lease> {
    let mut scene = Scene::new();
    scene.reads(lease(found));
    if later > Duration::ZERO {
        assert!(matches!(scene.next_action(), ElectionAction::Wait { .. }), "taken at once: {found:?}");
        scene.pass(later);
        scene.reads(lease(found));
    }
    match scene.next_action() {
        ElectionAction::Send { request: LeaseRequest::Replace(lease), .. } => Some(*lease),
        ElectionAction::Wait { .. } => None,
        other => panic!("{other:?}"),
    }
}

// holds: E7
#[test]
fn a_lease_that_does_not_exist_is_created_and_held() {
    let (mut scene, lease) = Scene::leading();
    assert_eq!(spec(&lease).holder_identity.as_deref(), Some("us"));
    assert_eq!(spec(&lease).lease_transitions, Some(0));
    assert_eq!(spec(&lease).lease_duration_seconds, Some(15));
    assert_eq!(spec(&lease).acquire_time, spec(&lease).renew_time);
    assert_eq!(scene.rests(), seconds(2));
}

// holds: E5
#[test]
fn a_lease_is_never_taken_for_how_old_its_times_are() {
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
fn the_duration_written_in_the_record_counts_and_not_ours() {
    let mut short = held_by("other", Duration::ZERO);
    change(&mut short).lease_duration_seconds = Some(4);
    assert_eq!(taken_after(&short, seconds(3)), None);
    assert!(taken_after(&short, seconds(4)).is_some());
    change(&mut short).lease_duration_seconds = Some(i32::MAX);
    assert_eq!(taken_after(&short, seconds(1_000_000)), None);
}

#[test]
fn a_duration_that_makes_no_sense_counts_as_ours() {
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
fn each_change_that_is_seen_begins_the_wait_anew() {
    let mut scene = Scene::new();
    let mut theirs = held_by("other", Duration::ZERO);
    for _ in 0..5 {
        change(&mut theirs).renew_time = Some(MicroTime(Timestamp::from_second(DAY_ONE).unwrap() + scene.at));
        scene.reads(lease(&theirs));
        scene.rests();
        scene.pass(seconds(10));
    }
    assert!(!scene.leads());
}

// holds: E7
#[test]
fn a_released_lease_is_taken_at_once() {
    let old = template("other")
        .released(&held_by("other", Duration::ZERO), Timestamp::from_second(DAY_ONE).unwrap());
    let new = taken_after(&old, Duration::ZERO).expect("nobody holds it");
    assert_eq!(spec(&new).lease_transitions, Some(4));
    let mut bare = old.clone();
    bare.spec = None;
    assert!(taken_after(&bare, Duration::ZERO).is_some());
}

#[test]
fn it_says_who_holds_the_lease_in_which_term_and_whether_a_write_is_under_way() {
    let said = |scene: &Scene| {
        let Scene { machine, .. } = scene;
        (machine.holder().map(str::to_owned), machine.term(), machine.is_writing())
    };
    let by = |holder: &str, term, is_writing| (Some(holder.to_owned()), term, is_writing);
    let mut scene = Scene::new();
    assert_eq!(said(&scene), (None, 0, false));
    let theirs = held_by("other", Duration::ZERO);
    for (term, version) in [(1, "9"), (2, "10")] {
        scene.reads(lease(&theirs));
        assert_eq!(said(&scene), by("other", term - 1, false));
        scene.pass(seconds(16));
        scene.reads(lease(&theirs));
        let taken = versioned(scene.replaces(), version);
        assert_eq!(said(&scene), by("other", term - 1, true));
        scene.hears(lease(&taken));
        assert_eq!(said(&scene), by("us", term, false));
        scene.machine.lose(scene.now());
    }
    let (mut scene, held) = Scene::leading();
    scene.machine.release(scene.now());
    assert!(scene.machine.is_writing(), "until it is released, an answer may give it back");
    scene.reads(lease(&held));
    assert_eq!(said(&scene), by("us", 1, true));
    let released = scene.replaces();
    scene.hears(lease(&released));
    assert_eq!(said(&scene), (None, 1, false));
}

// An outsider may have put our name there while the former_terms holder still believes.
#[test]
fn our_own_name_in_a_lease_that_we_did_not_acquire_is_waited_for_like_another() {
    let named = held_by("us", Duration::ZERO);
    assert_eq!(taken_after(&named, Duration::ZERO), None);
    assert_eq!(taken_after(&named, seconds(14)), None);
    assert!(taken_after(&named, seconds(15)).is_some());
}

#[test]
fn a_lease_that_vanished_is_left_alone_for_as_long_as_its_holder_could_believe() {
    let mut scene = Scene::new();
    scene.reads(lease(&held_by("other", Duration::ZERO)));
    scene.pass(seconds(100));
    scene.reads(LeaseResponse::NotFound);
    let gone_at = scene.at;
    while scene.at < gone_at + seconds(15) {
        scene.rests();
        scene.reads(LeaseResponse::NotFound);
    }
    scene.creates();
}

// holds: E3
#[test]
fn a_candidate_looks_again_after_the_retry_period_and_jitter() {
    let mut scene = Scene::new();
    for answer in [LeaseResponse::Failed, LeaseResponse::Conflict, lease(&held_by("other", Duration::ZERO))] {
        scene.reads(answer);
        let rest = scene.rests();
        assert!(rest >= seconds(2) && rest < Duration::from_millis(4400), "{rest:?}");
    }
}

#[test]
fn a_candidate_whose_write_fails_does_not_lead() {
    for answer in [LeaseResponse::Conflict, LeaseResponse::Failed, LeaseResponse::NotFound] {
        let mut scene = Scene::new();
        scene.reads(LeaseResponse::NotFound);
        scene.creates();
        scene.hears(answer);
        assert!(!scene.leads());
        scene.rests();
    }
}

// holds: E6, E7
#[test]
fn a_leader_renews_without_reading_and_keeps_when_it_acquired() {
    let (mut scene, mut held) = Scene::leading();
    for round in 2..6 {
        scene.pass(seconds(2));
        let renewed = scene.replaces();
        assert_eq!(spec(&renewed).acquire_time, spec(&held).acquire_time);
        assert_eq!(spec(&renewed).lease_transitions, Some(0));
        assert!(spec(&renewed).renew_time > spec(&held).renew_time);
        held = versioned(renewed, &round.to_string());
        scene.hears(lease(&held));
        assert!(scene.leads());
    }
    assert_eq!(scene.machine.slow_paths(), 0);
}

// holds: E6
#[test]
fn a_renewal_that_fails_reads_first_and_is_counted() {
    for answer in [LeaseResponse::Conflict, LeaseResponse::Failed, LeaseResponse::NotFound] {
        let (mut scene, held) = Scene::leading();
        scene.pass(seconds(2));
        scene.replaces();
        scene.hears(answer);
        scene.reads(lease(&versioned(held, "9")));
        let renewed = scene.replaces();
        assert_eq!(renewed.metadata.resource_version.as_deref(), Some("9"));
        scene.hears(lease(&versioned(renewed, "10")));
        assert_eq!(scene.machine.slow_paths(), 1);
        assert_eq!(scene.rests(), seconds(2));
    }
}

// holds: E4
#[test]
fn a_leader_tries_every_retry_period_until_the_renew_deadline_and_then_has_lost() {
    let (mut scene, _) = Scene::leading();
    let mut tries = 0;
    while scene.leads() {
        assert_eq!(scene.rests(), seconds(2));
        scene.pass(seconds(2));
        if !scene.leads() {
            break;
        }
        scene.replaces();
        scene.hears(LeaseResponse::Failed);
        scene.reads(LeaseResponse::Failed);
        tries += 1;
    }
    assert_eq!((tries, scene.at), (4, seconds(10)));
    assert_eq!(scene.rests(), Duration::ZERO, "whoever acts is told before anything is asked");
    assert!(scene.machine.validity().is_none());
    assert_eq!(scene.asks(), LeaseRequest::Read);
}

#[test]
fn belief_is_counted_from_before_the_request_was_sent() {
    let (mut scene, _) = Scene::leading();
    scene.pass(seconds(2));
    let renewed = scene.replaces();
    scene.pass(seconds(4));
    scene.hears(lease(&renewed));
    let validity = scene.machine.validity().expect("it leads");
    assert_eq!(validity.lost_at, scene.start + seconds(2) + seconds(10));
    assert_eq!(validity.expires_at, scene.start + seconds(2) + seconds(15) * 9 / 11);
}

#[test]
fn no_answer_is_waited_for_past_the_renew_deadline() {
    let (mut scene, _) = Scene::leading();
    let until = |step| match step {
        ElectionAction::Send { until, .. } => until,
        other => panic!("{other:?}"),
    };
    scene.pass(seconds(2));
    assert_eq!(until(scene.next_action()), scene.start + seconds(2 + 5));
    scene.pass(seconds(5));
    scene.hears(LeaseResponse::Failed);
    assert_eq!(until(scene.next_action()), scene.start + seconds(10));
}

#[test]
fn an_answer_after_the_renew_deadline_renews_nothing() {
    let (mut scene, _) = Scene::leading();
    scene.pass(seconds(9));
    let renewed = scene.replaces();
    scene.pass(seconds(1));
    scene.hears(lease(&renewed));
    assert!(!scene.leads());
    scene.rests();
    assert!(scene.machine.validity().is_none());
    let mut late = Scene::new();
    late.reads(LeaseResponse::NotFound);
    let created = late.creates();
    late.pass(seconds(10));
    late.hears(lease(&created));
    assert!(late.machine.validity().is_none());
}

// holds: E5
#[test]
fn a_leader_that_reads_another_name_has_lost_at_once() {
    let (mut scene, held) = Scene::leading();
    let mut twin = held.clone();
    change(&mut twin).acquire_time = Some(MicroTime(Timestamp::from_second(DAY_ONE + 1).unwrap()));
    for found in [held_by("other", Duration::ZERO), twin] {
        scene.pass(seconds(2));
        scene.replaces();
        scene.hears(LeaseResponse::Conflict);
        scene.reads(lease(&found));
        assert!(!scene.leads(), "{found:?}");
        (scene, _) = Scene::leading();
    }
}

#[test]
fn a_leader_whose_lease_was_deleted_makes_it_again() {
    let (mut scene, held) = Scene::leading();
    scene.pass(seconds(2));
    scene.replaces();
    scene.hears(LeaseResponse::NotFound);
    scene.reads(LeaseResponse::NotFound);
    let created = scene.creates();
    assert_eq!(created.metadata.resource_version, None);
    assert_eq!(spec(&created).acquire_time, spec(&held).acquire_time);
    scene.hears(lease(&created));
    assert!(scene.leads());
}

// To others a record that stays the same is one that nobody renews.
#[test]
fn a_renewal_shows_even_if_the_wall_clock_stands_or_goes_back() {
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
fn our_labels_are_set_over_those_that_a_lease_has() {
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
fn a_release_reads_and_then_leaves_the_lease_to_nobody_for_a_second() {
    let (mut scene, held) = Scene::leading();
    scene.machine.release(scene.now());
    assert!(!scene.leads());
    scene.reads(lease(&versioned(held, "5")));
    let released = scene.replaces();
    assert_eq!(released.metadata.resource_version.as_deref(), Some("5"));
    assert_eq!(spec(&released).holder_identity.as_deref(), Some(""));
    assert_eq!(spec(&released).lease_duration_seconds, Some(1));
    assert_eq!(spec(&released).lease_transitions, Some(0));
    scene.hears(lease(&released));
    assert_eq!(scene.next_action(), ElectionAction::Stop);
}

// holds: E8
#[test]
fn a_release_that_meets_a_conflict_is_tried_again_until_the_renew_deadline() {
    let (mut scene, held) = Scene::leading();
    scene.machine.release(scene.now());
    let mut tries = 0;
    while !matches!(scene.next_action(), ElectionAction::Stop) {
        scene.reads(lease(&held));
        scene.replaces();
        scene.hears(LeaseResponse::Conflict);
        tries += 1;
    }
    assert!((150..=200).contains(&tries), "{tries}");
    assert!(scene.at <= seconds(10));
}

// holds: E8
#[test]
fn a_lease_that_is_not_ours_any_more_is_not_released() {
    for answer in [lease(&held_by("other", Duration::ZERO)), LeaseResponse::NotFound, LeaseResponse::Failed] {
        let (mut scene, _) = Scene::leading();
        scene.machine.release(scene.now());
        scene.reads(answer);
        assert_eq!(scene.next_action(), ElectionAction::Stop);
    }
    let mut candidate = Scene::new();
    candidate.machine.release(candidate.now());
    assert_eq!(candidate.next_action(), ElectionAction::Stop);
}
