//! The messages of k8s.io/api/lifecycle/v1alpha1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static EVICTION: Message = Message {
    name: "Eviction",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&EVICTION_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&EVICTION_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static EVICTION_LIST: Message = Message {
    name: "EvictionList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&EVICTION), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVICTION_POD_REFERENCE: Message = Message {
    name: "EvictionPodReference",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVICTION_REQUEST: Message = Message {
    name: "EvictionRequest",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&EVICTION_REQUEST_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&EVICTION_REQUEST_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static EVICTION_REQUEST_LIST: Message = Message {
    name: "EvictionRequestList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&EVICTION_REQUEST), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVICTION_REQUEST_POD_REFERENCE: Message = Message {
    name: "EvictionRequestPodReference",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVICTION_REQUEST_SPEC: Message = Message {
    name: "EvictionRequestSpec",
    fields: &[
        Field { number: 1, name: "target", shape: Shape::One, kind: Kind::Message(&EVICTION_REQUEST_TARGET), presence: Presence::Always },
        Field { number: 2, name: "requester", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "intent", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static EVICTION_REQUEST_STATUS: Message = Message {
    name: "EvictionRequestStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
        Field { number: 2, name: "observedGeneration", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVICTION_REQUEST_TARGET: Message = Message {
    name: "EvictionRequestTarget",
    fields: &[
        Field { number: 1, name: "pod", shape: Shape::Optional, kind: Kind::Message(&EVICTION_REQUEST_POD_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static EVICTION_SPEC: Message = Message {
    name: "EvictionSpec",
    fields: &[
        Field { number: 1, name: "target", shape: Shape::One, kind: Kind::Message(&EVICTION_TARGET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static EVICTION_STATUS: Message = Message {
    name: "EvictionStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
        Field { number: 2, name: "observedGeneration", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 3, name: "requesters", shape: Shape::Many, kind: Kind::Message(&REQUESTER), presence: Presence::NotEmpty },
        Field { number: 4, name: "targetResponders", shape: Shape::Many, kind: Kind::Message(&TARGET_RESPONDER), presence: Presence::NotEmpty },
        Field { number: 5, name: "responders", shape: Shape::Many, kind: Kind::Message(&RESPONDER_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static EVICTION_TARGET: Message = Message {
    name: "EvictionTarget",
    fields: &[
        Field { number: 1, name: "pod", shape: Shape::Optional, kind: Kind::Message(&EVICTION_POD_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static REQUESTER: Message = Message {
    name: "Requester",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "intent", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESPONDER_STATUS: Message = Message {
    name: "ResponderStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "startTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 3, name: "heartbeatTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 4, name: "expectedCompletionTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 5, name: "completionTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 6, name: "message", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static TARGET_RESPONDER: Message = Message {
    name: "TargetResponder",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "priority", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "state", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};
