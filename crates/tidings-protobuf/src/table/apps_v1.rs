//! The messages of k8s.io/api/apps/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CONTROLLER_REVISION: Message = Message {
    name: "ControllerRevision",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "data", shape: Shape::One, kind: Kind::Raw, presence: Presence::Always },
        Field { number: 3, name: "revision", shape: Shape::One, kind: Kind::Int64, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CONTROLLER_REVISION_LIST: Message = Message {
    name: "ControllerRevisionList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CONTROLLER_REVISION), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DAEMON_SET: Message = Message {
    name: "DaemonSet",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&DAEMON_SET_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&DAEMON_SET_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DAEMON_SET_CONDITION: Message = Message {
    name: "DaemonSetCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static DAEMON_SET_LIST: Message = Message {
    name: "DaemonSetList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&DAEMON_SET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DAEMON_SET_SPEC: Message = Message {
    name: "DaemonSetSpec",
    fields: &[
        Field { number: 1, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::Always },
        Field { number: 2, name: "template", shape: Shape::One, kind: Kind::Message(&super::core_v1::POD_TEMPLATE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "updateStrategy", shape: Shape::One, kind: Kind::Message(&DAEMON_SET_UPDATE_STRATEGY), presence: Presence::Always },
        Field { number: 4, name: "minReadySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "revisionHistoryLimit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Unknown, FieldEntry::Field(4)],
};

pub(super) static DAEMON_SET_STATUS: Message = Message {
    name: "DaemonSetStatus",
    fields: &[
        Field { number: 1, name: "currentNumberScheduled", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "numberMisscheduled", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "desiredNumberScheduled", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "numberReady", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 5, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "updatedNumberScheduled", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "numberAvailable", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 8, name: "numberUnavailable", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "collisionCount", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 10, name: "conditions", shape: Shape::Many, kind: Kind::Message(&DAEMON_SET_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9)],
};

pub(super) static DAEMON_SET_UPDATE_STRATEGY: Message = Message {
    name: "DaemonSetUpdateStrategy",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "rollingUpdate", shape: Shape::Optional, kind: Kind::Message(&ROLLING_UPDATE_DAEMON_SET), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEPLOYMENT: Message = Message {
    name: "Deployment",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&DEPLOYMENT_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&DEPLOYMENT_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEPLOYMENT_CONDITION: Message = Message {
    name: "DeploymentCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "lastUpdateTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 7, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static DEPLOYMENT_LIST: Message = Message {
    name: "DeploymentList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&DEPLOYMENT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEPLOYMENT_SPEC: Message = Message {
    name: "DeploymentSpec",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::Always },
        Field { number: 3, name: "template", shape: Shape::One, kind: Kind::Message(&super::core_v1::POD_TEMPLATE_SPEC), presence: Presence::Always },
        Field { number: 4, name: "strategy", shape: Shape::One, kind: Kind::Message(&DEPLOYMENT_STRATEGY), presence: Presence::Always },
        Field { number: 5, name: "minReadySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "revisionHistoryLimit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "paused", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 9, name: "progressDeadlineSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Unknown, FieldEntry::Field(7)],
};

pub(super) static DEPLOYMENT_STATUS: Message = Message {
    name: "DeploymentStatus",
    fields: &[
        Field { number: 1, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "updatedReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "readyReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "availableReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "unavailableReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "terminatingReplicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "conditions", shape: Shape::Many, kind: Kind::Message(&DEPLOYMENT_CONDITION), presence: Presence::NotEmpty },
        Field { number: 8, name: "collisionCount", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(7), FieldEntry::Field(3), FieldEntry::Field(8), FieldEntry::Field(6)],
};

pub(super) static DEPLOYMENT_STRATEGY: Message = Message {
    name: "DeploymentStrategy",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "rollingUpdate", shape: Shape::Optional, kind: Kind::Message(&ROLLING_UPDATE_DEPLOYMENT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static REPLICA_SET: Message = Message {
    name: "ReplicaSet",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&REPLICA_SET_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&REPLICA_SET_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static REPLICA_SET_CONDITION: Message = Message {
    name: "ReplicaSetCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static REPLICA_SET_LIST: Message = Message {
    name: "ReplicaSetList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&REPLICA_SET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static REPLICA_SET_SPEC: Message = Message {
    name: "ReplicaSetSpec",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "minReadySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::Always },
        Field { number: 3, name: "template", shape: Shape::One, kind: Kind::Message(&super::core_v1::POD_TEMPLATE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(1)],
};

pub(super) static REPLICA_SET_STATUS: Message = Message {
    name: "ReplicaSetStatus",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "fullyLabeledReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "readyReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "availableReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "terminatingReplicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "conditions", shape: Shape::Many, kind: Kind::Message(&REPLICA_SET_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(5), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(6), FieldEntry::Field(4)],
};

pub(super) static ROLLING_UPDATE_DAEMON_SET: Message = Message {
    name: "RollingUpdateDaemonSet",
    fields: &[
        Field { number: 1, name: "maxUnavailable", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
        Field { number: 2, name: "maxSurge", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ROLLING_UPDATE_DEPLOYMENT: Message = Message {
    name: "RollingUpdateDeployment",
    fields: &[
        Field { number: 1, name: "maxUnavailable", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
        Field { number: 2, name: "maxSurge", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: Message = Message {
    name: "RollingUpdateStatefulSetStrategy",
    fields: &[
        Field { number: 1, name: "partition", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "maxUnavailable", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static STATEFUL_SET: Message = Message {
    name: "StatefulSet",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&STATEFUL_SET_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&STATEFUL_SET_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static STATEFUL_SET_CONDITION: Message = Message {
    name: "StatefulSetCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static STATEFUL_SET_LIST: Message = Message {
    name: "StatefulSetList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&STATEFUL_SET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static STATEFUL_SET_ORDINALS: Message = Message {
    name: "StatefulSetOrdinals",
    fields: &[
        Field { number: 1, name: "start", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: Message = Message {
    name: "StatefulSetPersistentVolumeClaimRetentionPolicy",
    fields: &[
        Field { number: 1, name: "whenDeleted", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "whenScaled", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static STATEFUL_SET_SPEC: Message = Message {
    name: "StatefulSetSpec",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::Always },
        Field { number: 3, name: "template", shape: Shape::One, kind: Kind::Message(&super::core_v1::POD_TEMPLATE_SPEC), presence: Presence::Always },
        Field { number: 4, name: "volumeClaimTemplates", shape: Shape::Many, kind: Kind::Message(&super::core_v1::PERSISTENT_VOLUME_CLAIM), presence: Presence::NotEmpty },
        Field { number: 5, name: "serviceName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "podManagementPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "updateStrategy", shape: Shape::One, kind: Kind::Message(&STATEFUL_SET_UPDATE_STRATEGY), presence: Presence::Always },
        Field { number: 8, name: "revisionHistoryLimit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "minReadySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 10, name: "persistentVolumeClaimRetentionPolicy", shape: Shape::Optional, kind: Kind::Message(&STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY), presence: Presence::NotEmpty },
        Field { number: 11, name: "ordinals", shape: Shape::Optional, kind: Kind::Message(&STATEFUL_SET_ORDINALS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10)],
};

pub(super) static STATEFUL_SET_STATUS: Message = Message {
    name: "StatefulSetStatus",
    fields: &[
        Field { number: 1, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "readyReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "currentReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "updatedReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "currentRevision", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "updateRevision", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "collisionCount", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 10, name: "conditions", shape: Shape::Many, kind: Kind::Message(&STATEFUL_SET_CONDITION), presence: Presence::NotEmpty },
        Field { number: 11, name: "availableReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Unknown, FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9)],
};

pub(super) static STATEFUL_SET_UPDATE_STRATEGY: Message = Message {
    name: "StatefulSetUpdateStrategy",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "rollingUpdate", shape: Shape::Optional, kind: Kind::Message(&ROLLING_UPDATE_STATEFUL_SET_STRATEGY), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};
