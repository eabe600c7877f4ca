//! When a dictionary is trained, and what it saves.

use super::*;
use crate::{Intake, KnownObjects, NothingKnown, Scope};

fn intake(kind: &'static str) -> Intake {
    let resource = ResourceKind {
        group: "".into(),
        version: "v1".into(),
        kind: kind.into(),
        plural: "things".into(),
        scope: Scope::Namespaced,
    };
    Intake::new(resource, Arc::default())
}

/// About 12 KB, which compress badly alone and are nearly equal in all frames.
fn frame(number: usize) -> String {
    let lines: String = (1..400_u64)
        .map(|n| format!("{n}: {:016x};", n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(n as u32)))
        .collect();
    format!(
        r#"{{"metadata":{{"name":"n-{number}","uid":"u-{number}","resourceVersion":"{number}"}},"data":"{lines}{}"}}"#,
        number * 7_919
    )
}

fn fill(intake: &Intake, numbers: std::ops::Range<usize>) -> Vec<Arc<RawObject>> {
    numbers.map(|n| intake.json(frame(n).as_bytes(), &NothingKnown).unwrap()).collect()
}

#[test]
fn bodies_are_plain_then_packed_without_and_then_with_a_dictionary() {
    let intake = intake("ConfigMap");
    let mut cache = fill(&intake, 0..99);
    assert!(intake.training_due().is_none());
    assert!(cache.iter().all(|object| object.packed_bytes() == object.body().raw_len()));

    cache.extend(fill(&intake, 99..150));
    let training = intake.training_due().expect("a hundred objects and a mebibyte are enough");
    assert!(intake.training_due().is_none(), "one training at a time");
    let meanwhile = fill(&intake, 200..201).remove(0);
    assert!(meanwhile.packed_bytes() < meanwhile.body().raw_len());

    let trained = training.run();
    assert!(trained.is_dictionary());
    intake.adopt(trained);
    let after = fill(&intake, 300..301).remove(0);
    assert!(after.packed_bytes() * 2 < meanwhile.packed_bytes());
    assert!(intake.repacked(&after).is_none());
    for object in cache.iter().chain([&meanwhile]) {
        let repacked = intake.repacked(object).expect("it was packed without this dictionary");
        assert!(repacked.packed_bytes() < object.packed_bytes());
        assert_eq!(repacked.json().unwrap(), object.json().unwrap());
        assert!(repacked.is_unchanged(object) && repacked.key() == object.key());
    }
}

#[test]
fn a_dictionary_is_trained_again_when_the_cache_has_grown_eight_times() {
    let intake = intake("ConfigMap");
    let _first = fill(&intake, 0..120);
    intake.adopt(intake.training_due().unwrap().run());
    let _more = fill(&intake, 120..950);
    assert!(intake.training_due().is_none());
    let _enough = fill(&intake, 950..960);
    assert!(intake.training_due().is_some());
}

#[test]
fn a_dictionary_that_packs_half_as_well_as_at_first_is_degraded() {
    let mut ratio = RatioMonitor::default();
    (0..WINDOW_BODIES).for_each(|_| ratio.count(1_000, 100));
    (0..WINDOW_BODIES).for_each(|_| ratio.count(1_000, 190));
    assert!(!ratio.is_degraded);
    (0..WINDOW_BODIES).for_each(|_| ratio.count(1_000, 200));
    assert!(ratio.is_degraded);
}

#[test]
fn alternating_bodies_cause_ever_fewer_trainings() {
    let intake = intake("ConfigMap");
    let cache = fill(&intake, 0..150);
    intake.adopt(intake.training_due().unwrap().run());
    let stats = intake.pack_stats();
    let good = frame(7).into_bytes()[..1_200].to_vec();
    let bad: Vec<u8> = (0..1_200_u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8).collect();
    let (mut packed_bytes, mut trained_at, mut is_good) = (0, vec![0], true);
    for (window, sample) in cache.iter().take(60).enumerate() {
        let raw = if is_good { &good } else { &bad };
        is_good = !is_good;
        for body in 0..WINDOW_BODIES {
            // Each body has its own key, or they would soon have a reference.
            let key = ReferenceKey::new(crate::Wire::Json, Some(&format!("{window}-{body}")));
            intake.packer.pack(key, raw, stats);
            packed_bytes += raw.len() as u64;
        }
        intake.packer.offer_sample(sample);
        if let Some(training) = intake.training_due() {
            intake.adopt(training.run());
            trained_at.push(packed_bytes);
            // The worst case: the bodies after a training pack well at first.
            is_good = true;
        }
    }
    assert!(packed_bytes > 9 * stats.raw_bytes, "{packed_bytes}");
    assert!((3..=4).contains(&trained_at.len()), "{trained_at:?} while the cache has {}", stats.raw_bytes);
    for (pair, doublings) in trained_at.windows(2).zip(0..) {
        assert!(pair[1] - pair[0] >= stats.raw_bytes << doublings, "{trained_at:?}");
    }
}

#[test]
fn a_training_that_is_dropped_is_due_again_with_its_samples() {
    let intake = intake("ConfigMap");
    let _cache = fill(&intake, 0..120);
    drop(intake.training_due().unwrap());
    assert_eq!(intake.training_due().unwrap().samples(), 120);
}

#[test]
fn a_training_without_a_dictionary_is_no_error_and_not_due_again_at_once() {
    let intake = intake("ConfigMap");
    let cache = fill(&intake, 0..120);
    intake.adopt(TrainedDictionary { dictionary: None, ..intake.training_due().unwrap().run() });
    assert!(intake.training_due().is_none());
    assert!(intake.repacked(&cache[0]).is_none());
    let later = fill(&intake, 200..201).remove(0);
    assert!(later.packed_bytes() < later.body().raw_len());
}

#[test]
fn secrets_are_packed_without_a_dictionary_always() {
    let secrets = intake("Secret");
    let cache = fill(&secrets, 0..150);
    assert!(secrets.training_due().is_none());
    assert!(cache[0].packed_bytes() < cache[0].body().raw_len());

    let maps = intake("ConfigMap");
    let _maps = fill(&maps, 0..150);
    secrets.adopt(maps.training_due().unwrap().run());
    assert_eq!(secrets.pack_stats().dictionary_bytes, 0, "the dictionary of another intake is ignored");
}

#[test]
fn a_dictionary_lives_as_long_as_the_last_body_packed_with_it() {
    let intake = intake("ConfigMap");
    let _cache = fill(&intake, 0..120);
    intake.adopt(intake.training_due().unwrap().run());
    let one = intake.pack_stats().dictionary_bytes;
    assert!(one > 0);
    let kept = fill(&intake, 500..501);
    let more = fill(&intake, 600..1_600);
    intake.adopt(intake.training_due().unwrap().run());
    drop(more);
    let both = intake.pack_stats().dictionary_bytes;
    assert!(both > one);
    drop(kept);
    assert_eq!(intake.pack_stats().dictionary_bytes, both - one);
}

#[test]
fn the_stats_count_the_live_objects() {
    let intake = intake("ConfigMap");
    let cache = fill(&intake, 0..10);
    let stats = intake.pack_stats();
    assert_eq!(stats.objects, 10);
    assert_eq!(stats.raw_bytes, cache.iter().map(|object| object.body().raw_len() as u64).sum::<u64>());
    assert_eq!(stats.memory_bytes, cache.iter().map(|object| object.memory_bytes() as u64).sum::<u64>());
    drop(cache);
    assert_eq!(intake.pack_stats(), PackStats::default());
}

struct SameObject(Arc<RawObject>);

impl KnownObjects for SameObject {
    fn known(&self, _: &str) -> Option<Arc<RawObject>> {
        Some(Arc::clone(&self.0))
    }
}

// holds: X23
#[test]
fn an_unchanged_object_is_neither_packed_nor_kept_as_a_sample_again() {
    let intake = intake("ConfigMap");
    let object = fill(&intake, 0..1).remove(0);
    for _ in 0..10 {
        intake.json(frame(0).as_bytes(), &SameObject(Arc::clone(&object))).unwrap();
    }
    assert_eq!(intake.pack_stats().objects, 1);
}

#[test]
fn bodies_of_one_controller_are_deltas_against_a_reference_and_read_as_sent() {
    let intake = intake("ConfigMap");
    let _others = fill(&intake, 0..150);
    intake.adopt(intake.training_due().unwrap().run());
    let frame = |number: usize| {
        let owner = r#""ownerReferences":[{"uid":"set-1","controller":true}]"#;
        frame(number).replacen(r#""uid""#, &format!(r#"{owner},"uid""#), 1)
    };
    let take_in = |number| intake.json(frame(number).as_bytes(), &NothingKnown).unwrap();
    let members: Vec<_> = (1_000..1_050).map(take_in).collect();
    let deltas: Vec<_> = members.iter().filter(|object| object.body().is_delta()).collect();
    assert!(deltas.len() > 30, "{}", deltas.len());
    for (number, object) in (1_000..).zip(&members) {
        assert!(object.json().unwrap().ends_with(&frame(number).as_bytes()[1..]), "{number}");
    }
    assert!(intake.repacked(deltas[0]).is_none());
    assert!(deltas[0].packed_bytes() * 20 < deltas[0].wire_bytes());

    let with_reference = intake.pack_stats().dictionary_bytes;
    intake.packer.state.lock().references.clear();
    assert_eq!(intake.pack_stats().dictionary_bytes, with_reference, "its bodies need it");
    drop(members);
    assert!(intake.pack_stats().dictionary_bytes < with_reference);
}

#[test]
fn secrets_have_no_reference() {
    let intake = intake("Secret");
    let members = fill(&intake, 0..200);
    assert!(members.iter().all(|object| !object.body().is_delta()));
}
