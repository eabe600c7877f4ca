//! Which families get kin, which lose it, and that none of it grows without bound.

use super::*;

/// Bytes that have nothing in common with those of another seed.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

/// A body of a template, with something of its own.
fn member(template: u64, number: u64) -> Vec<u8> {
    [noise(template, 400), noise(number + 1_000, 8), noise(template + 7, 400)].concat()
}

fn family(controller_uid: &str) -> Family {
    Family::new(Wire::Json, Some(controller_uid))
}

/// What a packer does, without a dictionary. Whether the body was told by its kin.
fn pack_within(families: &mut Families, family: Family, raw: &[u8], objects_bytes: u64) -> bool {
    let kin = families.kin(family, raw.len());
    let body = kin.and_then(|(kin, packed_max)| Body::of_kin(family.wire(), raw, &kin, packed_max));
    match body {
        Some(_) => families.fitted(family),
        None => families.packed(family, raw, &Body::plain(family.wire(), raw), objects_bytes),
    }
    body.is_some()
}

fn pack(families: &mut Families, family: Family, raw: &[u8]) -> bool {
    pack_within(families, family, raw, u64::MAX)
}

#[test]
fn the_first_members_are_packed_as_ever_and_then_told_by_one_of_them() {
    let mut families = Families::default();
    let told: Vec<_> = (0..40).map(|n| pack(&mut families, family("a"), &member(1, n))).collect();
    assert_eq!(told.iter().position(|is_told| *is_told), Some(MEMBERS_MIN as usize));
    assert!(told[MEMBERS_MIN as usize..].iter().all(|is_told| *is_told));
    assert!(!pack(&mut families, family("b"), &member(1, 50)), "of another controller");
    assert!(!pack(&mut families, Family::new(Wire::Protobuf, Some("a")), &member(1, 51)), "of another wire");
}

#[test]
fn members_that_are_not_alike_soon_have_no_kin() {
    let mut families = Families::default();
    for n in 0..500 {
        assert!(!pack(&mut families, family("a"), &noise(n, 800)));
    }
    assert!(families.kin(family("a"), 800).is_none());
    assert_eq!(families.memory_bytes(), 0);
}

#[test]
fn a_family_that_changes_gets_new_kin_however_often() {
    let mut families = Families::default();
    for template in 0..20 {
        let told = (0..200).filter(|n| pack(&mut families, family("a"), &member(template, *n))).count();
        assert!(told >= 150, "{told} of template {template}");
    }
}

#[test]
fn kin_must_not_take_more_than_the_dictionary_would() {
    let mut families = Families::default();
    let family = family("a");
    let packed_well = Body::plain(Wire::Json, &[0; 4]);
    (0..MEMBERS_MIN).for_each(|n| families.packed(family, &member(1, n), &packed_well, u64::MAX));
    let (kin, packed_max) = families.kin(family, member(1, 99).len()).unwrap();
    assert!(Body::of_kin(Wire::Json, &member(1, 99), &kin, packed_max).is_none());
    assert!(Body::of_kin(Wire::Json, &member(1, 99), &kin, 100).is_some());
}

#[test]
fn all_kin_takes_no_more_than_its_share() {
    let mut families = Families::default();
    let objects_bytes = 20_000;
    for (of, n) in (0..50).flat_map(|of| (0..30).map(move |n| (of, n))) {
        pack_within(&mut families, family(&of.to_string()), &member(of, n), objects_bytes);
    }
    // The last one may stand above the bound.
    let one = Kin::new(&member(1, 1), Arc::default()).unwrap().memory_bytes();
    let most = objects_bytes / MEMORY_SHARE;
    assert!((most..most + one).contains(&families.memory_bytes()), "{}", families.memory_bytes());
}

#[test]
fn families_without_number_are_forgotten() {
    let mut families = Families::default();
    let (own, mut bodies) = (family("ours"), Vec::new());
    assert_eq!((0..20).filter(|n| pack(&mut families, own, &member(1, *n))).count(), 4);
    let (kin, _) = families.kin(own, 800).unwrap();
    bodies.push(Body::of_kin(Wire::Json, &member(1, 30), &kin, 800).unwrap());
    drop(kin);
    for of in 0..3 * FAMILIES_MAX {
        pack(&mut families, family(&of.to_string()), &member(2, 1));
        assert!(families.families.len() <= FAMILIES_MAX);
    }
    assert!(families.kin(own, 800).is_some(), "its kin is in use");
    drop(bodies);
    for of in 0..FAMILIES_MAX {
        pack(&mut families, family(&format!("late {of}")), &member(2, 1));
    }
    assert!(families.kin(own, 800).is_none());
    assert_eq!(families.memory_bytes(), 0);
}
