//! The messages of k8s.io/apimachinery/pkg/apis/meta/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CONDITION: Message = Message {
    name: "Condition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 4, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 5, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static DELETE_OPTIONS: Message = Message {
    name: "DeleteOptions",
    fields: &[
        Field { number: 1, name: "gracePeriodSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "preconditions", shape: Shape::Optional, kind: Kind::Message(&PRECONDITIONS), presence: Presence::NotEmpty },
        Field { number: 3, name: "orphanDependents", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "propagationPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "dryRun", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "ignoreStoreReadErrorWithClusterBreakingPotential", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static FIELD_SELECTOR_REQUIREMENT: Message = Message {
    name: "FieldSelectorRequirement",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "operator", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "values", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static GROUP_RESOURCE: Message = Message {
    name: "GroupResource",
    fields: &[
        Field { number: 1, name: "group", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "resource", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LABEL_SELECTOR: Message = Message {
    name: "LabelSelector",
    fields: &[
        Field { number: 1, name: "matchLabels", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "matchExpressions", shape: Shape::Many, kind: Kind::Message(&LABEL_SELECTOR_REQUIREMENT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LABEL_SELECTOR_REQUIREMENT: Message = Message {
    name: "LabelSelectorRequirement",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "operator", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "values", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static LIST_META: Message = Message {
    name: "ListMeta",
    fields: &[
        Field { number: 1, name: "selfLink", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "resourceVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "continue", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "remainingItemCount", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 5, name: "shardInfo", shape: Shape::Optional, kind: Kind::Message(&SHARD_INFO), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static MANAGED_FIELDS_ENTRY: Message = Message {
    name: "ManagedFieldsEntry",
    fields: &[
        Field { number: 1, name: "manager", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "operation", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "apiVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "time", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 6, name: "fieldsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "fieldsV1", shape: Shape::Optional, kind: Kind::Raw, presence: Presence::NotEmpty },
        Field { number: 8, name: "subresource", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Unknown, FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6)],
};

pub(super) static OBJECT_META: Message = Message {
    name: "ObjectMeta",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "generateName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "selfLink", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "resourceVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "generation", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 8, name: "creationTimestamp", shape: Shape::One, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 9, name: "deletionTimestamp", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 10, name: "deletionGracePeriodSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 11, name: "labels", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 12, name: "annotations", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 13, name: "ownerReferences", shape: Shape::Many, kind: Kind::Message(&OWNER_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 14, name: "finalizers", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 17, name: "managedFields", shape: Shape::Many, kind: Kind::Message(&MANAGED_FIELDS_ENTRY), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(14)],
};

pub(super) static OWNER_REFERENCE: Message = Message {
    name: "OwnerReference",
    fields: &[
        Field { number: 5, name: "apiVersion", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 1, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "controller", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 7, name: "blockOwnerDeletion", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(0), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static PARTIAL_OBJECT_METADATA: Message = Message {
    name: "PartialObjectMetadata",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&OBJECT_META), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static PARTIAL_OBJECT_METADATA_LIST: Message = Message {
    name: "PartialObjectMetadataList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&PARTIAL_OBJECT_METADATA), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PRECONDITIONS: Message = Message {
    name: "Preconditions",
    fields: &[
        Field { number: 1, name: "uid", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "resourceVersion", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SHARD_INFO: Message = Message {
    name: "ShardInfo",
    fields: &[
        Field { number: 1, name: "selector", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static STATUS: Message = Message {
    name: "Status",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&LIST_META), presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "details", shape: Shape::Optional, kind: Kind::Message(&STATUS_DETAILS), presence: Presence::NotEmpty },
        Field { number: 6, name: "code", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static STATUS_CAUSE: Message = Message {
    name: "StatusCause",
    fields: &[
        Field { number: 1, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "field", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static STATUS_DETAILS: Message = Message {
    name: "StatusDetails",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "group", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "causes", shape: Shape::Many, kind: Kind::Message(&STATUS_CAUSE), presence: Presence::NotEmpty },
        Field { number: 5, name: "retryAfterSeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(3)],
};
