//! The messages of k8s.io/api/resource/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static ALLOCATED_DEVICE_STATUS: Message = Message {
    name: "AllocatedDeviceStatus",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "pool", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "device", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 7, name: "shareID", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::Always },
        Field { number: 5, name: "data", shape: Shape::Optional, kind: Kind::Raw, presence: Presence::NotEmpty },
        Field { number: 6, name: "networkData", shape: Shape::Optional, kind: Kind::Message(&NETWORK_DEVICE_DATA), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(3)],
};

pub(super) static ALLOCATION_RESULT: Message = Message {
    name: "AllocationResult",
    fields: &[
        Field { number: 1, name: "devices", shape: Shape::One, kind: Kind::Message(&DEVICE_ALLOCATION_RESULT), presence: Presence::Always },
        Field { number: 3, name: "nodeSelector", shape: Shape::Optional, kind: Kind::Message(&super::core_v1::NODE_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 5, name: "allocationTimestamp", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2)],
};

pub(super) static CEL_DEVICE_SELECTOR: Message = Message {
    name: "CELDeviceSelector",
    fields: &[
        Field { number: 1, name: "expression", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static CAPACITY_REQUEST_POLICY: Message = Message {
    name: "CapacityRequestPolicy",
    fields: &[
        Field { number: 1, name: "default", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::Always },
        Field { number: 3, name: "validValues", shape: Shape::Many, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 4, name: "validRange", shape: Shape::Optional, kind: Kind::Message(&CAPACITY_REQUEST_POLICY_RANGE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CAPACITY_REQUEST_POLICY_RANGE: Message = Message {
    name: "CapacityRequestPolicyRange",
    fields: &[
        Field { number: 1, name: "min", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 2, name: "max", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "step", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CAPACITY_REQUIREMENTS: Message = Message {
    name: "CapacityRequirements",
    fields: &[
        Field { number: 1, name: "requests", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static COUNTER: Message = Message {
    name: "Counter",
    fields: &[
        Field { number: 1, name: "value", shape: Shape::One, kind: Kind::Quantity, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static COUNTER_SET: Message = Message {
    name: "CounterSet",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "counters", shape: Shape::Map, kind: Kind::Message(&COUNTER), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE: Message = Message {
    name: "Device",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "attributes", shape: Shape::Map, kind: Kind::Message(&DEVICE_ATTRIBUTE), presence: Presence::NotEmpty },
        Field { number: 3, name: "capacity", shape: Shape::Map, kind: Kind::Message(&DEVICE_CAPACITY), presence: Presence::NotEmpty },
        Field { number: 4, name: "consumesCounters", shape: Shape::Many, kind: Kind::Message(&DEVICE_COUNTER_CONSUMPTION), presence: Presence::NotEmpty },
        Field { number: 5, name: "nodeName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "nodeSelector", shape: Shape::Optional, kind: Kind::Message(&super::core_v1::NODE_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 7, name: "allNodes", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 8, name: "taints", shape: Shape::Many, kind: Kind::Message(&DEVICE_TAINT), presence: Presence::NotEmpty },
        Field { number: 9, name: "bindsToNode", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 10, name: "bindingConditions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 11, name: "bindingFailureConditions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 12, name: "allowMultipleAllocations", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 14, name: "nodeAllocatableResources", shape: Shape::Map, kind: Kind::Message(&NODE_ALLOCATABLE_RESOURCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Unknown, FieldEntry::Field(12)],
};

pub(super) static DEVICE_ALLOCATION_CONFIGURATION: Message = Message {
    name: "DeviceAllocationConfiguration",
    fields: &[
        Field { number: 1, name: "source", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "requests", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "opaque", shape: Shape::Optional, kind: Kind::Message(&OPAQUE_DEVICE_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Inlined(2, &DEVICE_CONFIGURATION)],
};

pub(super) static DEVICE_ALLOCATION_RESULT: Message = Message {
    name: "DeviceAllocationResult",
    fields: &[
        Field { number: 1, name: "results", shape: Shape::Many, kind: Kind::Message(&DEVICE_REQUEST_ALLOCATION_RESULT), presence: Presence::NotEmpty },
        Field { number: 2, name: "config", shape: Shape::Many, kind: Kind::Message(&DEVICE_ALLOCATION_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_ATTRIBUTE: Message = Message {
    name: "DeviceAttribute",
    fields: &[
        Field { number: 2, name: "int", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 3, name: "bool", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "string", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "version", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "ints", shape: Shape::Many, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 7, name: "bools", shape: Shape::Many, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 8, name: "strings", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "versions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static DEVICE_CAPACITY: Message = Message {
    name: "DeviceCapacity",
    fields: &[
        Field { number: 1, name: "value", shape: Shape::One, kind: Kind::Quantity, presence: Presence::Always },
        Field { number: 2, name: "requestPolicy", shape: Shape::Optional, kind: Kind::Message(&CAPACITY_REQUEST_POLICY), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_CLAIM: Message = Message {
    name: "DeviceClaim",
    fields: &[
        Field { number: 1, name: "requests", shape: Shape::Many, kind: Kind::Message(&DEVICE_REQUEST), presence: Presence::Always },
        Field { number: 2, name: "constraints", shape: Shape::Many, kind: Kind::Message(&DEVICE_CONSTRAINT), presence: Presence::NotEmpty },
        Field { number: 3, name: "config", shape: Shape::Many, kind: Kind::Message(&DEVICE_CLAIM_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEVICE_CLAIM_CONFIGURATION: Message = Message {
    name: "DeviceClaimConfiguration",
    fields: &[
        Field { number: 1, name: "requests", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "opaque", shape: Shape::Optional, kind: Kind::Message(&OPAQUE_DEVICE_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Inlined(1, &DEVICE_CONFIGURATION)],
};

pub(super) static DEVICE_CLASS: Message = Message {
    name: "DeviceClass",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&DEVICE_CLASS_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_CLASS_CONFIGURATION: Message = Message {
    name: "DeviceClassConfiguration",
    fields: &[
        Field { number: 1, name: "opaque", shape: Shape::Optional, kind: Kind::Message(&OPAQUE_DEVICE_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &DEVICE_CONFIGURATION)],
};

pub(super) static DEVICE_CLASS_LIST: Message = Message {
    name: "DeviceClassList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&DEVICE_CLASS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_CLASS_SPEC: Message = Message {
    name: "DeviceClassSpec",
    fields: &[
        Field { number: 1, name: "selectors", shape: Shape::Many, kind: Kind::Message(&DEVICE_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "config", shape: Shape::Many, kind: Kind::Message(&DEVICE_CLASS_CONFIGURATION), presence: Presence::NotEmpty },
        Field { number: 4, name: "extendedResourceName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2)],
};

pub(super) static DEVICE_CONFIGURATION: Message = Message {
    name: "DeviceConfiguration",
    fields: &[
        Field { number: 1, name: "opaque", shape: Shape::Optional, kind: Kind::Message(&OPAQUE_DEVICE_CONFIGURATION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static DEVICE_CONSTRAINT: Message = Message {
    name: "DeviceConstraint",
    fields: &[
        Field { number: 1, name: "requests", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "matchAttribute", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "distinctAttribute", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEVICE_COUNTER_CONSUMPTION: Message = Message {
    name: "DeviceCounterConsumption",
    fields: &[
        Field { number: 1, name: "counterSet", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "counters", shape: Shape::Map, kind: Kind::Message(&COUNTER), presence: Presence::NotEmpty },
        Field { number: 3, name: "compatibilityGroups", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEVICE_DERIVED_ATTRIBUTE: Message = Message {
    name: "DeviceDerivedAttribute",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "expression", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_REQUEST: Message = Message {
    name: "DeviceRequest",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "exactly", shape: Shape::Optional, kind: Kind::Message(&EXACT_DEVICE_REQUEST), presence: Presence::NotEmpty },
        Field { number: 3, name: "firstAvailable", shape: Shape::Many, kind: Kind::Message(&DEVICE_SUB_REQUEST), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEVICE_REQUEST_ALLOCATION_RESULT: Message = Message {
    name: "DeviceRequestAllocationResult",
    fields: &[
        Field { number: 1, name: "request", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "pool", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "device", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 5, name: "adminAccess", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 6, name: "tolerations", shape: Shape::Many, kind: Kind::Message(&DEVICE_TOLERATION), presence: Presence::NotEmpty },
        Field { number: 7, name: "bindingConditions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "bindingFailureConditions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "shareID", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "consumedCapacity", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 11, name: "skipNodeOperations", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10)],
};

pub(super) static DEVICE_SELECTOR: Message = Message {
    name: "DeviceSelector",
    fields: &[
        Field { number: 1, name: "cel", shape: Shape::Optional, kind: Kind::Message(&CEL_DEVICE_SELECTOR), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static DEVICE_SUB_REQUEST: Message = Message {
    name: "DeviceSubRequest",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "deviceClassName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "selectors", shape: Shape::Many, kind: Kind::Message(&DEVICE_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 4, name: "allocationMode", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "count", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "tolerations", shape: Shape::Many, kind: Kind::Message(&DEVICE_TOLERATION), presence: Presence::NotEmpty },
        Field { number: 7, name: "capacity", shape: Shape::Optional, kind: Kind::Message(&CAPACITY_REQUIREMENTS), presence: Presence::NotEmpty },
        Field { number: 8, name: "derivedAttributes", shape: Shape::Many, kind: Kind::Message(&DEVICE_DERIVED_ATTRIBUTE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static DEVICE_TAINT: Message = Message {
    name: "DeviceTaint",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "effect", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "timeAdded", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static DEVICE_TAINT_RULE: Message = Message {
    name: "DeviceTaintRule",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&DEVICE_TAINT_RULE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&DEVICE_TAINT_RULE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEVICE_TAINT_RULE_LIST: Message = Message {
    name: "DeviceTaintRuleList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&DEVICE_TAINT_RULE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_TAINT_RULE_SPEC: Message = Message {
    name: "DeviceTaintRuleSpec",
    fields: &[
        Field { number: 1, name: "deviceSelector", shape: Shape::Optional, kind: Kind::Message(&DEVICE_TAINT_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "taint", shape: Shape::One, kind: Kind::Message(&DEVICE_TAINT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEVICE_TAINT_RULE_STATUS: Message = Message {
    name: "DeviceTaintRuleStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static DEVICE_TAINT_SELECTOR: Message = Message {
    name: "DeviceTaintSelector",
    fields: &[
        Field { number: 2, name: "driver", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "pool", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "device", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEVICE_TOLERATION: Message = Message {
    name: "DeviceToleration",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "operator", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "value", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "effect", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "tolerationSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static EXACT_DEVICE_REQUEST: Message = Message {
    name: "ExactDeviceRequest",
    fields: &[
        Field { number: 1, name: "deviceClassName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "selectors", shape: Shape::Many, kind: Kind::Message(&DEVICE_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "allocationMode", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "count", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 5, name: "adminAccess", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 6, name: "tolerations", shape: Shape::Many, kind: Kind::Message(&DEVICE_TOLERATION), presence: Presence::NotEmpty },
        Field { number: 7, name: "capacity", shape: Shape::Optional, kind: Kind::Message(&CAPACITY_REQUIREMENTS), presence: Presence::NotEmpty },
        Field { number: 8, name: "derivedAttributes", shape: Shape::Many, kind: Kind::Message(&DEVICE_DERIVED_ATTRIBUTE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static NETWORK_DEVICE_DATA: Message = Message {
    name: "NetworkDeviceData",
    fields: &[
        Field { number: 1, name: "interfaceName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "ips", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "hardwareAddress", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NODE_ALLOCATABLE_MAPPING: Message = Message {
    name: "NodeAllocatableMapping",
    fields: &[
        Field { number: 1, name: "capacityKey", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "capacityMultiplier", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "deviceMultiplier", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NODE_ALLOCATABLE_OVERHEAD: Message = Message {
    name: "NodeAllocatableOverhead",
    fields: &[
        Field { number: 1, name: "perPod", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 2, name: "perContainer", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE_ALLOCATABLE_RESOURCE: Message = Message {
    name: "NodeAllocatableResource",
    fields: &[
        Field { number: 3, name: "mapping", shape: Shape::Optional, kind: Kind::Message(&NODE_ALLOCATABLE_MAPPING), presence: Presence::NotEmpty },
        Field { number: 4, name: "overhead", shape: Shape::Optional, kind: Kind::Message(&NODE_ALLOCATABLE_OVERHEAD), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static OPAQUE_DEVICE_CONFIGURATION: Message = Message {
    name: "OpaqueDeviceConfiguration",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "parameters", shape: Shape::One, kind: Kind::Raw, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_CLAIM: Message = Message {
    name: "ResourceClaim",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&RESOURCE_CLAIM_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&RESOURCE_CLAIM_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static RESOURCE_CLAIM_CONSUMER_REFERENCE: Message = Message {
    name: "ResourceClaimConsumerReference",
    fields: &[
        Field { number: 1, name: "apiGroup", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "resource", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 5, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static RESOURCE_CLAIM_LIST: Message = Message {
    name: "ResourceClaimList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&RESOURCE_CLAIM), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_CLAIM_SPEC: Message = Message {
    name: "ResourceClaimSpec",
    fields: &[
        Field { number: 1, name: "devices", shape: Shape::One, kind: Kind::Message(&DEVICE_CLAIM), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static RESOURCE_CLAIM_STATUS: Message = Message {
    name: "ResourceClaimStatus",
    fields: &[
        Field { number: 1, name: "allocation", shape: Shape::Optional, kind: Kind::Message(&ALLOCATION_RESULT), presence: Presence::NotEmpty },
        Field { number: 2, name: "reservedFor", shape: Shape::Many, kind: Kind::Message(&RESOURCE_CLAIM_CONSUMER_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "devices", shape: Shape::Many, kind: Kind::Message(&ALLOCATED_DEVICE_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2)],
};

pub(super) static RESOURCE_CLAIM_TEMPLATE: Message = Message {
    name: "ResourceClaimTemplate",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&RESOURCE_CLAIM_TEMPLATE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_CLAIM_TEMPLATE_LIST: Message = Message {
    name: "ResourceClaimTemplateList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&RESOURCE_CLAIM_TEMPLATE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_CLAIM_TEMPLATE_SPEC: Message = Message {
    name: "ResourceClaimTemplateSpec",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&RESOURCE_CLAIM_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_POOL: Message = Message {
    name: "ResourcePool",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "generation", shape: Shape::One, kind: Kind::Int64, presence: Presence::Always },
        Field { number: 3, name: "resourceSliceCount", shape: Shape::One, kind: Kind::Int64, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static RESOURCE_SLICE: Message = Message {
    name: "ResourceSlice",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&RESOURCE_SLICE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_SLICE_LIST: Message = Message {
    name: "ResourceSliceList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&RESOURCE_SLICE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_SLICE_SPEC: Message = Message {
    name: "ResourceSliceSpec",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "pool", shape: Shape::One, kind: Kind::Message(&RESOURCE_POOL), presence: Presence::Always },
        Field { number: 3, name: "nodeName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "nodeSelector", shape: Shape::Optional, kind: Kind::Message(&super::core_v1::NODE_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 5, name: "allNodes", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 6, name: "devices", shape: Shape::Many, kind: Kind::Message(&DEVICE), presence: Presence::NotEmpty },
        Field { number: 7, name: "perDeviceNodeSelection", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 8, name: "sharedCounters", shape: Shape::Many, kind: Kind::Message(&COUNTER_SET), presence: Presence::NotEmpty },
        Field { number: 9, name: "partitionTypeAttribute", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "skipNodeOperations", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9)],
};
