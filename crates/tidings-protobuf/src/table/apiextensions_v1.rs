//! The messages of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CUSTOM_RESOURCE_COLUMN_DEFINITION: Message = Message {
    name: "CustomResourceColumnDefinition",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "format", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "description", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "priority", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "jsonPath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static CUSTOM_RESOURCE_CONVERSION: Message = Message {
    name: "CustomResourceConversion",
    fields: &[
        Field { number: 1, name: "strategy", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "webhook", shape: Shape::Optional, kind: Kind::Message(&WEBHOOK_CONVERSION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CUSTOM_RESOURCE_DEFINITION: Message = Message {
    name: "CustomResourceDefinition",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&CUSTOM_RESOURCE_DEFINITION_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&CUSTOM_RESOURCE_DEFINITION_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CUSTOM_RESOURCE_DEFINITION_CONDITION: Message = Message {
    name: "CustomResourceDefinitionCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static CUSTOM_RESOURCE_DEFINITION_LIST: Message = Message {
    name: "CustomResourceDefinitionList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CUSTOM_RESOURCE_DEFINITION), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CUSTOM_RESOURCE_DEFINITION_NAMES: Message = Message {
    name: "CustomResourceDefinitionNames",
    fields: &[
        Field { number: 1, name: "plural", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "singular", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "shortNames", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 5, name: "listKind", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "categories", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static CUSTOM_RESOURCE_DEFINITION_SPEC: Message = Message {
    name: "CustomResourceDefinitionSpec",
    fields: &[
        Field { number: 1, name: "group", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "names", shape: Shape::One, kind: Kind::Message(&CUSTOM_RESOURCE_DEFINITION_NAMES), presence: Presence::Always },
        Field { number: 4, name: "scope", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 7, name: "versions", shape: Shape::Many, kind: Kind::Message(&CUSTOM_RESOURCE_DEFINITION_VERSION), presence: Presence::Always },
        Field { number: 9, name: "conversion", shape: Shape::Optional, kind: Kind::Message(&CUSTOM_RESOURCE_CONVERSION), presence: Presence::NotEmpty },
        Field { number: 10, name: "preserveUnknownFields", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(3), FieldEntry::Unknown, FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static CUSTOM_RESOURCE_DEFINITION_STATUS: Message = Message {
    name: "CustomResourceDefinitionStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&CUSTOM_RESOURCE_DEFINITION_CONDITION), presence: Presence::Always },
        Field { number: 2, name: "acceptedNames", shape: Shape::One, kind: Kind::Message(&CUSTOM_RESOURCE_DEFINITION_NAMES), presence: Presence::Always },
        Field { number: 3, name: "storedVersions", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static CUSTOM_RESOURCE_DEFINITION_VERSION: Message = Message {
    name: "CustomResourceDefinitionVersion",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "served", shape: Shape::One, kind: Kind::Bool, presence: Presence::Always },
        Field { number: 3, name: "storage", shape: Shape::One, kind: Kind::Bool, presence: Presence::Always },
        Field { number: 7, name: "deprecated", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 8, name: "deprecationWarning", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "schema", shape: Shape::Optional, kind: Kind::Message(&CUSTOM_RESOURCE_VALIDATION), presence: Presence::NotEmpty },
        Field { number: 5, name: "subresources", shape: Shape::Optional, kind: Kind::Message(&CUSTOM_RESOURCE_SUBRESOURCES), presence: Presence::NotEmpty },
        Field { number: 6, name: "additionalPrinterColumns", shape: Shape::Many, kind: Kind::Message(&CUSTOM_RESOURCE_COLUMN_DEFINITION), presence: Presence::NotEmpty },
        Field { number: 9, name: "selectableFields", shape: Shape::Many, kind: Kind::Message(&SELECTABLE_FIELD), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(8)],
};

pub(super) static CUSTOM_RESOURCE_SUBRESOURCE_SCALE: Message = Message {
    name: "CustomResourceSubresourceScale",
    fields: &[
        Field { number: 1, name: "specReplicasPath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "statusReplicasPath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "labelSelectorPath", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CUSTOM_RESOURCE_SUBRESOURCE_STATUS: Message = Message {
    name: "CustomResourceSubresourceStatus",
    fields: &[
    ],
    by_number: &[],
};

pub(super) static CUSTOM_RESOURCE_SUBRESOURCES: Message = Message {
    name: "CustomResourceSubresources",
    fields: &[
        Field { number: 1, name: "status", shape: Shape::Optional, kind: Kind::Message(&CUSTOM_RESOURCE_SUBRESOURCE_STATUS), presence: Presence::NotEmpty },
        Field { number: 2, name: "scale", shape: Shape::Optional, kind: Kind::Message(&CUSTOM_RESOURCE_SUBRESOURCE_SCALE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CUSTOM_RESOURCE_VALIDATION: Message = Message {
    name: "CustomResourceValidation",
    fields: &[
        Field { number: 1, name: "openAPIV3Schema", shape: Shape::Optional, kind: Kind::Message(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static EXTERNAL_DOCUMENTATION: Message = Message {
    name: "ExternalDocumentation",
    fields: &[
        Field { number: 1, name: "description", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "url", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static JSON_SCHEMA_PROPS: Message = Message {
    name: "JSONSchemaProps",
    fields: &[
        Field { number: 1, name: "id", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "$schema", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "$ref", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "description", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "format", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "title", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "default", shape: Shape::Optional, kind: Kind::Raw, presence: Presence::NotEmpty },
        Field { number: 9, name: "maximum", shape: Shape::Optional, kind: Kind::Double, presence: Presence::NotEmpty },
        Field { number: 10, name: "exclusiveMaximum", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 11, name: "minimum", shape: Shape::Optional, kind: Kind::Double, presence: Presence::NotEmpty },
        Field { number: 12, name: "exclusiveMinimum", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 13, name: "maxLength", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 14, name: "minLength", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 15, name: "pattern", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 16, name: "maxItems", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 17, name: "minItems", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 18, name: "uniqueItems", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 19, name: "multipleOf", shape: Shape::Optional, kind: Kind::Double, presence: Presence::NotEmpty },
        Field { number: 20, name: "enum", shape: Shape::Many, kind: Kind::Raw, presence: Presence::NotEmpty },
        Field { number: 21, name: "maxProperties", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 22, name: "minProperties", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 23, name: "required", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 24, name: "items", shape: Shape::Optional, kind: Kind::SchemaOrArray(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 25, name: "allOf", shape: Shape::Many, kind: Kind::Message(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 26, name: "oneOf", shape: Shape::Many, kind: Kind::Message(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 27, name: "anyOf", shape: Shape::Many, kind: Kind::Message(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 28, name: "not", shape: Shape::Optional, kind: Kind::Message(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 29, name: "properties", shape: Shape::Map, kind: Kind::Message(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 30, name: "additionalProperties", shape: Shape::Optional, kind: Kind::SchemaOrBool(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 31, name: "patternProperties", shape: Shape::Map, kind: Kind::Message(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 32, name: "dependencies", shape: Shape::Map, kind: Kind::SchemaOrStrings(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 33, name: "additionalItems", shape: Shape::Optional, kind: Kind::SchemaOrBool(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 34, name: "definitions", shape: Shape::Map, kind: Kind::Message(&JSON_SCHEMA_PROPS), presence: Presence::NotEmpty },
        Field { number: 35, name: "externalDocs", shape: Shape::Optional, kind: Kind::Message(&EXTERNAL_DOCUMENTATION), presence: Presence::NotEmpty },
        Field { number: 36, name: "example", shape: Shape::Optional, kind: Kind::Raw, presence: Presence::NotEmpty },
        Field { number: 37, name: "nullable", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 38, name: "x-kubernetes-preserve-unknown-fields", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 39, name: "x-kubernetes-embedded-resource", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 40, name: "x-kubernetes-int-or-string", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 41, name: "x-kubernetes-list-map-keys", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 42, name: "x-kubernetes-list-type", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 43, name: "x-kubernetes-map-type", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 44, name: "x-kubernetes-validations", shape: Shape::Many, kind: Kind::Message(&VALIDATION_RULE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(14), FieldEntry::Field(15), FieldEntry::Field(16), FieldEntry::Field(17), FieldEntry::Field(18), FieldEntry::Field(19), FieldEntry::Field(20), FieldEntry::Field(21), FieldEntry::Field(22), FieldEntry::Field(23), FieldEntry::Field(24), FieldEntry::Field(25), FieldEntry::Field(26), FieldEntry::Field(27), FieldEntry::Field(28), FieldEntry::Field(29), FieldEntry::Field(30), FieldEntry::Field(31), FieldEntry::Field(32), FieldEntry::Field(33), FieldEntry::Field(34), FieldEntry::Field(35), FieldEntry::Field(36), FieldEntry::Field(37), FieldEntry::Field(38), FieldEntry::Field(39), FieldEntry::Field(40), FieldEntry::Field(41), FieldEntry::Field(42), FieldEntry::Field(43)],
};

pub(super) static SELECTABLE_FIELD: Message = Message {
    name: "SelectableField",
    fields: &[
        Field { number: 1, name: "jsonPath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
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

pub(super) static VALIDATION_RULE: Message = Message {
    name: "ValidationRule",
    fields: &[
        Field { number: 1, name: "rule", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "messageExpression", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "reason", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "fieldPath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "optionalOldSelf", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
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

pub(super) static WEBHOOK_CONVERSION: Message = Message {
    name: "WebhookConversion",
    fields: &[
        Field { number: 2, name: "clientConfig", shape: Shape::Optional, kind: Kind::Message(&WEBHOOK_CLIENT_CONFIG), presence: Presence::NotEmpty },
        Field { number: 3, name: "conversionReviewVersions", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};
