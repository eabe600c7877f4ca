//! The messages of k8s.io/api/autoscaling/v2.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CONTAINER_RESOURCE_METRIC_SOURCE: Message = Message {
    name: "ContainerResourceMetricSource",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "target", shape: Shape::One, kind: Kind::Message(&METRIC_TARGET), presence: Presence::Always },
        Field { number: 3, name: "container", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CONTAINER_RESOURCE_METRIC_STATUS: Message = Message {
    name: "ContainerResourceMetricStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "current", shape: Shape::One, kind: Kind::Message(&METRIC_VALUE_STATUS), presence: Presence::Always },
        Field { number: 3, name: "container", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CROSS_VERSION_OBJECT_REFERENCE: Message = Message {
    name: "CrossVersionObjectReference",
    fields: &[
        Field { number: 1, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "apiVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static EXTERNAL_METRIC_SOURCE: Message = Message {
    name: "ExternalMetricSource",
    fields: &[
        Field { number: 1, name: "metric", shape: Shape::One, kind: Kind::Message(&METRIC_IDENTIFIER), presence: Presence::Always },
        Field { number: 2, name: "target", shape: Shape::One, kind: Kind::Message(&METRIC_TARGET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EXTERNAL_METRIC_STATUS: Message = Message {
    name: "ExternalMetricStatus",
    fields: &[
        Field { number: 1, name: "metric", shape: Shape::One, kind: Kind::Message(&METRIC_IDENTIFIER), presence: Presence::Always },
        Field { number: 2, name: "current", shape: Shape::One, kind: Kind::Message(&METRIC_VALUE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static HPA_SCALING_POLICY: Message = Message {
    name: "HPAScalingPolicy",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "periodSeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static HPA_SCALING_RULES: Message = Message {
    name: "HPAScalingRules",
    fields: &[
        Field { number: 3, name: "stabilizationWindowSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 1, name: "selectPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "policies", shape: Shape::Many, kind: Kind::Message(&HPA_SCALING_POLICY), presence: Presence::NotEmpty },
        Field { number: 4, name: "tolerance", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(0), FieldEntry::Field(3)],
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

pub(super) static HORIZONTAL_POD_AUTOSCALER_BEHAVIOR: Message = Message {
    name: "HorizontalPodAutoscalerBehavior",
    fields: &[
        Field { number: 1, name: "scaleUp", shape: Shape::Optional, kind: Kind::Message(&HPA_SCALING_RULES), presence: Presence::NotEmpty },
        Field { number: 2, name: "scaleDown", shape: Shape::Optional, kind: Kind::Message(&HPA_SCALING_RULES), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static HORIZONTAL_POD_AUTOSCALER_CONDITION: Message = Message {
    name: "HorizontalPodAutoscalerCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "observedGeneration", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
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
        Field { number: 4, name: "metrics", shape: Shape::Many, kind: Kind::Message(&METRIC_SPEC), presence: Presence::NotEmpty },
        Field { number: 5, name: "behavior", shape: Shape::Optional, kind: Kind::Message(&HORIZONTAL_POD_AUTOSCALER_BEHAVIOR), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static HORIZONTAL_POD_AUTOSCALER_STATUS: Message = Message {
    name: "HorizontalPodAutoscalerStatus",
    fields: &[
        Field { number: 1, name: "observedGeneration", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "lastScaleTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 3, name: "currentReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "desiredReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 5, name: "currentMetrics", shape: Shape::Many, kind: Kind::Message(&METRIC_STATUS), presence: Presence::Always },
        Field { number: 6, name: "conditions", shape: Shape::Many, kind: Kind::Message(&HORIZONTAL_POD_AUTOSCALER_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static METRIC_IDENTIFIER: Message = Message {
    name: "MetricIdentifier",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static METRIC_SPEC: Message = Message {
    name: "MetricSpec",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "object", shape: Shape::Optional, kind: Kind::Message(&OBJECT_METRIC_SOURCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "pods", shape: Shape::Optional, kind: Kind::Message(&PODS_METRIC_SOURCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "resource", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_METRIC_SOURCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "containerResource", shape: Shape::Optional, kind: Kind::Message(&CONTAINER_RESOURCE_METRIC_SOURCE), presence: Presence::NotEmpty },
        Field { number: 5, name: "external", shape: Shape::Optional, kind: Kind::Message(&EXTERNAL_METRIC_SOURCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(5), FieldEntry::Unknown, FieldEntry::Field(4)],
};

pub(super) static METRIC_STATUS: Message = Message {
    name: "MetricStatus",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "object", shape: Shape::Optional, kind: Kind::Message(&OBJECT_METRIC_STATUS), presence: Presence::NotEmpty },
        Field { number: 3, name: "pods", shape: Shape::Optional, kind: Kind::Message(&PODS_METRIC_STATUS), presence: Presence::NotEmpty },
        Field { number: 4, name: "resource", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_METRIC_STATUS), presence: Presence::NotEmpty },
        Field { number: 7, name: "containerResource", shape: Shape::Optional, kind: Kind::Message(&CONTAINER_RESOURCE_METRIC_STATUS), presence: Presence::NotEmpty },
        Field { number: 5, name: "external", shape: Shape::Optional, kind: Kind::Message(&EXTERNAL_METRIC_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(5), FieldEntry::Unknown, FieldEntry::Field(4)],
};

pub(super) static METRIC_TARGET: Message = Message {
    name: "MetricTarget",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "averageValue", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 4, name: "averageUtilization", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static METRIC_VALUE_STATUS: Message = Message {
    name: "MetricValueStatus",
    fields: &[
        Field { number: 1, name: "value", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 2, name: "averageValue", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "averageUtilization", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static OBJECT_METRIC_SOURCE: Message = Message {
    name: "ObjectMetricSource",
    fields: &[
        Field { number: 1, name: "describedObject", shape: Shape::One, kind: Kind::Message(&CROSS_VERSION_OBJECT_REFERENCE), presence: Presence::Always },
        Field { number: 2, name: "target", shape: Shape::One, kind: Kind::Message(&METRIC_TARGET), presence: Presence::Always },
        Field { number: 3, name: "metric", shape: Shape::One, kind: Kind::Message(&METRIC_IDENTIFIER), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static OBJECT_METRIC_STATUS: Message = Message {
    name: "ObjectMetricStatus",
    fields: &[
        Field { number: 1, name: "metric", shape: Shape::One, kind: Kind::Message(&METRIC_IDENTIFIER), presence: Presence::Always },
        Field { number: 2, name: "current", shape: Shape::One, kind: Kind::Message(&METRIC_VALUE_STATUS), presence: Presence::Always },
        Field { number: 3, name: "describedObject", shape: Shape::One, kind: Kind::Message(&CROSS_VERSION_OBJECT_REFERENCE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PODS_METRIC_SOURCE: Message = Message {
    name: "PodsMetricSource",
    fields: &[
        Field { number: 1, name: "metric", shape: Shape::One, kind: Kind::Message(&METRIC_IDENTIFIER), presence: Presence::Always },
        Field { number: 2, name: "target", shape: Shape::One, kind: Kind::Message(&METRIC_TARGET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PODS_METRIC_STATUS: Message = Message {
    name: "PodsMetricStatus",
    fields: &[
        Field { number: 1, name: "metric", shape: Shape::One, kind: Kind::Message(&METRIC_IDENTIFIER), presence: Presence::Always },
        Field { number: 2, name: "current", shape: Shape::One, kind: Kind::Message(&METRIC_VALUE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_METRIC_SOURCE: Message = Message {
    name: "ResourceMetricSource",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "target", shape: Shape::One, kind: Kind::Message(&METRIC_TARGET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_METRIC_STATUS: Message = Message {
    name: "ResourceMetricStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "current", shape: Shape::One, kind: Kind::Message(&METRIC_VALUE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};
