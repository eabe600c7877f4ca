//! The measured parts. Each prepares its data without counting, and then does its work inside [`measured`]. No part
//! depends on time, random numbers or other threads, so counts are reproducible.

mod cache;
mod derived;
#[allow(unreachable_pub, reason = "it is shared with the benches of tidings-object")]
#[path = "../../tidings-object/benches/object/fixture.rs"]
mod fixture;
mod object;
mod queue;
mod reconcile;
mod source;

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Context;
use k8s_openapi::api::core::v1::Pod;
use tidings_object::{Budget, Identity, Intake, Kind, NothingKnown, RawObject};
use tidings_protobuf::TypeMeta;

pub(crate) struct Part {
    /// The name on the command line and in the recorded counts.
    pub(crate) name: &'static str,
    /// How many times the work is repeated.
    pub(crate) times: u64,
    run: fn(u64),
}

/// All parts, in the order of the data flow.
pub(crate) const PARTS: &[Part] = &[
    Part { name: "identity_scan", times: 1_000, run: object::identity_scan },
    Part { name: "identity_scan_protobuf", times: 1_000, run: object::identity_scan_protobuf },
    Part { name: "take_in_before_training", times: 1_000, run: object::take_in_before_training },
    Part { name: "take_in_and_pack", times: 1_000, run: object::take_in_and_pack },
    Part { name: "take_in_protobuf", times: 1_000, run: object::take_in_protobuf },
    Part { name: "take_in_with_reference", times: 1_000, run: object::take_in_with_reference },
    Part { name: "unpack", times: 1_000, run: object::unpack },
    Part { name: "unpack_with_reference", times: 1_000, run: object::unpack_with_reference },
    Part { name: "decode_cold", times: 1_000, run: object::decode_cold },
    Part { name: "decode_cold_protobuf", times: 1_000, run: object::decode_cold_protobuf },
    Part { name: "read_kept", times: 10_000, run: object::read_kept },
    Part { name: "read_field", times: 1_000, run: object::read_field },
    Part { name: "read_field_protobuf", times: 1_000, run: object::read_field_protobuf },
    Part { name: "list_split", times: 1_000, run: source::list_split },
    Part { name: "list_split_known", times: 1_000, run: source::list_split_known },
    Part { name: "queue_in_order", times: 10_000, run: queue::in_order },
    Part { name: "queue_per_object", times: 10_000, run: queue::per_object },
    Part { name: "cache_upsert_and_publish_each", times: 2_000, run: cache::upsert_and_publish_each },
    Part { name: "cache_upsert_in_batches", times: 2_000, run: cache::upsert_in_batches },
    Part { name: "cache_get", times: 10_000, run: cache::get },
    Part { name: "cache_get_kept", times: 10_000, run: cache::get_kept },
    Part { name: "cache_by_index", times: 1_000, run: cache::by_index },
    Part { name: "relist_unchanged", times: 10_000, run: source::relist_unchanged },
    Part { name: "reconcile_with_lister", times: 1_000, run: reconcile::with_lister },
    Part { name: "reconcile_with_fresh_read", times: 1_000, run: reconcile::with_fresh_read },
    Part { name: "reconcile_with_status", times: 1_000, run: reconcile::with_status },
    Part { name: "derived_build", times: 2_000, run: derived::build },
    Part { name: "derived_update", times: 1_000, run: derived::update },
    Part { name: "derived_heartbeat", times: 2_000, run: derived::heartbeat },
];

/// The name by which valgrind finds [`counted_by_callgrind`].
pub(crate) const COUNTED_FUNCTION: &str = "*counted_by_callgrind*";

/// Runs the part with this name.
pub(crate) fn run(name: &str) -> anyhow::Result<()> {
    let part =
        PARTS.iter().find(|part| part.name == name).with_context(|| format!("no part is called {name}"))?;
    (part.run)(part.times);
    Ok(())
}

/// Counts the instructions of `work`.
fn measured<R>(work: impl FnOnce() -> R) -> R {
    let mut work = Some(work);
    let mut result = None;
    counted_by_callgrind(&mut || result = work.take().map(|work| work()));
    black_box(result).expect("the work was done once")
}

#[inline(never)]
fn counted_by_callgrind(work: &mut dyn FnMut()) {
    work();
    // Prevents a tail call, whose return valgrind would not see.
    black_box(());
}

fn intake() -> Intake {
    Intake::new(Pod::resource(), Arc::new(Budget::bytes(0)))
}

/// An intake with a trained dictionary.
fn trained_intake() -> Intake {
    trained_on(|intake, number| take_in(intake, &fixture::pod(number)))
}

/// An intake whose dictionary was trained on protobuf.
fn intake_trained_on_protobuf() -> Intake {
    trained_on(|intake, number| take_in_message(intake, &message(number)))
}

fn trained_on(take_in: impl Fn(&Intake, u64) -> Arc<RawObject>) -> Intake {
    let intake = intake();
    let samples: Vec<_> = (0..400).map(|number| take_in(&intake, 1_000_000 + number)).collect();
    let training = intake.training_due().expect("four hundred pods are enough to train on");
    intake.adopt(training.run());
    drop(samples);
    intake
}

fn frames(count: u64) -> Vec<String> {
    (0..count).map(fixture::pod).collect()
}

/// Pods of one controller that differ only in name and uid, so that they compress best against a reference.
fn siblings(count: u64) -> Vec<String> {
    let pod = fixture::pod(7);
    let identity = Identity::from_json(pod.as_bytes()).expect("a fixture has an identity");
    let sibling = |number: u64| {
        let own = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let uid = format!("{:08x}-{:04x}-4abc-8def-{own:012x}", own >> 32, own & 0xffff);
        pod.replace(&*identity.uid, &uid).replace(&*identity.name, &format!("checkout-{own:016x}"))
    };
    (0..count).map(sibling).collect()
}

/// A pod as protobuf.
fn message(number: u64) -> Vec<u8> {
    let table = tidings_protobuf::message("", "v1", "Pod").expect("a built-in kind");
    let pod = serde_json::from_str(&fixture::pod(number)).expect("a fixture is JSON");
    tidings_protobuf::encode(table, &pod).expect("a fixture is a pod")
}

fn messages(count: u64) -> Vec<Vec<u8>> {
    (0..count).map(message).collect()
}

fn objects_of_messages(intake: &Intake, count: u64) -> Vec<Arc<RawObject>> {
    (0..count).map(|number| take_in_message(intake, &message(number))).collect()
}

fn objects(intake: &Intake, count: u64) -> Vec<Arc<RawObject>> {
    (0..count).map(|number| take_in(intake, &fixture::pod(number))).collect()
}

fn take_in(intake: &Intake, frame: &str) -> Arc<RawObject> {
    intake.json(frame.as_bytes(), &NothingKnown).expect("a fixture is an object")
}

fn take_in_message(intake: &Intake, message: &[u8]) -> Arc<RawObject> {
    intake.protobuf(TypeMeta::default(), message, &NothingKnown).expect("a fixture is an object")
}
