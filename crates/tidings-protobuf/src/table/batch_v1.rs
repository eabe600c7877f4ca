//! The messages of k8s.io/api/batch/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CRON_JOB: Message = Message {
    name: "CronJob",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&CRON_JOB_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&CRON_JOB_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CRON_JOB_LIST: Message = Message {
    name: "CronJobList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CRON_JOB), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CRON_JOB_SPEC: Message = Message {
    name: "CronJobSpec",
    fields: &[
        Field { number: 1, name: "schedule", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 8, name: "timeZone", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "startingDeadlineSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 3, name: "concurrencyPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "suspend", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "jobTemplate", shape: Shape::One, kind: Kind::Message(&JOB_TEMPLATE_SPEC), presence: Presence::Always },
        Field { number: 6, name: "successfulJobsHistoryLimit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "failedJobsHistoryLimit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(1)],
};

pub(super) static CRON_JOB_STATUS: Message = Message {
    name: "CronJobStatus",
    fields: &[
        Field { number: 1, name: "active", shape: Shape::Many, kind: Kind::Message(&super::core_v1::OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "lastScheduleTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 5, name: "lastSuccessfulTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static JOB: Message = Message {
    name: "Job",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&JOB_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&JOB_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static JOB_CONDITION: Message = Message {
    name: "JobCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastProbeTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 5, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static JOB_LIST: Message = Message {
    name: "JobList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&JOB), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static JOB_SCHEDULING_CONFIGURATION: Message = Message {
    name: "JobSchedulingConfiguration",
    fields: &[
        Field { number: 1, name: "schedulingPolicy", shape: Shape::Optional, kind: Kind::Message(&super::scheduling_v1alpha3::WORKLOAD_POD_GROUP_SCHEDULING_POLICY), presence: Presence::NotEmpty },
        Field { number: 2, name: "schedulingConstraints", shape: Shape::Optional, kind: Kind::Message(&super::scheduling_v1alpha3::WORKLOAD_POD_GROUP_SCHEDULING_CONSTRAINTS), presence: Presence::NotEmpty },
        Field { number: 3, name: "disruptionMode", shape: Shape::Optional, kind: Kind::Message(&super::scheduling_v1alpha3::WORKLOAD_POD_GROUP_DISRUPTION_MODE), presence: Presence::NotEmpty },
        Field { number: 4, name: "resourceClaims", shape: Shape::Many, kind: Kind::Message(&super::scheduling_v1alpha3::WORKLOAD_POD_GROUP_RESOURCE_CLAIM), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static JOB_SPEC: Message = Message {
    name: "JobSpec",
    fields: &[
        Field { number: 1, name: "parallelism", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "completions", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "activeDeadlineSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 11, name: "podFailurePolicy", shape: Shape::Optional, kind: Kind::Message(&POD_FAILURE_POLICY), presence: Presence::NotEmpty },
        Field { number: 16, name: "successPolicy", shape: Shape::Optional, kind: Kind::Message(&SUCCESS_POLICY), presence: Presence::NotEmpty },
        Field { number: 7, name: "backoffLimit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 12, name: "backoffLimitPerIndex", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 13, name: "maxFailedIndexes", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 5, name: "manualSelector", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 6, name: "template", shape: Shape::One, kind: Kind::Message(&super::core_v1::POD_TEMPLATE_SPEC), presence: Presence::Always },
        Field { number: 8, name: "ttlSecondsAfterFinished", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "completionMode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "suspend", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 14, name: "podReplacementPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 15, name: "managedBy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 17, name: "scheduling", shape: Shape::Optional, kind: Kind::Message(&JOB_SCHEDULING_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(5), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(3), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(14), FieldEntry::Field(15), FieldEntry::Field(4), FieldEntry::Field(16)],
};

pub(super) static JOB_STATUS: Message = Message {
    name: "JobStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&JOB_CONDITION), presence: Presence::NotEmpty },
        Field { number: 2, name: "startTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 3, name: "completionTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 4, name: "active", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "succeeded", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "failed", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 11, name: "terminating", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "completedIndexes", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "failedIndexes", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "uncountedTerminatedPods", shape: Shape::Optional, kind: Kind::Message(&UNCOUNTED_TERMINATED_PODS), presence: Presence::NotEmpty },
        Field { number: 9, name: "ready", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(7), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(8), FieldEntry::Field(6)],
};

pub(super) static JOB_TEMPLATE_SPEC: Message = Message {
    name: "JobTemplateSpec",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&JOB_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_FAILURE_POLICY: Message = Message {
    name: "PodFailurePolicy",
    fields: &[
        Field { number: 1, name: "rules", shape: Shape::Many, kind: Kind::Message(&POD_FAILURE_POLICY_RULE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT: Message = Message {
    name: "PodFailurePolicyOnExitCodesRequirement",
    fields: &[
        Field { number: 1, name: "containerName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "operator", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "values", shape: Shape::Many, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN: Message = Message {
    name: "PodFailurePolicyOnPodConditionsPattern",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_FAILURE_POLICY_RULE: Message = Message {
    name: "PodFailurePolicyRule",
    fields: &[
        Field { number: 1, name: "action", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "onExitCodes", shape: Shape::Optional, kind: Kind::Message(&POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT), presence: Presence::NotEmpty },
        Field { number: 3, name: "onPodConditions", shape: Shape::Many, kind: Kind::Message(&POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SUCCESS_POLICY: Message = Message {
    name: "SuccessPolicy",
    fields: &[
        Field { number: 1, name: "rules", shape: Shape::Many, kind: Kind::Message(&SUCCESS_POLICY_RULE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static SUCCESS_POLICY_RULE: Message = Message {
    name: "SuccessPolicyRule",
    fields: &[
        Field { number: 1, name: "succeededIndexes", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "succeededCount", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static UNCOUNTED_TERMINATED_PODS: Message = Message {
    name: "UncountedTerminatedPods",
    fields: &[
        Field { number: 1, name: "succeeded", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "failed", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};
