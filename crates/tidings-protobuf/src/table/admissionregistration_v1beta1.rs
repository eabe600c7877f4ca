//! The messages of k8s.io/api/admissionregistration/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static APPLY_CONFIGURATION: Message = Message {
    name: "ApplyConfiguration",
    fields: &[
        Field { number: 1, name: "expression", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static AUDIT_ANNOTATION: Message = Message {
    name: "AuditAnnotation",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "valueExpression", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EXPRESSION_WARNING: Message = Message {
    name: "ExpressionWarning",
    fields: &[
        Field { number: 2, name: "fieldRef", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "warning", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static JSON_PATCH: Message = Message {
    name: "JSONPatch",
    fields: &[
        Field { number: 1, name: "expression", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static MATCH_CONDITION: Message = Message {
    name: "MatchCondition",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "expression", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static MATCH_RESOURCES: Message = Message {
    name: "MatchResources",
    fields: &[
        Field { number: 1, name: "namespaceSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "objectSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "resourceRules", shape: Shape::Many, kind: Kind::Message(&NAMED_RULE_WITH_OPERATIONS), presence: Presence::NotEmpty },
        Field { number: 4, name: "excludeResourceRules", shape: Shape::Many, kind: Kind::Message(&NAMED_RULE_WITH_OPERATIONS), presence: Presence::NotEmpty },
        Field { number: 7, name: "matchPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(4)],
};

pub(super) static MUTATING_ADMISSION_POLICY: Message = Message {
    name: "MutatingAdmissionPolicy",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&MUTATING_ADMISSION_POLICY_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static MUTATING_ADMISSION_POLICY_BINDING: Message = Message {
    name: "MutatingAdmissionPolicyBinding",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&MUTATING_ADMISSION_POLICY_BINDING_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static MUTATING_ADMISSION_POLICY_BINDING_LIST: Message = Message {
    name: "MutatingAdmissionPolicyBindingList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&MUTATING_ADMISSION_POLICY_BINDING), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static MUTATING_ADMISSION_POLICY_BINDING_SPEC: Message = Message {
    name: "MutatingAdmissionPolicyBindingSpec",
    fields: &[
        Field { number: 1, name: "policyName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "paramRef", shape: Shape::Optional, kind: Kind::Message(&PARAM_REF), presence: Presence::NotEmpty },
        Field { number: 3, name: "matchResources", shape: Shape::Optional, kind: Kind::Message(&MATCH_RESOURCES), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static MUTATING_ADMISSION_POLICY_LIST: Message = Message {
    name: "MutatingAdmissionPolicyList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&MUTATING_ADMISSION_POLICY), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static MUTATING_ADMISSION_POLICY_SPEC: Message = Message {
    name: "MutatingAdmissionPolicySpec",
    fields: &[
        Field { number: 1, name: "paramKind", shape: Shape::Optional, kind: Kind::Message(&PARAM_KIND), presence: Presence::NotEmpty },
        Field { number: 2, name: "matchConstraints", shape: Shape::Optional, kind: Kind::Message(&MATCH_RESOURCES), presence: Presence::NotEmpty },
        Field { number: 3, name: "variables", shape: Shape::Many, kind: Kind::Message(&VARIABLE), presence: Presence::NotEmpty },
        Field { number: 4, name: "mutations", shape: Shape::Many, kind: Kind::Message(&MUTATION), presence: Presence::NotEmpty },
        Field { number: 5, name: "failurePolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "matchConditions", shape: Shape::Many, kind: Kind::Message(&MATCH_CONDITION), presence: Presence::NotEmpty },
        Field { number: 7, name: "reinvocationPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6)],
};

pub(super) static MUTATING_WEBHOOK: Message = Message {
    name: "MutatingWebhook",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "clientConfig", shape: Shape::One, kind: Kind::Message(&WEBHOOK_CLIENT_CONFIG), presence: Presence::Always },
        Field { number: 3, name: "rules", shape: Shape::Many, kind: Kind::Message(&super::admissionregistration_v1::RULE_WITH_OPERATIONS), presence: Presence::NotEmpty },
        Field { number: 4, name: "failurePolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "matchPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "namespaceSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 11, name: "objectSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 6, name: "sideEffects", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "timeoutSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 8, name: "admissionReviewVersions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "reinvocationPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 12, name: "matchConditions", shape: Shape::Many, kind: Kind::Message(&MATCH_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(5), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(4), FieldEntry::Field(10), FieldEntry::Field(6), FieldEntry::Field(11)],
};

pub(super) static MUTATING_WEBHOOK_CONFIGURATION: Message = Message {
    name: "MutatingWebhookConfiguration",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "webhooks", shape: Shape::Many, kind: Kind::Message(&MUTATING_WEBHOOK), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static MUTATING_WEBHOOK_CONFIGURATION_LIST: Message = Message {
    name: "MutatingWebhookConfigurationList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&MUTATING_WEBHOOK_CONFIGURATION), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static MUTATION: Message = Message {
    name: "Mutation",
    fields: &[
        Field { number: 2, name: "patchType", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "applyConfiguration", shape: Shape::Optional, kind: Kind::Message(&APPLY_CONFIGURATION), presence: Presence::NotEmpty },
        Field { number: 4, name: "jsonPatch", shape: Shape::Optional, kind: Kind::Message(&JSON_PATCH), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NAMED_RULE_WITH_OPERATIONS: Message = Message {
    name: "NamedRuleWithOperations",
    fields: &[
        Field { number: 1, name: "resourceNames", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "operations", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "apiGroups", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "apiVersions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "resources", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "scope", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Inlined(1, &super::admissionregistration_v1::RULE_WITH_OPERATIONS)],
};

pub(super) static PARAM_KIND: Message = Message {
    name: "ParamKind",
    fields: &[
        Field { number: 1, name: "apiVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PARAM_REF: Message = Message {
    name: "ParamRef",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 4, name: "parameterNotFoundAction", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static SERVICE_REFERENCE: Message = Message {
    name: "ServiceReference",
    fields: &[
        Field { number: 1, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "path", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "port", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static TYPE_CHECKING: Message = Message {
    name: "TypeChecking",
    fields: &[
        Field { number: 1, name: "expressionWarnings", shape: Shape::Many, kind: Kind::Message(&EXPRESSION_WARNING), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static VALIDATING_ADMISSION_POLICY: Message = Message {
    name: "ValidatingAdmissionPolicy",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&VALIDATING_ADMISSION_POLICY_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&VALIDATING_ADMISSION_POLICY_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static VALIDATING_ADMISSION_POLICY_BINDING: Message = Message {
    name: "ValidatingAdmissionPolicyBinding",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&VALIDATING_ADMISSION_POLICY_BINDING_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VALIDATING_ADMISSION_POLICY_BINDING_LIST: Message = Message {
    name: "ValidatingAdmissionPolicyBindingList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&VALIDATING_ADMISSION_POLICY_BINDING), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VALIDATING_ADMISSION_POLICY_BINDING_SPEC: Message = Message {
    name: "ValidatingAdmissionPolicyBindingSpec",
    fields: &[
        Field { number: 1, name: "policyName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "paramRef", shape: Shape::Optional, kind: Kind::Message(&PARAM_REF), presence: Presence::NotEmpty },
        Field { number: 3, name: "matchResources", shape: Shape::Optional, kind: Kind::Message(&MATCH_RESOURCES), presence: Presence::NotEmpty },
        Field { number: 4, name: "validationActions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static VALIDATING_ADMISSION_POLICY_LIST: Message = Message {
    name: "ValidatingAdmissionPolicyList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&VALIDATING_ADMISSION_POLICY), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VALIDATING_ADMISSION_POLICY_SPEC: Message = Message {
    name: "ValidatingAdmissionPolicySpec",
    fields: &[
        Field { number: 1, name: "paramKind", shape: Shape::Optional, kind: Kind::Message(&PARAM_KIND), presence: Presence::NotEmpty },
        Field { number: 2, name: "matchConstraints", shape: Shape::Optional, kind: Kind::Message(&MATCH_RESOURCES), presence: Presence::NotEmpty },
        Field { number: 3, name: "validations", shape: Shape::Many, kind: Kind::Message(&VALIDATION), presence: Presence::NotEmpty },
        Field { number: 4, name: "failurePolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "auditAnnotations", shape: Shape::Many, kind: Kind::Message(&AUDIT_ANNOTATION), presence: Presence::NotEmpty },
        Field { number: 6, name: "matchConditions", shape: Shape::Many, kind: Kind::Message(&MATCH_CONDITION), presence: Presence::NotEmpty },
        Field { number: 7, name: "variables", shape: Shape::Many, kind: Kind::Message(&VARIABLE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6)],
};

pub(super) static VALIDATING_ADMISSION_POLICY_STATUS: Message = Message {
    name: "ValidatingAdmissionPolicyStatus",
    fields: &[
        Field { number: 1, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "typeChecking", shape: Shape::Optional, kind: Kind::Message(&TYPE_CHECKING), presence: Presence::NotEmpty },
        Field { number: 3, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static VALIDATING_WEBHOOK: Message = Message {
    name: "ValidatingWebhook",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "clientConfig", shape: Shape::One, kind: Kind::Message(&WEBHOOK_CLIENT_CONFIG), presence: Presence::Always },
        Field { number: 3, name: "rules", shape: Shape::Many, kind: Kind::Message(&super::admissionregistration_v1::RULE_WITH_OPERATIONS), presence: Presence::NotEmpty },
        Field { number: 4, name: "failurePolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "matchPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "namespaceSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 10, name: "objectSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 6, name: "sideEffects", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "timeoutSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 8, name: "admissionReviewVersions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 11, name: "matchConditions", shape: Shape::Many, kind: Kind::Message(&MATCH_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(5), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(4), FieldEntry::Field(6), FieldEntry::Field(10)],
};

pub(super) static VALIDATING_WEBHOOK_CONFIGURATION: Message = Message {
    name: "ValidatingWebhookConfiguration",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "webhooks", shape: Shape::Many, kind: Kind::Message(&VALIDATING_WEBHOOK), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VALIDATING_WEBHOOK_CONFIGURATION_LIST: Message = Message {
    name: "ValidatingWebhookConfigurationList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&VALIDATING_WEBHOOK_CONFIGURATION), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VALIDATION: Message = Message {
    name: "Validation",
    fields: &[
        Field { number: 1, name: "expression", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "reason", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "messageExpression", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static VARIABLE: Message = Message {
    name: "Variable",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "expression", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static WEBHOOK_CLIENT_CONFIG: Message = Message {
    name: "WebhookClientConfig",
    fields: &[
        Field { number: 3, name: "url", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "service", shape: Shape::Optional, kind: Kind::Message(&SERVICE_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 2, name: "caBundle", shape: Shape::One, kind: Kind::Bytes, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(0)],
};
