//! From bytes to an object, and from an object to decoded values.

use std::hint::black_box;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use tidings_object::{Budget, FieldPath, Identity, Intake, Kind, RawObject};

use super::{
    frames, intake, intake_trained_on_protobuf, measured, messages, objects, objects_of_messages, siblings,
    take_in, take_in_message, trained_intake,
};

pub(crate) fn identity_scan(times: u64) {
    let frames = frames(times);
    measured(|| {
        for frame in &frames {
            black_box(Identity::from_json(frame.as_bytes()).expect("a fixture has an identity"));
        }
    });
}

pub(crate) fn identity_scan_protobuf(times: u64) {
    let messages = messages(times);
    measured(|| {
        for message in &messages {
            black_box(Identity::from_protobuf(message).expect("a fixture has an identity"));
        }
    });
}

pub(crate) fn take_in_before_training(times: u64) {
    let (intake, frames) = (intake(), frames(times));
    let objects: Vec<_> = measured(|| frames.iter().map(|frame| take_in(&intake, frame)).collect());
    drop(objects);
}

pub(crate) fn take_in_and_pack(times: u64) {
    let (intake, frames) = (trained_intake(), frames(times));
    let objects: Vec<_> = measured(|| frames.iter().map(|frame| take_in(&intake, frame)).collect());
    drop(objects);
}

pub(crate) fn take_in_protobuf(times: u64) {
    let (intake, messages) = (intake_trained_on_protobuf(), messages(times));
    let objects: Vec<_> =
        measured(|| messages.iter().map(|message| take_in_message(&intake, message)).collect());
    drop(objects);
}

pub(crate) fn take_in_with_reference(times: u64) {
    let (intake, frames) = (trained_intake(), siblings(times));
    let objects: Vec<_> = measured(|| frames.iter().map(|frame| take_in(&intake, frame)).collect());
    drop(objects);
}

pub(crate) fn unpack(times: u64) {
    unpack_each(&objects(&trained_intake(), times));
}

pub(crate) fn unpack_with_reference(times: u64) {
    let intake = trained_intake();
    unpack_each(&siblings(times).iter().map(|frame| take_in(&intake, frame)).collect::<Vec<_>>());
}

fn unpack_each(objects: &[Arc<RawObject>]) {
    measured(|| {
        for object in objects {
            black_box(object.json().expect("a fixture unpacks"));
        }
    });
}

pub(crate) fn decode_cold(times: u64) {
    decode_each(&objects(&trained_intake(), times));
}

pub(crate) fn decode_cold_protobuf(times: u64) {
    decode_each(&objects_of_messages(&intake_trained_on_protobuf(), times));
}

fn decode_each(objects: &[Arc<RawObject>]) {
    measured(|| {
        for object in objects {
            black_box(object.decoded::<Pod>().expect("a fixture is a pod"));
        }
    });
}

pub(crate) fn read_kept(times: u64) {
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::unlimited()));
    let objects = objects(&intake, 100);
    for object in &objects {
        object.decoded::<Pod>().expect("a fixture is a pod");
    }
    measured(|| {
        for object in objects.iter().cycle().take(times as usize) {
            black_box(object.decoded::<Pod>().expect("a fixture is a pod"));
        }
    });
}

pub(crate) fn read_field(times: u64) {
    read_phase_of_each(&objects(&trained_intake(), times));
}

pub(crate) fn read_field_protobuf(times: u64) {
    read_phase_of_each(&objects_of_messages(&intake_trained_on_protobuf(), times));
}

fn read_phase_of_each(objects: &[Arc<RawObject>]) {
    let path = FieldPath::parse(".status.phase").expect("a field path");
    measured(|| {
        for object in objects {
            black_box(object.field_at(&path).expect("a fixture has a phase"));
        }
    });
}
