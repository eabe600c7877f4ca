//! The messages of k8s.io/api/events/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static EVENT: Message = Message {
    name: "Event",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "eventTime", shape: Shape::One, kind: Kind::MicroTime, presence: Presence::Always },
        Field { number: 3, name: "series", shape: Shape::Optional, kind: Kind::Message(&EVENT_SERIES), presence: Presence::NotEmpty },
        Field { number: 4, name: "reportingController", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "reportingInstance", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "action", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "regarding", shape: Shape::One, kind: Kind::Message(&super::core_v1::OBJECT_REFERENCE), presence: Presence::Always },
        Field { number: 9, name: "related", shape: Shape::Optional, kind: Kind::Message(&super::core_v1::OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 10, name: "note", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 11, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 12, name: "deprecatedSource", shape: Shape::One, kind: Kind::Message(&super::core_v1::EVENT_SOURCE), presence: Presence::Always },
        Field { number: 13, name: "deprecatedFirstTimestamp", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 14, name: "deprecatedLastTimestamp", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 15, name: "deprecatedCount", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(14)],
};

pub(super) static EVENT_LIST: Message = Message {
    name: "EventList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&EVENT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVENT_SERIES: Message = Message {
    name: "EventSeries",
    fields: &[
        Field { number: 1, name: "count", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "lastObservedTime", shape: Shape::One, kind: Kind::MicroTime, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};
