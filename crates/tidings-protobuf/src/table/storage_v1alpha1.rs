//! The messages of k8s.io/api/storage/v1alpha1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CSI_STORAGE_CAPACITY: Message = Message {
    name: "CSIStorageCapacity",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "nodeTopology", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "storageClassName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "capacity", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 5, name: "maximumVolumeSize", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static CSI_STORAGE_CAPACITY_LIST: Message = Message {
    name: "CSIStorageCapacityList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CSI_STORAGE_CAPACITY), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VOLUME_ATTACHMENT: Message = Message {
    name: "VolumeAttachment",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&VOLUME_ATTACHMENT_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&VOLUME_ATTACHMENT_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static VOLUME_ATTACHMENT_LIST: Message = Message {
    name: "VolumeAttachmentList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&VOLUME_ATTACHMENT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VOLUME_ATTACHMENT_SOURCE: Message = Message {
    name: "VolumeAttachmentSource",
    fields: &[
        Field { number: 1, name: "persistentVolumeName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "inlineVolumeSpec", shape: Shape::Optional, kind: Kind::Message(&super::core_v1::PERSISTENT_VOLUME_SPEC), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VOLUME_ATTACHMENT_SPEC: Message = Message {
    name: "VolumeAttachmentSpec",
    fields: &[
        Field { number: 1, name: "attacher", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "source", shape: Shape::One, kind: Kind::Message(&VOLUME_ATTACHMENT_SOURCE), presence: Presence::Always },
        Field { number: 3, name: "nodeName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static VOLUME_ATTACHMENT_STATUS: Message = Message {
    name: "VolumeAttachmentStatus",
    fields: &[
        Field { number: 1, name: "attached", shape: Shape::One, kind: Kind::Bool, presence: Presence::Always },
        Field { number: 2, name: "attachmentMetadata", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "attachError", shape: Shape::Optional, kind: Kind::Message(&VOLUME_ERROR), presence: Presence::NotEmpty },
        Field { number: 4, name: "detachError", shape: Shape::Optional, kind: Kind::Message(&VOLUME_ERROR), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static VOLUME_ATTRIBUTES_CLASS: Message = Message {
    name: "VolumeAttributesClass",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "driverName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "parameters", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static VOLUME_ATTRIBUTES_CLASS_LIST: Message = Message {
    name: "VolumeAttributesClassList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&VOLUME_ATTRIBUTES_CLASS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VOLUME_ERROR: Message = Message {
    name: "VolumeError",
    fields: &[
        Field { number: 1, name: "time", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 2, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "errorCode", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};
