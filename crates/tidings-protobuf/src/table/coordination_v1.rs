//! The messages of k8s.io/api/coordination/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static LEASE: Message = Message {
    name: "Lease",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&LEASE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LEASE_LIST: Message = Message {
    name: "LeaseList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&LEASE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LEASE_SPEC: Message = Message {
    name: "LeaseSpec",
    fields: &[
        Field { number: 1, name: "holderIdentity", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "leaseDurationSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "acquireTime", shape: Shape::Optional, kind: Kind::MicroTime, presence: Presence::NotEmpty },
        Field { number: 4, name: "renewTime", shape: Shape::Optional, kind: Kind::MicroTime, presence: Presence::NotEmpty },
        Field { number: 5, name: "leaseTransitions", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "strategy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "preferredHolder", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6)],
};
