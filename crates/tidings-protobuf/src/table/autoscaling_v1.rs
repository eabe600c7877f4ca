//! The messages of k8s.io/api/autoscaling/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CROSS_VERSION_OBJECT_REFERENCE: Message = Message {
    name: "CrossVersionObjectReference",
    fields: &[
        Field { number: 1, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "apiVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static HORIZONTAL_POD_AUTOSCALER: Message = Message {
    name: "HorizontalPodAutoscaler",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&HORIZONTAL_POD_AUTOSCALER_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&HORIZONTAL_POD_AUTOSCALER_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static HORIZONTAL_POD_AUTOSCALER_LIST: Message = Message {
    name: "HorizontalPodAutoscalerList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&HORIZONTAL_POD_AUTOSCALER), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static HORIZONTAL_POD_AUTOSCALER_SPEC: Message = Message {
    name: "HorizontalPodAutoscalerSpec",
    fields: &[
        Field { number: 1, name: "scaleTargetRef", shape: Shape::One, kind: Kind::Message(&CROSS_VERSION_OBJECT_REFERENCE), presence: Presence::Always },
        Field { number: 2, name: "minReplicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "maxReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "targetCPUUtilizationPercentage", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static HORIZONTAL_POD_AUTOSCALER_STATUS: Message = Message {
    name: "HorizontalPodAutoscalerStatus",
    fields: &[
        Field { number: 1, name: "observedGeneration", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "lastScaleTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 3, name: "currentReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "desiredReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 5, name: "currentCPUUtilizationPercentage", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static SCALE: Message = Message {
    name: "Scale",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&SCALE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&SCALE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SCALE_SPEC: Message = Message {
    name: "ScaleSpec",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static SCALE_STATUS: Message = Message {
    name: "ScaleStatus",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "selector", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};
