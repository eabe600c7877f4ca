//! The messages of k8s.io/api/scheduling/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static ALL_COMPOSITE_DISRUPTION_MODE: Message = Message {
    name: "AllCompositeDisruptionMode",
    fields: &[
    ],
    by_number: &[],
};

pub(super) static ALL_DISRUPTION_MODE: Message = Message {
    name: "AllDisruptionMode",
    fields: &[
    ],
    by_number: &[],
};

pub(super) static BASIC_SCHEDULING_POLICY: Message = Message {
    name: "BasicSchedulingPolicy",
    fields: &[
    ],
    by_number: &[],
};

pub(super) static COMPOSITE_BASIC_SCHEDULING_POLICY: Message = Message {
    name: "CompositeBasicSchedulingPolicy",
    fields: &[
    ],
    by_number: &[],
};

pub(super) static COMPOSITE_DISRUPTION_MODE: Message = Message {
    name: "CompositeDisruptionMode",
    fields: &[
        Field { number: 1, name: "single", shape: Shape::Optional, kind: Kind::Message(&SINGLE_COMPOSITE_DISRUPTION_MODE), presence: Presence::NotEmpty },
        Field { number: 2, name: "all", shape: Shape::Optional, kind: Kind::Message(&ALL_COMPOSITE_DISRUPTION_MODE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static COMPOSITE_GANG_SCHEDULING_POLICY: Message = Message {
    name: "CompositeGangSchedulingPolicy",
    fields: &[
        Field { number: 1, name: "minGroupCount", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static COMPOSITE_POD_GROUP_SCHEDULING_CONSTRAINTS: Message = Message {
    name: "CompositePodGroupSchedulingConstraints",
    fields: &[
        Field { number: 1, name: "topology", shape: Shape::Many, kind: Kind::Message(&TOPOLOGY_CONSTRAINT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static COMPOSITE_POD_GROUP_SCHEDULING_POLICY: Message = Message {
    name: "CompositePodGroupSchedulingPolicy",
    fields: &[
        Field { number: 1, name: "basic", shape: Shape::Optional, kind: Kind::Message(&COMPOSITE_BASIC_SCHEDULING_POLICY), presence: Presence::NotEmpty },
        Field { number: 2, name: "gang", shape: Shape::Optional, kind: Kind::Message(&COMPOSITE_GANG_SCHEDULING_POLICY), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static COMPOSITE_POD_GROUP_TEMPLATE: Message = Message {
    name: "CompositePodGroupTemplate",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "schedulingPolicy", shape: Shape::One, kind: Kind::Message(&COMPOSITE_POD_GROUP_SCHEDULING_POLICY), presence: Presence::Always },
        Field { number: 3, name: "schedulingConstraints", shape: Shape::Optional, kind: Kind::Message(&COMPOSITE_POD_GROUP_SCHEDULING_CONSTRAINTS), presence: Presence::NotEmpty },
        Field { number: 4, name: "disruptionMode", shape: Shape::Optional, kind: Kind::Message(&COMPOSITE_DISRUPTION_MODE), presence: Presence::NotEmpty },
        Field { number: 5, name: "priorityClassName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "priority", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "preemptionPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "podGroupTemplates", shape: Shape::Many, kind: Kind::Message(&POD_GROUP_TEMPLATE), presence: Presence::NotEmpty },
        Field { number: 9, name: "compositePodGroupTemplates", shape: Shape::Many, kind: Kind::Message(&COMPOSITE_POD_GROUP_TEMPLATE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8)],
};

pub(super) static DISRUPTION_MODE: Message = Message {
    name: "DisruptionMode",
    fields: &[
        Field { number: 1, name: "single", shape: Shape::Optional, kind: Kind::Message(&SINGLE_DISRUPTION_MODE), presence: Presence::NotEmpty },
        Field { number: 2, name: "all", shape: Shape::Optional, kind: Kind::Message(&ALL_DISRUPTION_MODE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static GANG_SCHEDULING_POLICY: Message = Message {
    name: "GangSchedulingPolicy",
    fields: &[
        Field { number: 1, name: "minCount", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static POD_GROUP: Message = Message {
    name: "PodGroup",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&POD_GROUP_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&POD_GROUP_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static POD_GROUP_LIST: Message = Message {
    name: "PodGroupList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&POD_GROUP), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_GROUP_RESOURCE_CLAIM: Message = Message {
    name: "PodGroupResourceClaim",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "resourceClaimName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "resourceClaimTemplateName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static POD_GROUP_RESOURCE_CLAIM_STATUS: Message = Message {
    name: "PodGroupResourceClaimStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "resourceClaimName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_GROUP_SCHEDULING_CONSTRAINTS: Message = Message {
    name: "PodGroupSchedulingConstraints",
    fields: &[
        Field { number: 1, name: "topology", shape: Shape::Many, kind: Kind::Message(&TOPOLOGY_CONSTRAINT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static POD_GROUP_SCHEDULING_POLICY: Message = Message {
    name: "PodGroupSchedulingPolicy",
    fields: &[
        Field { number: 1, name: "basic", shape: Shape::Optional, kind: Kind::Message(&BASIC_SCHEDULING_POLICY), presence: Presence::NotEmpty },
        Field { number: 2, name: "gang", shape: Shape::Optional, kind: Kind::Message(&GANG_SCHEDULING_POLICY), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_GROUP_SPEC: Message = Message {
    name: "PodGroupSpec",
    fields: &[
        Field { number: 1, name: "parentCompositePodGroupName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "workloadRef", shape: Shape::Optional, kind: Kind::Message(&WORKLOAD_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "schedulingPolicy", shape: Shape::One, kind: Kind::Message(&POD_GROUP_SCHEDULING_POLICY), presence: Presence::Always },
        Field { number: 4, name: "schedulingConstraints", shape: Shape::Optional, kind: Kind::Message(&POD_GROUP_SCHEDULING_CONSTRAINTS), presence: Presence::NotEmpty },
        Field { number: 5, name: "resourceClaims", shape: Shape::Many, kind: Kind::Message(&POD_GROUP_RESOURCE_CLAIM), presence: Presence::NotEmpty },
        Field { number: 6, name: "disruptionMode", shape: Shape::Optional, kind: Kind::Message(&DISRUPTION_MODE), presence: Presence::NotEmpty },
        Field { number: 7, name: "priorityClassName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "priority", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "preemptionPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8)],
};

pub(super) static POD_GROUP_STATUS: Message = Message {
    name: "PodGroupStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
        Field { number: 2, name: "resourceClaimStatuses", shape: Shape::Many, kind: Kind::Message(&POD_GROUP_RESOURCE_CLAIM_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_GROUP_TEMPLATE: Message = Message {
    name: "PodGroupTemplate",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "schedulingPolicy", shape: Shape::One, kind: Kind::Message(&POD_GROUP_SCHEDULING_POLICY), presence: Presence::Always },
        Field { number: 3, name: "schedulingConstraints", shape: Shape::Optional, kind: Kind::Message(&POD_GROUP_SCHEDULING_CONSTRAINTS), presence: Presence::Always },
        Field { number: 4, name: "resourceClaims", shape: Shape::Many, kind: Kind::Message(&POD_GROUP_RESOURCE_CLAIM), presence: Presence::NotEmpty },
        Field { number: 5, name: "disruptionMode", shape: Shape::Optional, kind: Kind::Message(&DISRUPTION_MODE), presence: Presence::NotEmpty },
        Field { number: 6, name: "priorityClassName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "priority", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 8, name: "preemptionPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static PRIORITY_CLASS: Message = Message {
    name: "PriorityClass",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "globalDefault", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "description", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "preemptionPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static PRIORITY_CLASS_LIST: Message = Message {
    name: "PriorityClassList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&PRIORITY_CLASS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SINGLE_COMPOSITE_DISRUPTION_MODE: Message = Message {
    name: "SingleCompositeDisruptionMode",
    fields: &[
    ],
    by_number: &[],
};

pub(super) static SINGLE_DISRUPTION_MODE: Message = Message {
    name: "SingleDisruptionMode",
    fields: &[
    ],
    by_number: &[],
};

pub(super) static TOPOLOGY_CONSTRAINT: Message = Message {
    name: "TopologyConstraint",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static TYPED_LOCAL_OBJECT_REFERENCE: Message = Message {
    name: "TypedLocalObjectReference",
    fields: &[
        Field { number: 1, name: "apiGroup", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static WORKLOAD: Message = Message {
    name: "Workload",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&WORKLOAD_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static WORKLOAD_LIST: Message = Message {
    name: "WorkloadList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&WORKLOAD), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static WORKLOAD_REFERENCE: Message = Message {
    name: "WorkloadReference",
    fields: &[
        Field { number: 1, name: "workloadName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "templateName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static WORKLOAD_SPEC: Message = Message {
    name: "WorkloadSpec",
    fields: &[
        Field { number: 1, name: "controllerRef", shape: Shape::Optional, kind: Kind::Message(&TYPED_LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 2, name: "podGroupTemplates", shape: Shape::Many, kind: Kind::Message(&POD_GROUP_TEMPLATE), presence: Presence::Always },
        Field { number: 3, name: "compositePodGroupTemplates", shape: Shape::Many, kind: Kind::Message(&COMPOSITE_POD_GROUP_TEMPLATE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};
