//! The messages of k8s.io/api/coordination/v1alpha2.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static LEASE_CANDIDATE: Message = Message {
    name: "LeaseCandidate",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&LEASE_CANDIDATE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LEASE_CANDIDATE_LIST: Message = Message {
    name: "LeaseCandidateList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&LEASE_CANDIDATE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LEASE_CANDIDATE_SPEC: Message = Message {
    name: "LeaseCandidateSpec",
    fields: &[
        Field { number: 1, name: "leaseName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "pingTime", shape: Shape::Optional, kind: Kind::MicroTime, presence: Presence::NotEmpty },
        Field { number: 3, name: "renewTime", shape: Shape::Optional, kind: Kind::MicroTime, presence: Presence::NotEmpty },
        Field { number: 4, name: "binaryVersion", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 5, name: "emulationVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "strategy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};
