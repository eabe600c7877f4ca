//! The messages of k8s.io/api/flowcontrol/v1beta2.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static EXEMPT_PRIORITY_LEVEL_CONFIGURATION: Message = Message {
    name: "ExemptPriorityLevelConfiguration",
    fields: &[
        Field { number: 1, name: "nominalConcurrencyShares", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "lendablePercent", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static FLOW_DISTINGUISHER_METHOD: Message = Message {
    name: "FlowDistinguisherMethod",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static FLOW_SCHEMA: Message = Message {
    name: "FlowSchema",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&FLOW_SCHEMA_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&FLOW_SCHEMA_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static FLOW_SCHEMA_CONDITION: Message = Message {
    name: "FlowSchemaCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static FLOW_SCHEMA_LIST: Message = Message {
    name: "FlowSchemaList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&FLOW_SCHEMA), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static FLOW_SCHEMA_SPEC: Message = Message {
    name: "FlowSchemaSpec",
    fields: &[
        Field { number: 1, name: "priorityLevelConfiguration", shape: Shape::One, kind: Kind::Message(&PRIORITY_LEVEL_CONFIGURATION_REFERENCE), presence: Presence::Always },
        Field { number: 2, name: "matchingPrecedence", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "distinguisherMethod", shape: Shape::Optional, kind: Kind::Message(&FLOW_DISTINGUISHER_METHOD), presence: Presence::NotEmpty },
        Field { number: 4, name: "rules", shape: Shape::Many, kind: Kind::Message(&POLICY_RULES_WITH_SUBJECTS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static FLOW_SCHEMA_STATUS: Message = Message {
    name: "FlowSchemaStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&FLOW_SCHEMA_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static GROUP_SUBJECT: Message = Message {
    name: "GroupSubject",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static LIMIT_RESPONSE: Message = Message {
    name: "LimitResponse",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "queuing", shape: Shape::Optional, kind: Kind::Message(&QUEUING_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LIMITED_PRIORITY_LEVEL_CONFIGURATION: Message = Message {
    name: "LimitedPriorityLevelConfiguration",
    fields: &[
        Field { number: 1, name: "assuredConcurrencyShares", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "limitResponse", shape: Shape::One, kind: Kind::Message(&LIMIT_RESPONSE), presence: Presence::Always },
        Field { number: 3, name: "lendablePercent", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "borrowingLimitPercent", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static NON_RESOURCE_POLICY_RULE: Message = Message {
    name: "NonResourcePolicyRule",
    fields: &[
        Field { number: 1, name: "verbs", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "nonResourceURLs", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(1)],
};

pub(super) static POLICY_RULES_WITH_SUBJECTS: Message = Message {
    name: "PolicyRulesWithSubjects",
    fields: &[
        Field { number: 1, name: "subjects", shape: Shape::Many, kind: Kind::Message(&SUBJECT), presence: Presence::Always },
        Field { number: 2, name: "resourceRules", shape: Shape::Many, kind: Kind::Message(&RESOURCE_POLICY_RULE), presence: Presence::NotEmpty },
        Field { number: 3, name: "nonResourceRules", shape: Shape::Many, kind: Kind::Message(&NON_RESOURCE_POLICY_RULE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PRIORITY_LEVEL_CONFIGURATION: Message = Message {
    name: "PriorityLevelConfiguration",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&PRIORITY_LEVEL_CONFIGURATION_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&PRIORITY_LEVEL_CONFIGURATION_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PRIORITY_LEVEL_CONFIGURATION_CONDITION: Message = Message {
    name: "PriorityLevelConfigurationCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static PRIORITY_LEVEL_CONFIGURATION_LIST: Message = Message {
    name: "PriorityLevelConfigurationList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&PRIORITY_LEVEL_CONFIGURATION), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PRIORITY_LEVEL_CONFIGURATION_REFERENCE: Message = Message {
    name: "PriorityLevelConfigurationReference",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static PRIORITY_LEVEL_CONFIGURATION_SPEC: Message = Message {
    name: "PriorityLevelConfigurationSpec",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "limited", shape: Shape::Optional, kind: Kind::Message(&LIMITED_PRIORITY_LEVEL_CONFIGURATION), presence: Presence::NotEmpty },
        Field { number: 3, name: "exempt", shape: Shape::Optional, kind: Kind::Message(&EXEMPT_PRIORITY_LEVEL_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PRIORITY_LEVEL_CONFIGURATION_STATUS: Message = Message {
    name: "PriorityLevelConfigurationStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&PRIORITY_LEVEL_CONFIGURATION_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static QUEUING_CONFIGURATION: Message = Message {
    name: "QueuingConfiguration",
    fields: &[
        Field { number: 1, name: "queues", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "handSize", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "queueLengthLimit", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static RESOURCE_POLICY_RULE: Message = Message {
    name: "ResourcePolicyRule",
    fields: &[
        Field { number: 1, name: "verbs", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "apiGroups", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "resources", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "clusterScope", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "namespaces", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static SERVICE_ACCOUNT_SUBJECT: Message = Message {
    name: "ServiceAccountSubject",
    fields: &[
        Field { number: 1, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SUBJECT: Message = Message {
    name: "Subject",
    fields: &[
        Field { number: 1, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "user", shape: Shape::Optional, kind: Kind::Message(&USER_SUBJECT), presence: Presence::NotEmpty },
        Field { number: 3, name: "group", shape: Shape::Optional, kind: Kind::Message(&GROUP_SUBJECT), presence: Presence::NotEmpty },
        Field { number: 4, name: "serviceAccount", shape: Shape::Optional, kind: Kind::Message(&SERVICE_ACCOUNT_SUBJECT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static USER_SUBJECT: Message = Message {
    name: "UserSubject",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};
