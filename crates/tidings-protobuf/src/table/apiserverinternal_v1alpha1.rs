//! The messages of k8s.io/api/apiserverinternal/v1alpha1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static SERVER_STORAGE_VERSION: Message = Message {
    name: "ServerStorageVersion",
    fields: &[
        Field { number: 1, name: "apiServerID", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "encodingVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "decodableVersions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "servedVersions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static STORAGE_VERSION: Message = Message {
    name: "StorageVersion",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&STORAGE_VERSION_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&STORAGE_VERSION_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static STORAGE_VERSION_CONDITION: Message = Message {
    name: "StorageVersionCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 4, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 5, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static STORAGE_VERSION_LIST: Message = Message {
    name: "StorageVersionList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&STORAGE_VERSION), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static STORAGE_VERSION_SPEC: Message = Message {
    name: "StorageVersionSpec",
    fields: &[
    ],
    by_number: &[],
};

pub(super) static STORAGE_VERSION_STATUS: Message = Message {
    name: "StorageVersionStatus",
    fields: &[
        Field { number: 1, name: "storageVersions", shape: Shape::Many, kind: Kind::Message(&SERVER_STORAGE_VERSION), presence: Presence::NotEmpty },
        Field { number: 2, name: "commonEncodingVersion", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "conditions", shape: Shape::Many, kind: Kind::Message(&STORAGE_VERSION_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};
