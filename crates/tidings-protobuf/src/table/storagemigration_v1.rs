//! The messages of k8s.io/api/storagemigration/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static STORAGE_VERSION_MIGRATION: Message = Message {
    name: "StorageVersionMigration",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&STORAGE_VERSION_MIGRATION_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&STORAGE_VERSION_MIGRATION_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static STORAGE_VERSION_MIGRATION_LIST: Message = Message {
    name: "StorageVersionMigrationList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&STORAGE_VERSION_MIGRATION), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static STORAGE_VERSION_MIGRATION_SPEC: Message = Message {
    name: "StorageVersionMigrationSpec",
    fields: &[
        Field { number: 1, name: "resource", shape: Shape::One, kind: Kind::Message(&super::meta_v1::GROUP_RESOURCE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static STORAGE_VERSION_MIGRATION_STATUS: Message = Message {
    name: "StorageVersionMigrationStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
        Field { number: 2, name: "resourceVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};
