//! The messages of k8s.io/api/policy/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static EVICTION: Message = Message {
    name: "Eviction",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "deleteOptions", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::DELETE_OPTIONS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_DISRUPTION_BUDGET: Message = Message {
    name: "PodDisruptionBudget",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&POD_DISRUPTION_BUDGET_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&POD_DISRUPTION_BUDGET_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static POD_DISRUPTION_BUDGET_LIST: Message = Message {
    name: "PodDisruptionBudgetList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&POD_DISRUPTION_BUDGET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_DISRUPTION_BUDGET_SPEC: Message = Message {
    name: "PodDisruptionBudgetSpec",
    fields: &[
        Field { number: 1, name: "minAvailable", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
        Field { number: 2, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "maxUnavailable", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
        Field { number: 4, name: "unhealthyPodEvictionPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static POD_DISRUPTION_BUDGET_STATUS: Message = Message {
    name: "PodDisruptionBudgetStatus",
    fields: &[
        Field { number: 1, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "disruptedPods", shape: Shape::Map, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 3, name: "disruptionsAllowed", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "currentHealthy", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 5, name: "desiredHealthy", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 6, name: "expectedPods", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 7, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6)],
};
