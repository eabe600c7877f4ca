//! The messages of k8s.io/api/storage/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CSI_DRIVER: Message = Message {
    name: "CSIDriver",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&CSI_DRIVER_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CSI_DRIVER_LIST: Message = Message {
    name: "CSIDriverList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CSI_DRIVER), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CSI_DRIVER_SPEC: Message = Message {
    name: "CSIDriverSpec",
    fields: &[
        Field { number: 1, name: "attachRequired", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 2, name: "podInfoOnMount", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 3, name: "volumeLifecycleModes", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "storageCapacity", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "fsGroupPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "tokenRequests", shape: Shape::Many, kind: Kind::Message(&TOKEN_REQUEST), presence: Presence::NotEmpty },
        Field { number: 7, name: "requiresRepublish", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 8, name: "seLinuxMount", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 9, name: "nodeAllocatableUpdatePeriodSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 10, name: "serviceAccountTokenInSecrets", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 11, name: "preventPodSchedulingIfMissing", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10)],
};

pub(super) static CSI_NODE: Message = Message {
    name: "CSINode",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&CSI_NODE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&CSI_NODE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CSI_NODE_DRIVER: Message = Message {
    name: "CSINodeDriver",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "nodeID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "topologyKeys", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "allocatable", shape: Shape::Optional, kind: Kind::Message(&VOLUME_NODE_RESOURCES), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static CSI_NODE_LIST: Message = Message {
    name: "CSINodeList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CSI_NODE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CSI_NODE_SPEC: Message = Message {
    name: "CSINodeSpec",
    fields: &[
        Field { number: 1, name: "drivers", shape: Shape::Many, kind: Kind::Message(&CSI_NODE_DRIVER), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static CSI_NODE_STATUS: Message = Message {
    name: "CSINodeStatus",
    fields: &[
        Field { number: 1, name: "storageHealth", shape: Shape::Many, kind: Kind::Message(&STORAGE_HEALTH), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

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

pub(super) static STORAGE_CLASS: Message = Message {
    name: "StorageClass",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "provisioner", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "parameters", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "reclaimPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "mountOptions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "allowVolumeExpansion", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 7, name: "volumeBindingMode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "allowedTopologies", shape: Shape::Many, kind: Kind::Message(&super::core_v1::TOPOLOGY_SELECTOR_TERM), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static STORAGE_CLASS_LIST: Message = Message {
    name: "StorageClassList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&STORAGE_CLASS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static STORAGE_HEALTH: Message = Message {
    name: "StorageHealth",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "healthConditions", shape: Shape::Many, kind: Kind::Message(&STORAGE_HEALTH_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static STORAGE_HEALTH_CONDITION: Message = Message {
    name: "StorageHealthCondition",
    fields: &[
        Field { number: 1, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "accessMode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "volumeMode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static TOKEN_REQUEST: Message = Message {
    name: "TokenRequest",
    fields: &[
        Field { number: 1, name: "audience", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "expirationSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
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

pub(super) static VOLUME_NODE_RESOURCES: Message = Message {
    name: "VolumeNodeResources",
    fields: &[
        Field { number: 1, name: "count", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};
