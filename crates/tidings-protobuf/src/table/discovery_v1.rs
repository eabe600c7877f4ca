//! The messages of k8s.io/api/discovery/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static ENDPOINT: Message = Message {
    name: "Endpoint",
    fields: &[
        Field { number: 1, name: "addresses", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "conditions", shape: Shape::One, kind: Kind::Message(&ENDPOINT_CONDITIONS), presence: Presence::Always },
        Field { number: 3, name: "hostname", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "targetRef", shape: Shape::Optional, kind: Kind::Message(&super::core_v1::OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 5, name: "deprecatedTopology", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "nodeName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "zone", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "hints", shape: Shape::Optional, kind: Kind::Message(&ENDPOINT_HINTS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static ENDPOINT_CONDITIONS: Message = Message {
    name: "EndpointConditions",
    fields: &[
        Field { number: 1, name: "ready", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 2, name: "serving", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 3, name: "terminating", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static ENDPOINT_HINTS: Message = Message {
    name: "EndpointHints",
    fields: &[
        Field { number: 1, name: "forZones", shape: Shape::Many, kind: Kind::Message(&FOR_ZONE), presence: Presence::NotEmpty },
        Field { number: 2, name: "forNodes", shape: Shape::Many, kind: Kind::Message(&FOR_NODE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ENDPOINT_PORT: Message = Message {
    name: "EndpointPort",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "protocol", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "port", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "appProtocol", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static ENDPOINT_SLICE: Message = Message {
    name: "EndpointSlice",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 4, name: "addressType", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "endpoints", shape: Shape::Many, kind: Kind::Message(&ENDPOINT), presence: Presence::Always },
        Field { number: 3, name: "ports", shape: Shape::Many, kind: Kind::Message(&ENDPOINT_PORT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(1)],
};

pub(super) static ENDPOINT_SLICE_LIST: Message = Message {
    name: "EndpointSliceList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&ENDPOINT_SLICE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static FOR_NODE: Message = Message {
    name: "ForNode",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static FOR_ZONE: Message = Message {
    name: "ForZone",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};
