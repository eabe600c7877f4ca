//! Which keys get a reference, which lose it, and that the memory is bounded.

use super::*;

/// Bytes that have nothing in common with those of another seed.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut entry = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = || {
        entry = entry.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (entry >> 56) as u8
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

/// A body of a template, with a few bytes that differ.
fn member(template: u64, number: u64) -> Vec<u8> {
    [noise(template, 400), noise(number + 1_000, 8), noise(template + 7, 400)].concat()
}

fn key(controller_uid: &str) -> ReferenceKey {
    ReferenceKey::new(Wire::Json, Some(controller_uid))
}

/// Does what a packer does, without a dictionary. Returns whether the body is a delta.
fn pack_within(pool: &mut ReferencePool, key: ReferenceKey, raw: &[u8], objects_bytes: u64) -> bool {
    let reference = pool.reference(key, raw.len());
    let body =
        reference.and_then(|(reference, packed_max)| Body::delta(key.wire(), raw, &reference, packed_max));
    match body {
        Some(_) => pool.record_hit(key),
        None => pool.record_miss(key, raw, &Body::plain(key.wire(), raw), objects_bytes),
    }
    body.is_some()
}

fn pack(pool: &mut ReferencePool, key: ReferenceKey, raw: &[u8]) -> bool {
    pack_within(pool, key, raw, u64::MAX)
}

#[test]
fn the_first_bodies_are_packed_with_the_dictionary_and_later_ones_against_a_reference() {
    let mut pool = ReferencePool::default();
    let is_delta: Vec<_> = (0..40).map(|n| pack(&mut pool, key("a"), &member(1, n))).collect();
    assert_eq!(is_delta.iter().position(|is_delta| *is_delta), Some(BODIES_MIN as usize));
    assert!(is_delta[BODIES_MIN as usize..].iter().all(|is_delta| *is_delta));
    assert!(!pack(&mut pool, key("b"), &member(1, 50)), "of another controller");
    assert!(
        !pack(&mut pool, ReferenceKey::new(Wire::Protobuf, Some("a")), &member(1, 51)),
        "of another wire"
    );
}

#[test]
fn bodies_that_are_not_similar_soon_have_no_reference() {
    let mut pool = ReferencePool::default();
    for n in 0..500 {
        assert!(!pack(&mut pool, key("a"), &noise(n, 800)));
    }
    assert!(pool.reference(key("a"), 800).is_none());
    assert_eq!(pool.memory_bytes(), 0);
}

#[test]
fn a_key_whose_template_changes_gets_a_new_reference_each_time() {
    let mut pool = ReferencePool::default();
    for template in 0..20 {
        let deltas = (0..200).filter(|n| pack(&mut pool, key("a"), &member(template, *n))).count();
        assert!(deltas >= 150, "{deltas} of template {template}");
    }
}

#[test]
fn a_delta_is_never_larger_than_the_dictionary_would_give() {
    let mut pool = ReferencePool::default();
    let key = key("a");
    let packed_well = Body::plain(Wire::Json, &[0; 4]);
    (0..BODIES_MIN).for_each(|n| pool.record_miss(key, &member(1, n), &packed_well, u64::MAX));
    let (reference, packed_max) = pool.reference(key, member(1, 99).len()).unwrap();
    assert!(Body::delta(Wire::Json, &member(1, 99), &reference, packed_max).is_none());
    assert!(Body::delta(Wire::Json, &member(1, 99), &reference, 100).is_some());
}

#[test]
fn all_references_together_have_a_bounded_memory() {
    let mut pool = ReferencePool::default();
    let objects_bytes = 20_000;
    for (of, n) in (0..50).flat_map(|of| (0..30).map(move |n| (of, n))) {
        pack_within(&mut pool, key(&of.to_string()), &member(of, n), objects_bytes);
    }
    // The last one may exceed the bound.
    let one = Reference::new(&member(1, 1), Arc::default()).unwrap().memory_bytes();
    let most = memory_max(objects_bytes);
    assert!((most..most + one).contains(&pool.memory_bytes()), "{}", pool.memory_bytes());
}

#[test]
fn references_may_take_half_of_a_small_cache_and_an_eighth_of_a_large_one() {
    const MIB: u64 = 1 << 20;
    for (objects_bytes, most) in
        [(0, 0), (2 * MIB, MIB), (8 * MIB, 4 * MIB), (32 * MIB, 4 * MIB), (80 * MIB, 10 * MIB)]
    {
        assert_eq!(memory_max(objects_bytes), most, "{objects_bytes}");
    }
}

#[test]
fn the_number_of_entries_is_bounded() {
    let mut pool = ReferencePool::default();
    let (own, mut bodies) = (key("ours"), Vec::new());
    assert_eq!((0..20).filter(|n| pack(&mut pool, own, &member(1, *n))).count(), 4);
    let (reference, _) = pool.reference(own, 800).unwrap();
    bodies.push(Body::delta(Wire::Json, &member(1, 30), &reference, 800).unwrap());
    drop(reference);
    for of in 0..3 * ENTRIES_MAX {
        pack(&mut pool, key(&of.to_string()), &member(2, 1));
        assert!(pool.entries.len() <= ENTRIES_MAX);
    }
    assert!(pool.reference(own, 800).is_some(), "its reference is in use");
    drop(bodies);
    for of in 0..ENTRIES_MAX {
        pack(&mut pool, key(&format!("late {of}")), &member(2, 1));
    }
    assert!(pool.reference(own, 800).is_none());
    assert_eq!(pool.memory_bytes(), 0);
}
