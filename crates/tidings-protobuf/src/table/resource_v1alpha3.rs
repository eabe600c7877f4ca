//! The messages of k8s.io/api/resource/v1alpha3.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static DEVICE_TAINT: Message = Message {
    name: "DeviceTaint",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "effect", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "timeAdded", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static DEVICE_TAINT_RULE: Message = Message {
    name: "DeviceTaintRule",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&DEVICE_TAINT_RULE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&DEVICE_TAINT_RULE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEVICE_TAINT_RULE_LIST: Message = Message {
    name: "DeviceTaintRuleList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&DEVICE_TAINT_RULE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_TAINT_RULE_SPEC: Message = Message {
    name: "DeviceTaintRuleSpec",
    fields: &[
        Field { number: 1, name: "deviceSelector", shape: Shape::Optional, kind: Kind::Message(&DEVICE_TAINT_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "taint", shape: Shape::One, kind: Kind::Message(&DEVICE_TAINT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_TAINT_RULE_STATUS: Message = Message {
    name: "DeviceTaintRuleStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static DEVICE_TAINT_SELECTOR: Message = Message {
    name: "DeviceTaintSelector",
    fields: &[
        Field { number: 2, name: "driver", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "pool", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "device", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PARTITION_TYPE_STATUS: Message = Message {
    name: "PartitionTypeStatus",
    fields: &[
        Field { number: 4, name: "attribute", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "total", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "allocatable", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(0)],
};

pub(super) static POOL_STATUS: Message = Message {
    name: "PoolStatus",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "poolName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "generation", shape: Shape::One, kind: Kind::Int64, presence: Presence::Always },
        Field { number: 8, name: "resourceSliceCount", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "totalDevices", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "allocatedDevices", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "availableDevices", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "unavailableDevices", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "nodeName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "validationError", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 11, name: "partitionSummary", shape: Shape::Many, kind: Kind::Message(&PARTITION_TYPE_STATUS), presence: Presence::NotEmpty },
        Field { number: 13, name: "shareableSummary", shape: Shape::Optional, kind: Kind::Message(&SHAREABLE_SUMMARY_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(8), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(3), FieldEntry::Field(2), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Unknown, FieldEntry::Field(11)],
};

pub(super) static RESOURCE_POOL_STATUS_REQUEST: Message = Message {
    name: "ResourcePoolStatusRequest",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&RESOURCE_POOL_STATUS_REQUEST_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_POOL_STATUS_REQUEST_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static RESOURCE_POOL_STATUS_REQUEST_LIST: Message = Message {
    name: "ResourcePoolStatusRequestList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&RESOURCE_POOL_STATUS_REQUEST), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_POOL_STATUS_REQUEST_SPEC: Message = Message {
    name: "ResourcePoolStatusRequestSpec",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "poolName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "limit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "defaultPartitionTypeAttribute", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static RESOURCE_POOL_STATUS_REQUEST_STATUS: Message = Message {
    name: "ResourcePoolStatusRequestStatus",
    fields: &[
        Field { number: 6, name: "poolCount", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "pools", shape: Shape::Many, kind: Kind::Message(&POOL_STATUS), presence: Presence::NotEmpty },
        Field { number: 3, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static SHAREABLE_CAPACITY_STATUS: Message = Message {
    name: "ShareableCapacityStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "total", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "consumed", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 4, name: "available", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static SHAREABLE_SUMMARY_STATUS: Message = Message {
    name: "ShareableSummaryStatus",
    fields: &[
        Field { number: 1, name: "fullyAvailableDevices", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "partiallyAvailableDevices", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "capacity", shape: Shape::Many, kind: Kind::Message(&SHAREABLE_CAPACITY_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};
