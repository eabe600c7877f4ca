//! The messages of k8s.io/api/node/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static OVERHEAD: Message = Message {
    name: "Overhead",
    fields: &[
        Field { number: 1, name: "podFixed", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static RUNTIME_CLASS: Message = Message {
    name: "RuntimeClass",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "handler", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "overhead", shape: Shape::Optional, kind: Kind::Message(&OVERHEAD), presence: Presence::NotEmpty },
        Field { number: 4, name: "scheduling", shape: Shape::Optional, kind: Kind::Message(&SCHEDULING), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static RUNTIME_CLASS_LIST: Message = Message {
    name: "RuntimeClassList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&RUNTIME_CLASS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SCHEDULING: Message = Message {
    name: "Scheduling",
    fields: &[
        Field { number: 1, name: "nodeSelector", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "tolerations", shape: Shape::Many, kind: Kind::Message(&super::core_v1::TOLERATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};
