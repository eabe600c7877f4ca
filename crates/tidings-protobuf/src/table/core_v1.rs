//! The messages of k8s.io/api/core/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Message = Message {
    name: "AWSElasticBlockStoreVolumeSource",
    fields: &[
        Field { number: 1, name: "volumeID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "partition", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static AFFINITY: Message = Message {
    name: "Affinity",
    fields: &[
        Field { number: 1, name: "nodeAffinity", shape: Shape::Optional, kind: Kind::Message(&NODE_AFFINITY), presence: Presence::NotEmpty },
        Field { number: 2, name: "podAffinity", shape: Shape::Optional, kind: Kind::Message(&POD_AFFINITY), presence: Presence::NotEmpty },
        Field { number: 3, name: "podAntiAffinity", shape: Shape::Optional, kind: Kind::Message(&POD_ANTI_AFFINITY), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static APP_ARMOR_PROFILE: Message = Message {
    name: "AppArmorProfile",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "localhostProfile", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ATTACHED_VOLUME: Message = Message {
    name: "AttachedVolume",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "devicePath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static AZURE_DISK_VOLUME_SOURCE: Message = Message {
    name: "AzureDiskVolumeSource",
    fields: &[
        Field { number: 1, name: "diskName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "diskURI", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "cachingMode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "fsType", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "readOnly", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 6, name: "kind", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static AZURE_FILE_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "AzureFilePersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "secretName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "shareName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "secretNamespace", shape: Shape::Optional, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static AZURE_FILE_VOLUME_SOURCE: Message = Message {
    name: "AzureFileVolumeSource",
    fields: &[
        Field { number: 1, name: "secretName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "shareName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static BINDING: Message = Message {
    name: "Binding",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "target", shape: Shape::One, kind: Kind::Message(&OBJECT_REFERENCE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CSI_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "CSIPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "volumeHandle", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "volumeAttributes", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "controllerPublishSecretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "nodeStageSecretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 8, name: "nodePublishSecretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 9, name: "controllerExpandSecretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 10, name: "nodeExpandSecretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9)],
};

pub(super) static CSI_VOLUME_SOURCE: Message = Message {
    name: "CSIVolumeSource",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "readOnly", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 3, name: "fsType", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "volumeAttributes", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "nodePublishSecretRef", shape: Shape::Optional, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static CAPABILITIES: Message = Message {
    name: "Capabilities",
    fields: &[
        Field { number: 1, name: "add", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "drop", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CEPH_FS_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "CephFSPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "monitors", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "user", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "secretFile", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 6, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static CEPH_FS_VOLUME_SOURCE: Message = Message {
    name: "CephFSVolumeSource",
    fields: &[
        Field { number: 1, name: "monitors", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "user", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "secretFile", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 6, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static CINDER_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "CinderPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "volumeID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static CINDER_VOLUME_SOURCE: Message = Message {
    name: "CinderVolumeSource",
    fields: &[
        Field { number: 1, name: "volumeID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static CLIENT_IP_CONFIG: Message = Message {
    name: "ClientIPConfig",
    fields: &[
        Field { number: 1, name: "timeoutSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static CLUSTER_TRUST_BUNDLE_PROJECTION: Message = Message {
    name: "ClusterTrustBundleProjection",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "signerName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "labelSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 5, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "user", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(3), FieldEntry::Field(5)],
};

pub(super) static COMPONENT_CONDITION: Message = Message {
    name: "ComponentCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "error", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static COMPONENT_STATUS: Message = Message {
    name: "ComponentStatus",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "conditions", shape: Shape::Many, kind: Kind::Message(&COMPONENT_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static COMPONENT_STATUS_LIST: Message = Message {
    name: "ComponentStatusList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&COMPONENT_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CONFIG_MAP: Message = Message {
    name: "ConfigMap",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 4, name: "immutable", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 2, name: "data", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "binaryData", shape: Shape::Map, kind: Kind::Bytes, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(1)],
};

pub(super) static CONFIG_MAP_ENV_SOURCE: Message = Message {
    name: "ConfigMapEnvSource",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &LOCAL_OBJECT_REFERENCE), FieldEntry::Field(1)],
};

pub(super) static CONFIG_MAP_KEY_SELECTOR: Message = Message {
    name: "ConfigMapKeySelector",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &LOCAL_OBJECT_REFERENCE), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CONFIG_MAP_LIST: Message = Message {
    name: "ConfigMapList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CONFIG_MAP), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CONFIG_MAP_NODE_CONFIG_SOURCE: Message = Message {
    name: "ConfigMapNodeConfigSource",
    fields: &[
        Field { number: 1, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "resourceVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "kubeletConfigKey", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static CONFIG_MAP_PROJECTION: Message = Message {
    name: "ConfigMapProjection",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&KEY_TO_PATH), presence: Presence::NotEmpty },
        Field { number: 4, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &LOCAL_OBJECT_REFERENCE), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2)],
};

pub(super) static CONFIG_MAP_VOLUME_SOURCE: Message = Message {
    name: "ConfigMapVolumeSource",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&KEY_TO_PATH), presence: Presence::NotEmpty },
        Field { number: 3, name: "defaultMode", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "defaultUser", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &LOCAL_OBJECT_REFERENCE), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static CONTAINER: Message = Message {
    name: "Container",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "image", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "command", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "args", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "workingDir", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "ports", shape: Shape::Many, kind: Kind::Message(&CONTAINER_PORT), presence: Presence::NotEmpty },
        Field { number: 19, name: "envFrom", shape: Shape::Many, kind: Kind::Message(&ENV_FROM_SOURCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "env", shape: Shape::Many, kind: Kind::Message(&ENV_VAR), presence: Presence::NotEmpty },
        Field { number: 8, name: "resources", shape: Shape::One, kind: Kind::Message(&RESOURCE_REQUIREMENTS), presence: Presence::Always },
        Field { number: 23, name: "resizePolicy", shape: Shape::Many, kind: Kind::Message(&CONTAINER_RESIZE_POLICY), presence: Presence::NotEmpty },
        Field { number: 24, name: "restartPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 25, name: "restartPolicyRules", shape: Shape::Many, kind: Kind::Message(&CONTAINER_RESTART_RULE), presence: Presence::NotEmpty },
        Field { number: 9, name: "volumeMounts", shape: Shape::Many, kind: Kind::Message(&VOLUME_MOUNT), presence: Presence::NotEmpty },
        Field { number: 21, name: "volumeDevices", shape: Shape::Many, kind: Kind::Message(&VOLUME_DEVICE), presence: Presence::NotEmpty },
        Field { number: 10, name: "livenessProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 11, name: "readinessProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 22, name: "startupProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 12, name: "lifecycle", shape: Shape::Optional, kind: Kind::Message(&LIFECYCLE), presence: Presence::NotEmpty },
        Field { number: 13, name: "terminationMessagePath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 20, name: "terminationMessagePolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 14, name: "imagePullPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 15, name: "securityContext", shape: Shape::Optional, kind: Kind::Message(&SECURITY_CONTEXT), presence: Presence::NotEmpty },
        Field { number: 16, name: "stdin", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 17, name: "stdinOnce", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 18, name: "tty", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(12), FieldEntry::Field(14), FieldEntry::Field(15), FieldEntry::Field(17), FieldEntry::Field(18), FieldEntry::Field(20), FieldEntry::Field(21), FieldEntry::Field(22), FieldEntry::Field(23), FieldEntry::Field(24), FieldEntry::Field(6), FieldEntry::Field(19), FieldEntry::Field(13), FieldEntry::Field(16), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11)],
};

pub(super) static CONTAINER_EXTENDED_RESOURCE_REQUEST: Message = Message {
    name: "ContainerExtendedResourceRequest",
    fields: &[
        Field { number: 1, name: "containerName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "resourceName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "requestName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CONTAINER_IMAGE: Message = Message {
    name: "ContainerImage",
    fields: &[
        Field { number: 1, name: "names", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "sizeBytes", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CONTAINER_PORT: Message = Message {
    name: "ContainerPort",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "hostPort", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "containerPort", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "protocol", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "hostIP", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static CONTAINER_RESIZE_POLICY: Message = Message {
    name: "ContainerResizePolicy",
    fields: &[
        Field { number: 1, name: "resourceName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "restartPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CONTAINER_RESTART_RULE: Message = Message {
    name: "ContainerRestartRule",
    fields: &[
        Field { number: 1, name: "action", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "exitCodes", shape: Shape::Optional, kind: Kind::Message(&CONTAINER_RESTART_RULE_ON_EXIT_CODES), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Message = Message {
    name: "ContainerRestartRuleOnExitCodes",
    fields: &[
        Field { number: 1, name: "operator", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "values", shape: Shape::Many, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CONTAINER_STATE: Message = Message {
    name: "ContainerState",
    fields: &[
        Field { number: 1, name: "waiting", shape: Shape::Optional, kind: Kind::Message(&CONTAINER_STATE_WAITING), presence: Presence::NotEmpty },
        Field { number: 2, name: "running", shape: Shape::Optional, kind: Kind::Message(&CONTAINER_STATE_RUNNING), presence: Presence::NotEmpty },
        Field { number: 3, name: "terminated", shape: Shape::Optional, kind: Kind::Message(&CONTAINER_STATE_TERMINATED), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CONTAINER_STATE_RUNNING: Message = Message {
    name: "ContainerStateRunning",
    fields: &[
        Field { number: 1, name: "startedAt", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static CONTAINER_STATE_TERMINATED: Message = Message {
    name: "ContainerStateTerminated",
    fields: &[
        Field { number: 1, name: "exitCode", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "signal", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "startedAt", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 6, name: "finishedAt", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 7, name: "containerID", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6)],
};

pub(super) static CONTAINER_STATE_WAITING: Message = Message {
    name: "ContainerStateWaiting",
    fields: &[
        Field { number: 1, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CONTAINER_STATUS: Message = Message {
    name: "ContainerStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "state", shape: Shape::One, kind: Kind::Message(&CONTAINER_STATE), presence: Presence::Always },
        Field { number: 3, name: "lastState", shape: Shape::One, kind: Kind::Message(&CONTAINER_STATE), presence: Presence::Always },
        Field { number: 4, name: "ready", shape: Shape::One, kind: Kind::Bool, presence: Presence::Always },
        Field { number: 5, name: "restartCount", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 6, name: "image", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 7, name: "imageID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 8, name: "containerID", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "started", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 10, name: "allocatedResources", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 11, name: "resources", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_REQUIREMENTS), presence: Presence::NotEmpty },
        Field { number: 12, name: "volumeMounts", shape: Shape::Many, kind: Kind::Message(&VOLUME_MOUNT_STATUS), presence: Presence::NotEmpty },
        Field { number: 13, name: "user", shape: Shape::Optional, kind: Kind::Message(&CONTAINER_USER), presence: Presence::NotEmpty },
        Field { number: 14, name: "allocatedResourcesStatus", shape: Shape::Many, kind: Kind::Message(&RESOURCE_STATUS), presence: Presence::NotEmpty },
        Field { number: 15, name: "stopSignal", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(14)],
};

pub(super) static CONTAINER_USER: Message = Message {
    name: "ContainerUser",
    fields: &[
        Field { number: 1, name: "linux", shape: Shape::Optional, kind: Kind::Message(&LINUX_CONTAINER_USER), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static DAEMON_ENDPOINT: Message = Message {
    name: "DaemonEndpoint",
    fields: &[
        Field { number: 1, name: "Port", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static DOWNWARD_API_PROJECTION: Message = Message {
    name: "DownwardAPIProjection",
    fields: &[
        Field { number: 1, name: "items", shape: Shape::Many, kind: Kind::Message(&DOWNWARD_API_VOLUME_FILE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static DOWNWARD_API_VOLUME_FILE: Message = Message {
    name: "DownwardAPIVolumeFile",
    fields: &[
        Field { number: 1, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fieldRef", shape: Shape::Optional, kind: Kind::Message(&OBJECT_FIELD_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "resourceFieldRef", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_FIELD_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 4, name: "mode", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "user", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static DOWNWARD_API_VOLUME_SOURCE: Message = Message {
    name: "DownwardAPIVolumeSource",
    fields: &[
        Field { number: 1, name: "items", shape: Shape::Many, kind: Kind::Message(&DOWNWARD_API_VOLUME_FILE), presence: Presence::NotEmpty },
        Field { number: 2, name: "defaultMode", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "defaultUser", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static EMPTY_DIR_VOLUME_SOURCE: Message = Message {
    name: "EmptyDirVolumeSource",
    fields: &[
        Field { number: 1, name: "medium", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "sizeLimit", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "mode", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static ENDPOINT_ADDRESS: Message = Message {
    name: "EndpointAddress",
    fields: &[
        Field { number: 1, name: "ip", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "hostname", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "nodeName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "targetRef", shape: Shape::Optional, kind: Kind::Message(&OBJECT_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(3), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static ENDPOINT_PORT: Message = Message {
    name: "EndpointPort",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "port", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "protocol", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "appProtocol", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static ENDPOINT_SUBSET: Message = Message {
    name: "EndpointSubset",
    fields: &[
        Field { number: 1, name: "addresses", shape: Shape::Many, kind: Kind::Message(&ENDPOINT_ADDRESS), presence: Presence::NotEmpty },
        Field { number: 2, name: "notReadyAddresses", shape: Shape::Many, kind: Kind::Message(&ENDPOINT_ADDRESS), presence: Presence::NotEmpty },
        Field { number: 3, name: "ports", shape: Shape::Many, kind: Kind::Message(&ENDPOINT_PORT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static ENDPOINTS: Message = Message {
    name: "Endpoints",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "subsets", shape: Shape::Many, kind: Kind::Message(&ENDPOINT_SUBSET), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ENDPOINTS_LIST: Message = Message {
    name: "EndpointsList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&ENDPOINTS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ENV_FROM_SOURCE: Message = Message {
    name: "EnvFromSource",
    fields: &[
        Field { number: 1, name: "prefix", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "configMapRef", shape: Shape::Optional, kind: Kind::Message(&CONFIG_MAP_ENV_SOURCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_ENV_SOURCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static ENV_VAR: Message = Message {
    name: "EnvVar",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "valueFrom", shape: Shape::Optional, kind: Kind::Message(&ENV_VAR_SOURCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static ENV_VAR_SOURCE: Message = Message {
    name: "EnvVarSource",
    fields: &[
        Field { number: 1, name: "fieldRef", shape: Shape::Optional, kind: Kind::Message(&OBJECT_FIELD_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "resourceFieldRef", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_FIELD_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "configMapKeyRef", shape: Shape::Optional, kind: Kind::Message(&CONFIG_MAP_KEY_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 4, name: "secretKeyRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_KEY_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 5, name: "fileKeyRef", shape: Shape::Optional, kind: Kind::Message(&FILE_KEY_SELECTOR), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static EPHEMERAL_CONTAINER: Message = Message {
    name: "EphemeralContainer",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "image", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "command", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "args", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "workingDir", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "ports", shape: Shape::Many, kind: Kind::Message(&CONTAINER_PORT), presence: Presence::NotEmpty },
        Field { number: 19, name: "envFrom", shape: Shape::Many, kind: Kind::Message(&ENV_FROM_SOURCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "env", shape: Shape::Many, kind: Kind::Message(&ENV_VAR), presence: Presence::NotEmpty },
        Field { number: 8, name: "resources", shape: Shape::One, kind: Kind::Message(&RESOURCE_REQUIREMENTS), presence: Presence::Always },
        Field { number: 23, name: "resizePolicy", shape: Shape::Many, kind: Kind::Message(&CONTAINER_RESIZE_POLICY), presence: Presence::NotEmpty },
        Field { number: 24, name: "restartPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 25, name: "restartPolicyRules", shape: Shape::Many, kind: Kind::Message(&CONTAINER_RESTART_RULE), presence: Presence::NotEmpty },
        Field { number: 9, name: "volumeMounts", shape: Shape::Many, kind: Kind::Message(&VOLUME_MOUNT), presence: Presence::NotEmpty },
        Field { number: 21, name: "volumeDevices", shape: Shape::Many, kind: Kind::Message(&VOLUME_DEVICE), presence: Presence::NotEmpty },
        Field { number: 10, name: "livenessProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 11, name: "readinessProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 22, name: "startupProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 12, name: "lifecycle", shape: Shape::Optional, kind: Kind::Message(&LIFECYCLE), presence: Presence::NotEmpty },
        Field { number: 13, name: "terminationMessagePath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 20, name: "terminationMessagePolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 14, name: "imagePullPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 15, name: "securityContext", shape: Shape::Optional, kind: Kind::Message(&SECURITY_CONTEXT), presence: Presence::NotEmpty },
        Field { number: 16, name: "stdin", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 17, name: "stdinOnce", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 18, name: "tty", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 2, name: "targetContainerName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &EPHEMERAL_CONTAINER_COMMON), FieldEntry::Field(25)],
};

pub(super) static EPHEMERAL_CONTAINER_COMMON: Message = Message {
    name: "EphemeralContainerCommon",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "image", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "command", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "args", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "workingDir", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "ports", shape: Shape::Many, kind: Kind::Message(&CONTAINER_PORT), presence: Presence::NotEmpty },
        Field { number: 19, name: "envFrom", shape: Shape::Many, kind: Kind::Message(&ENV_FROM_SOURCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "env", shape: Shape::Many, kind: Kind::Message(&ENV_VAR), presence: Presence::NotEmpty },
        Field { number: 8, name: "resources", shape: Shape::One, kind: Kind::Message(&RESOURCE_REQUIREMENTS), presence: Presence::Always },
        Field { number: 23, name: "resizePolicy", shape: Shape::Many, kind: Kind::Message(&CONTAINER_RESIZE_POLICY), presence: Presence::NotEmpty },
        Field { number: 24, name: "restartPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 25, name: "restartPolicyRules", shape: Shape::Many, kind: Kind::Message(&CONTAINER_RESTART_RULE), presence: Presence::NotEmpty },
        Field { number: 9, name: "volumeMounts", shape: Shape::Many, kind: Kind::Message(&VOLUME_MOUNT), presence: Presence::NotEmpty },
        Field { number: 21, name: "volumeDevices", shape: Shape::Many, kind: Kind::Message(&VOLUME_DEVICE), presence: Presence::NotEmpty },
        Field { number: 10, name: "livenessProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 11, name: "readinessProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 22, name: "startupProbe", shape: Shape::Optional, kind: Kind::Message(&PROBE), presence: Presence::NotEmpty },
        Field { number: 12, name: "lifecycle", shape: Shape::Optional, kind: Kind::Message(&LIFECYCLE), presence: Presence::NotEmpty },
        Field { number: 13, name: "terminationMessagePath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 20, name: "terminationMessagePolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 14, name: "imagePullPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 15, name: "securityContext", shape: Shape::Optional, kind: Kind::Message(&SECURITY_CONTEXT), presence: Presence::NotEmpty },
        Field { number: 16, name: "stdin", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 17, name: "stdinOnce", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 18, name: "tty", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(12), FieldEntry::Field(14), FieldEntry::Field(15), FieldEntry::Field(17), FieldEntry::Field(18), FieldEntry::Field(20), FieldEntry::Field(21), FieldEntry::Field(22), FieldEntry::Field(23), FieldEntry::Field(24), FieldEntry::Field(6), FieldEntry::Field(19), FieldEntry::Field(13), FieldEntry::Field(16), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11)],
};

pub(super) static EPHEMERAL_VOLUME_SOURCE: Message = Message {
    name: "EphemeralVolumeSource",
    fields: &[
        Field { number: 1, name: "volumeClaimTemplate", shape: Shape::Optional, kind: Kind::Message(&PERSISTENT_VOLUME_CLAIM_TEMPLATE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static EVENT: Message = Message {
    name: "Event",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "involvedObject", shape: Shape::One, kind: Kind::Message(&OBJECT_REFERENCE), presence: Presence::Always },
        Field { number: 3, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "source", shape: Shape::One, kind: Kind::Message(&EVENT_SOURCE), presence: Presence::Always },
        Field { number: 6, name: "firstTimestamp", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 7, name: "lastTimestamp", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 8, name: "count", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "eventTime", shape: Shape::One, kind: Kind::MicroTime, presence: Presence::Always },
        Field { number: 11, name: "series", shape: Shape::Optional, kind: Kind::Message(&EVENT_SERIES), presence: Presence::NotEmpty },
        Field { number: 12, name: "action", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 13, name: "related", shape: Shape::Optional, kind: Kind::Message(&OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 14, name: "reportingComponent", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 15, name: "reportingInstance", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(14)],
};

pub(super) static EVENT_LIST: Message = Message {
    name: "EventList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&EVENT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVENT_SERIES: Message = Message {
    name: "EventSeries",
    fields: &[
        Field { number: 1, name: "count", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "lastObservedTime", shape: Shape::One, kind: Kind::MicroTime, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVENT_SOURCE: Message = Message {
    name: "EventSource",
    fields: &[
        Field { number: 1, name: "component", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "host", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EVICTION_RESPONDER: Message = Message {
    name: "EvictionResponder",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "priority", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static EXEC_ACTION: Message = Message {
    name: "ExecAction",
    fields: &[
        Field { number: 1, name: "command", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static FC_VOLUME_SOURCE: Message = Message {
    name: "FCVolumeSource",
    fields: &[
        Field { number: 1, name: "targetWWNs", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "lun", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "wwids", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static FILE_KEY_SELECTOR: Message = Message {
    name: "FileKeySelector",
    fields: &[
        Field { number: 1, name: "volumeName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static FLEX_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "FlexPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "options", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static FLEX_VOLUME_SOURCE: Message = Message {
    name: "FlexVolumeSource",
    fields: &[
        Field { number: 1, name: "driver", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "options", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static FLOCKER_VOLUME_SOURCE: Message = Message {
    name: "FlockerVolumeSource",
    fields: &[
        Field { number: 1, name: "datasetName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "datasetUUID", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Message = Message {
    name: "GCEPersistentDiskVolumeSource",
    fields: &[
        Field { number: 1, name: "pdName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "partition", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static GRPC_ACTION: Message = Message {
    name: "GRPCAction",
    fields: &[
        Field { number: 1, name: "port", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "service", shape: Shape::Optional, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "mode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static GIT_REPO_VOLUME_SOURCE: Message = Message {
    name: "GitRepoVolumeSource",
    fields: &[
        Field { number: 1, name: "repository", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "revision", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "directory", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static GLUSTERFS_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "GlusterfsPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "endpoints", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "endpointsNamespace", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static GLUSTERFS_VOLUME_SOURCE: Message = Message {
    name: "GlusterfsVolumeSource",
    fields: &[
        Field { number: 1, name: "endpoints", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static HTTP_GET_ACTION: Message = Message {
    name: "HTTPGetAction",
    fields: &[
        Field { number: 1, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "port", shape: Shape::One, kind: Kind::IntOrString, presence: Presence::Always },
        Field { number: 3, name: "host", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "scheme", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "httpHeaders", shape: Shape::Many, kind: Kind::Message(&HTTP_HEADER), presence: Presence::NotEmpty },
        Field { number: 6, name: "protocol", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static HTTP_HEADER: Message = Message {
    name: "HTTPHeader",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static HOST_ALIAS: Message = Message {
    name: "HostAlias",
    fields: &[
        Field { number: 1, name: "ip", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "hostnames", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static HOST_IP: Message = Message {
    name: "HostIP",
    fields: &[
        Field { number: 1, name: "ip", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static HOST_PATH_VOLUME_SOURCE: Message = Message {
    name: "HostPathVolumeSource",
    fields: &[
        Field { number: 1, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "type", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ISCSI_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "ISCSIPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "targetPortal", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "iqn", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lun", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "iscsiInterface", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 7, name: "portals", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "chapAuthDiscovery", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 11, name: "chapAuthSession", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 10, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 12, name: "initiatorName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Unknown, FieldEntry::Field(9), FieldEntry::Field(8), FieldEntry::Field(10)],
};

pub(super) static ISCSI_VOLUME_SOURCE: Message = Message {
    name: "ISCSIVolumeSource",
    fields: &[
        Field { number: 1, name: "targetPortal", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "iqn", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lun", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "iscsiInterface", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 7, name: "portals", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "chapAuthDiscovery", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 11, name: "chapAuthSession", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 10, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 12, name: "initiatorName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Unknown, FieldEntry::Field(9), FieldEntry::Field(8), FieldEntry::Field(10)],
};

pub(super) static IMAGE_VOLUME_SOURCE: Message = Message {
    name: "ImageVolumeSource",
    fields: &[
        Field { number: 1, name: "reference", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "pullPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static IMAGE_VOLUME_STATUS: Message = Message {
    name: "ImageVolumeStatus",
    fields: &[
        Field { number: 1, name: "imageRef", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static KEY_TO_PATH: Message = Message {
    name: "KeyToPath",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "mode", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "user", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static LIFECYCLE: Message = Message {
    name: "Lifecycle",
    fields: &[
        Field { number: 1, name: "postStart", shape: Shape::Optional, kind: Kind::Message(&LIFECYCLE_HANDLER), presence: Presence::NotEmpty },
        Field { number: 2, name: "preStop", shape: Shape::Optional, kind: Kind::Message(&LIFECYCLE_HANDLER), presence: Presence::NotEmpty },
        Field { number: 3, name: "stopSignal", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static LIFECYCLE_HANDLER: Message = Message {
    name: "LifecycleHandler",
    fields: &[
        Field { number: 1, name: "exec", shape: Shape::Optional, kind: Kind::Message(&EXEC_ACTION), presence: Presence::NotEmpty },
        Field { number: 2, name: "httpGet", shape: Shape::Optional, kind: Kind::Message(&HTTP_GET_ACTION), presence: Presence::NotEmpty },
        Field { number: 3, name: "tcpSocket", shape: Shape::Optional, kind: Kind::Message(&TCP_SOCKET_ACTION), presence: Presence::NotEmpty },
        Field { number: 4, name: "sleep", shape: Shape::Optional, kind: Kind::Message(&SLEEP_ACTION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static LIMIT_RANGE: Message = Message {
    name: "LimitRange",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&LIMIT_RANGE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LIMIT_RANGE_ITEM: Message = Message {
    name: "LimitRangeItem",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "max", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "min", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 4, name: "default", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 5, name: "defaultRequest", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 6, name: "maxLimitRequestRatio", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static LIMIT_RANGE_LIST: Message = Message {
    name: "LimitRangeList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&LIMIT_RANGE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LIMIT_RANGE_SPEC: Message = Message {
    name: "LimitRangeSpec",
    fields: &[
        Field { number: 1, name: "limits", shape: Shape::Many, kind: Kind::Message(&LIMIT_RANGE_ITEM), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static LINUX_CONTAINER_USER: Message = Message {
    name: "LinuxContainerUser",
    fields: &[
        Field { number: 1, name: "uid", shape: Shape::One, kind: Kind::Int64, presence: Presence::Always },
        Field { number: 2, name: "gid", shape: Shape::One, kind: Kind::Int64, presence: Presence::Always },
        Field { number: 3, name: "supplementalGroups", shape: Shape::Many, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static LIST: Message = Message {
    name: "List",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Raw, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static LOAD_BALANCER_INGRESS: Message = Message {
    name: "LoadBalancerIngress",
    fields: &[
        Field { number: 1, name: "ip", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "hostname", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "ipMode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "ports", shape: Shape::Many, kind: Kind::Message(&PORT_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static LOAD_BALANCER_STATUS: Message = Message {
    name: "LoadBalancerStatus",
    fields: &[
        Field { number: 1, name: "ingress", shape: Shape::Many, kind: Kind::Message(&LOAD_BALANCER_INGRESS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static LOCAL_OBJECT_REFERENCE: Message = Message {
    name: "LocalObjectReference",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static LOCAL_VOLUME_SOURCE: Message = Message {
    name: "LocalVolumeSource",
    fields: &[
        Field { number: 1, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static MODIFY_VOLUME_STATUS: Message = Message {
    name: "ModifyVolumeStatus",
    fields: &[
        Field { number: 1, name: "targetVolumeAttributesClassName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NFS_VOLUME_SOURCE: Message = Message {
    name: "NFSVolumeSource",
    fields: &[
        Field { number: 1, name: "server", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NAMESPACE: Message = Message {
    name: "Namespace",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&NAMESPACE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&NAMESPACE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NAMESPACE_CONDITION: Message = Message {
    name: "NamespaceCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 5, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static NAMESPACE_LIST: Message = Message {
    name: "NamespaceList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&NAMESPACE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NAMESPACE_SPEC: Message = Message {
    name: "NamespaceSpec",
    fields: &[
        Field { number: 1, name: "finalizers", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static NAMESPACE_STATUS: Message = Message {
    name: "NamespaceStatus",
    fields: &[
        Field { number: 1, name: "phase", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "conditions", shape: Shape::Many, kind: Kind::Message(&NAMESPACE_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE: Message = Message {
    name: "Node",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&NODE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&NODE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NODE_ADDRESS: Message = Message {
    name: "NodeAddress",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "address", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE_AFFINITY: Message = Message {
    name: "NodeAffinity",
    fields: &[
        Field { number: 1, name: "requiredDuringSchedulingIgnoredDuringExecution", shape: Shape::Optional, kind: Kind::Message(&NODE_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "preferredDuringSchedulingIgnoredDuringExecution", shape: Shape::Many, kind: Kind::Message(&PREFERRED_SCHEDULING_TERM), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE_ALLOCATABLE_MAPPED_RESOURCES: Message = Message {
    name: "NodeAllocatableMappedResources",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "quantity", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE_ALLOCATABLE_OVERHEAD_RESOURCES: Message = Message {
    name: "NodeAllocatableOverheadResources",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "perPod", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "perContainer", shape: Shape::Optional, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS: Message = Message {
    name: "NodeAllocatableResourceClaimStatus",
    fields: &[
        Field { number: 1, name: "resourceClaimName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "containers", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "mapping", shape: Shape::Many, kind: Kind::Message(&NODE_ALLOCATABLE_MAPPED_RESOURCES), presence: Presence::NotEmpty },
        Field { number: 5, name: "overhead", shape: Shape::Many, kind: Kind::Message(&NODE_ALLOCATABLE_OVERHEAD_RESOURCES), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static NODE_CONDITION: Message = Message {
    name: "NodeCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastHeartbeatTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 5, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static NODE_CONFIG_SOURCE: Message = Message {
    name: "NodeConfigSource",
    fields: &[
        Field { number: 2, name: "configMap", shape: Shape::Optional, kind: Kind::Message(&CONFIG_MAP_NODE_CONFIG_SOURCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static NODE_CONFIG_STATUS: Message = Message {
    name: "NodeConfigStatus",
    fields: &[
        Field { number: 1, name: "assigned", shape: Shape::Optional, kind: Kind::Message(&NODE_CONFIG_SOURCE), presence: Presence::NotEmpty },
        Field { number: 2, name: "active", shape: Shape::Optional, kind: Kind::Message(&NODE_CONFIG_SOURCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "lastKnownGood", shape: Shape::Optional, kind: Kind::Message(&NODE_CONFIG_SOURCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "error", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static NODE_DAEMON_ENDPOINTS: Message = Message {
    name: "NodeDaemonEndpoints",
    fields: &[
        Field { number: 1, name: "kubeletEndpoint", shape: Shape::One, kind: Kind::Message(&DAEMON_ENDPOINT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static NODE_FEATURES: Message = Message {
    name: "NodeFeatures",
    fields: &[
        Field { number: 1, name: "supplementalGroupsPolicy", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static NODE_LIST: Message = Message {
    name: "NodeList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&NODE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE_POD_PREEMPTION_POLICY: Message = Message {
    name: "NodePodPreemptionPolicy",
    fields: &[
        Field { number: 1, name: "disableResizePreemption", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static NODE_RUNTIME_HANDLER: Message = Message {
    name: "NodeRuntimeHandler",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "features", shape: Shape::Optional, kind: Kind::Message(&NODE_RUNTIME_HANDLER_FEATURES), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE_RUNTIME_HANDLER_FEATURES: Message = Message {
    name: "NodeRuntimeHandlerFeatures",
    fields: &[
        Field { number: 1, name: "recursiveReadOnlyMounts", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 2, name: "userNamespaces", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE_SELECTOR: Message = Message {
    name: "NodeSelector",
    fields: &[
        Field { number: 1, name: "nodeSelectorTerms", shape: Shape::Many, kind: Kind::Message(&NODE_SELECTOR_TERM), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static NODE_SELECTOR_REQUIREMENT: Message = Message {
    name: "NodeSelectorRequirement",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "operator", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "values", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NODE_SELECTOR_TERM: Message = Message {
    name: "NodeSelectorTerm",
    fields: &[
        Field { number: 1, name: "matchExpressions", shape: Shape::Many, kind: Kind::Message(&NODE_SELECTOR_REQUIREMENT), presence: Presence::NotEmpty },
        Field { number: 2, name: "matchFields", shape: Shape::Many, kind: Kind::Message(&NODE_SELECTOR_REQUIREMENT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NODE_SPEC: Message = Message {
    name: "NodeSpec",
    fields: &[
        Field { number: 1, name: "podCIDR", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "podCIDRs", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "providerID", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "unschedulable", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "taints", shape: Shape::Many, kind: Kind::Message(&TAINT), presence: Presence::NotEmpty },
        Field { number: 6, name: "configSource", shape: Shape::Optional, kind: Kind::Message(&NODE_CONFIG_SOURCE), presence: Presence::NotEmpty },
        Field { number: 2, name: "externalID", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "podPreemptionPolicy", shape: Shape::Optional, kind: Kind::Message(&NODE_POD_PREEMPTION_POLICY), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(6), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(1), FieldEntry::Field(7)],
};

pub(super) static NODE_STATUS: Message = Message {
    name: "NodeStatus",
    fields: &[
        Field { number: 1, name: "capacity", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 2, name: "allocatable", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "phase", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "conditions", shape: Shape::Many, kind: Kind::Message(&NODE_CONDITION), presence: Presence::NotEmpty },
        Field { number: 5, name: "addresses", shape: Shape::Many, kind: Kind::Message(&NODE_ADDRESS), presence: Presence::NotEmpty },
        Field { number: 6, name: "daemonEndpoints", shape: Shape::One, kind: Kind::Message(&NODE_DAEMON_ENDPOINTS), presence: Presence::Always },
        Field { number: 7, name: "nodeInfo", shape: Shape::One, kind: Kind::Message(&NODE_SYSTEM_INFO), presence: Presence::Always },
        Field { number: 8, name: "images", shape: Shape::Many, kind: Kind::Message(&CONTAINER_IMAGE), presence: Presence::NotEmpty },
        Field { number: 9, name: "volumesInUse", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "volumesAttached", shape: Shape::Many, kind: Kind::Message(&ATTACHED_VOLUME), presence: Presence::NotEmpty },
        Field { number: 11, name: "config", shape: Shape::Optional, kind: Kind::Message(&NODE_CONFIG_STATUS), presence: Presence::NotEmpty },
        Field { number: 12, name: "runtimeHandlers", shape: Shape::Many, kind: Kind::Message(&NODE_RUNTIME_HANDLER), presence: Presence::NotEmpty },
        Field { number: 13, name: "features", shape: Shape::Optional, kind: Kind::Message(&NODE_FEATURES), presence: Presence::NotEmpty },
        Field { number: 14, name: "declaredFeatures", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13)],
};

pub(super) static NODE_SWAP_STATUS: Message = Message {
    name: "NodeSwapStatus",
    fields: &[
        Field { number: 1, name: "capacity", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static NODE_SYSTEM_INFO: Message = Message {
    name: "NodeSystemInfo",
    fields: &[
        Field { number: 1, name: "machineID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "systemUUID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "bootID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "kernelVersion", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 5, name: "osImage", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "containerRuntimeVersion", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 7, name: "kubeletVersion", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 8, name: "kubeProxyVersion", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 9, name: "operatingSystem", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 10, name: "architecture", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 11, name: "swap", shape: Shape::Optional, kind: Kind::Message(&NODE_SWAP_STATUS), presence: Presence::NotEmpty },
        Field { number: 12, name: "runningInUserNamespace", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11)],
};

pub(super) static OBJECT_FIELD_SELECTOR: Message = Message {
    name: "ObjectFieldSelector",
    fields: &[
        Field { number: 1, name: "apiVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "fieldPath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static OBJECT_REFERENCE: Message = Message {
    name: "ObjectReference",
    fields: &[
        Field { number: 1, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "apiVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "resourceVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "fieldPath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6)],
};

pub(super) static PERSISTENT_VOLUME: Message = Message {
    name: "PersistentVolume",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&PERSISTENT_VOLUME_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&PERSISTENT_VOLUME_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PERSISTENT_VOLUME_CLAIM: Message = Message {
    name: "PersistentVolumeClaim",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&PERSISTENT_VOLUME_CLAIM_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&PERSISTENT_VOLUME_CLAIM_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_CONDITION: Message = Message {
    name: "PersistentVolumeClaimCondition",
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

pub(super) static PERSISTENT_VOLUME_CLAIM_LIST: Message = Message {
    name: "PersistentVolumeClaimList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&PERSISTENT_VOLUME_CLAIM), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_SPEC: Message = Message {
    name: "PersistentVolumeClaimSpec",
    fields: &[
        Field { number: 1, name: "accessModes", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "resources", shape: Shape::One, kind: Kind::Message(&VOLUME_RESOURCE_REQUIREMENTS), presence: Presence::Always },
        Field { number: 3, name: "volumeName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "storageClassName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "volumeMode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "dataSource", shape: Shape::Optional, kind: Kind::Message(&TYPED_LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 8, name: "dataSourceRef", shape: Shape::Optional, kind: Kind::Message(&TYPED_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 9, name: "volumeAttributesClassName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(1), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8)],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_STATUS: Message = Message {
    name: "PersistentVolumeClaimStatus",
    fields: &[
        Field { number: 1, name: "phase", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "accessModes", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "capacity", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 4, name: "conditions", shape: Shape::Many, kind: Kind::Message(&PERSISTENT_VOLUME_CLAIM_CONDITION), presence: Presence::NotEmpty },
        Field { number: 5, name: "allocatedResources", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 7, name: "allocatedResourceStatuses", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "currentVolumeAttributesClassName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "modifyVolumeStatus", shape: Shape::Optional, kind: Kind::Message(&MODIFY_VOLUME_STATUS), presence: Presence::NotEmpty },
        Field { number: 10, name: "healthStatus", shape: Shape::Optional, kind: Kind::Message(&VOLUME_HEALTH_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Unknown, FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8)],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Message = Message {
    name: "PersistentVolumeClaimTemplate",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&PERSISTENT_VOLUME_CLAIM_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Message = Message {
    name: "PersistentVolumeClaimVolumeSource",
    fields: &[
        Field { number: 1, name: "claimName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PERSISTENT_VOLUME_LIST: Message = Message {
    name: "PersistentVolumeList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&PERSISTENT_VOLUME), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "PersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "gcePersistentDisk", shape: Shape::Optional, kind: Kind::Message(&GCE_PERSISTENT_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 2, name: "awsElasticBlockStore", shape: Shape::Optional, kind: Kind::Message(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "hostPath", shape: Shape::Optional, kind: Kind::Message(&HOST_PATH_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "glusterfs", shape: Shape::Optional, kind: Kind::Message(&GLUSTERFS_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 5, name: "nfs", shape: Shape::Optional, kind: Kind::Message(&NFS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 6, name: "rbd", shape: Shape::Optional, kind: Kind::Message(&RBD_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "iscsi", shape: Shape::Optional, kind: Kind::Message(&ISCSI_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 8, name: "cinder", shape: Shape::Optional, kind: Kind::Message(&CINDER_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 9, name: "cephfs", shape: Shape::Optional, kind: Kind::Message(&CEPH_FS_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 10, name: "fc", shape: Shape::Optional, kind: Kind::Message(&FC_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 11, name: "flocker", shape: Shape::Optional, kind: Kind::Message(&FLOCKER_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 12, name: "flexVolume", shape: Shape::Optional, kind: Kind::Message(&FLEX_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 13, name: "azureFile", shape: Shape::Optional, kind: Kind::Message(&AZURE_FILE_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 14, name: "vsphereVolume", shape: Shape::Optional, kind: Kind::Message(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 15, name: "quobyte", shape: Shape::Optional, kind: Kind::Message(&QUOBYTE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 16, name: "azureDisk", shape: Shape::Optional, kind: Kind::Message(&AZURE_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 17, name: "photonPersistentDisk", shape: Shape::Optional, kind: Kind::Message(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 18, name: "portworxVolume", shape: Shape::Optional, kind: Kind::Message(&PORTWORX_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 19, name: "scaleIO", shape: Shape::Optional, kind: Kind::Message(&SCALE_IO_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 20, name: "local", shape: Shape::Optional, kind: Kind::Message(&LOCAL_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 21, name: "storageos", shape: Shape::Optional, kind: Kind::Message(&STORAGE_OS_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 22, name: "csi", shape: Shape::Optional, kind: Kind::Message(&CSI_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(14), FieldEntry::Field(15), FieldEntry::Field(16), FieldEntry::Field(17), FieldEntry::Field(18), FieldEntry::Field(19), FieldEntry::Field(20), FieldEntry::Field(21)],
};

pub(super) static PERSISTENT_VOLUME_SPEC: Message = Message {
    name: "PersistentVolumeSpec",
    fields: &[
        Field { number: 1, name: "capacity", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 1, name: "gcePersistentDisk", shape: Shape::Optional, kind: Kind::Message(&GCE_PERSISTENT_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 2, name: "awsElasticBlockStore", shape: Shape::Optional, kind: Kind::Message(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "hostPath", shape: Shape::Optional, kind: Kind::Message(&HOST_PATH_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "glusterfs", shape: Shape::Optional, kind: Kind::Message(&GLUSTERFS_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 5, name: "nfs", shape: Shape::Optional, kind: Kind::Message(&NFS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 6, name: "rbd", shape: Shape::Optional, kind: Kind::Message(&RBD_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "iscsi", shape: Shape::Optional, kind: Kind::Message(&ISCSI_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 8, name: "cinder", shape: Shape::Optional, kind: Kind::Message(&CINDER_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 9, name: "cephfs", shape: Shape::Optional, kind: Kind::Message(&CEPH_FS_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 10, name: "fc", shape: Shape::Optional, kind: Kind::Message(&FC_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 11, name: "flocker", shape: Shape::Optional, kind: Kind::Message(&FLOCKER_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 12, name: "flexVolume", shape: Shape::Optional, kind: Kind::Message(&FLEX_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 13, name: "azureFile", shape: Shape::Optional, kind: Kind::Message(&AZURE_FILE_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 14, name: "vsphereVolume", shape: Shape::Optional, kind: Kind::Message(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 15, name: "quobyte", shape: Shape::Optional, kind: Kind::Message(&QUOBYTE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 16, name: "azureDisk", shape: Shape::Optional, kind: Kind::Message(&AZURE_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 17, name: "photonPersistentDisk", shape: Shape::Optional, kind: Kind::Message(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 18, name: "portworxVolume", shape: Shape::Optional, kind: Kind::Message(&PORTWORX_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 19, name: "scaleIO", shape: Shape::Optional, kind: Kind::Message(&SCALE_IO_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 20, name: "local", shape: Shape::Optional, kind: Kind::Message(&LOCAL_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 21, name: "storageos", shape: Shape::Optional, kind: Kind::Message(&STORAGE_OS_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 22, name: "csi", shape: Shape::Optional, kind: Kind::Message(&CSI_PERSISTENT_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "accessModes", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "claimRef", shape: Shape::Optional, kind: Kind::Message(&OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 5, name: "persistentVolumeReclaimPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "storageClassName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "mountOptions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "volumeMode", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "nodeAffinity", shape: Shape::Optional, kind: Kind::Message(&VOLUME_NODE_AFFINITY), presence: Presence::NotEmpty },
        Field { number: 10, name: "volumeAttributesClassName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Inlined(1, &PERSISTENT_VOLUME_SOURCE), FieldEntry::Field(23), FieldEntry::Field(24), FieldEntry::Field(25), FieldEntry::Field(26), FieldEntry::Field(27), FieldEntry::Field(28), FieldEntry::Field(29), FieldEntry::Field(30)],
};

pub(super) static PERSISTENT_VOLUME_STATUS: Message = Message {
    name: "PersistentVolumeStatus",
    fields: &[
        Field { number: 1, name: "phase", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "lastPhaseTransitionTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Message = Message {
    name: "PhotonPersistentDiskVolumeSource",
    fields: &[
        Field { number: 1, name: "pdID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD: Message = Message {
    name: "Pod",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&POD_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&POD_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static POD_AFFINITY: Message = Message {
    name: "PodAffinity",
    fields: &[
        Field { number: 1, name: "requiredDuringSchedulingIgnoredDuringExecution", shape: Shape::Many, kind: Kind::Message(&POD_AFFINITY_TERM), presence: Presence::NotEmpty },
        Field { number: 2, name: "preferredDuringSchedulingIgnoredDuringExecution", shape: Shape::Many, kind: Kind::Message(&WEIGHTED_POD_AFFINITY_TERM), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_AFFINITY_TERM: Message = Message {
    name: "PodAffinityTerm",
    fields: &[
        Field { number: 1, name: "labelSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "namespaces", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "topologyKey", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "namespaceSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 5, name: "matchLabelKeys", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "mismatchLabelKeys", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static POD_ANTI_AFFINITY: Message = Message {
    name: "PodAntiAffinity",
    fields: &[
        Field { number: 1, name: "requiredDuringSchedulingIgnoredDuringExecution", shape: Shape::Many, kind: Kind::Message(&POD_AFFINITY_TERM), presence: Presence::NotEmpty },
        Field { number: 2, name: "preferredDuringSchedulingIgnoredDuringExecution", shape: Shape::Many, kind: Kind::Message(&WEIGHTED_POD_AFFINITY_TERM), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_CERTIFICATE_PROJECTION: Message = Message {
    name: "PodCertificateProjection",
    fields: &[
        Field { number: 1, name: "signerName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "keyType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "maxExpirationSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "credentialBundlePath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "keyPath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "certificateChainPath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "userAnnotations", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "user", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static POD_CONDITION: Message = Message {
    name: "PodCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 7, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastProbeTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 5, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(1)],
};

pub(super) static POD_DNS_CONFIG: Message = Message {
    name: "PodDNSConfig",
    fields: &[
        Field { number: 1, name: "nameservers", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "searches", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "options", shape: Shape::Many, kind: Kind::Message(&POD_DNS_CONFIG_OPTION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static POD_DNS_CONFIG_OPTION: Message = Message {
    name: "PodDNSConfigOption",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "value", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_EXTENDED_RESOURCE_CLAIM_STATUS: Message = Message {
    name: "PodExtendedResourceClaimStatus",
    fields: &[
        Field { number: 1, name: "requestMappings", shape: Shape::Many, kind: Kind::Message(&CONTAINER_EXTENDED_RESOURCE_REQUEST), presence: Presence::Always },
        Field { number: 2, name: "resourceClaimName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_IP: Message = Message {
    name: "PodIP",
    fields: &[
        Field { number: 1, name: "ip", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static POD_LIST: Message = Message {
    name: "PodList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&POD), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_OS: Message = Message {
    name: "PodOS",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static POD_READINESS_GATE: Message = Message {
    name: "PodReadinessGate",
    fields: &[
        Field { number: 1, name: "conditionType", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static POD_RESOURCE_CLAIM: Message = Message {
    name: "PodResourceClaim",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "resourceClaimName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "resourceClaimTemplateName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static POD_RESOURCE_CLAIM_STATUS: Message = Message {
    name: "PodResourceClaimStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "resourceClaimName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_SCHEDULING_GATE: Message = Message {
    name: "PodSchedulingGate",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static POD_SCHEDULING_GROUP: Message = Message {
    name: "PodSchedulingGroup",
    fields: &[
        Field { number: 1, name: "podGroupName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static POD_SECURITY_CONTEXT: Message = Message {
    name: "PodSecurityContext",
    fields: &[
        Field { number: 1, name: "seLinuxOptions", shape: Shape::Optional, kind: Kind::Message(&SE_LINUX_OPTIONS), presence: Presence::NotEmpty },
        Field { number: 8, name: "windowsOptions", shape: Shape::Optional, kind: Kind::Message(&WINDOWS_SECURITY_CONTEXT_OPTIONS), presence: Presence::NotEmpty },
        Field { number: 2, name: "runAsUser", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "runAsGroup", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 3, name: "runAsNonRoot", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "supplementalGroups", shape: Shape::Many, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 12, name: "supplementalGroupsPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "fsGroup", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 7, name: "sysctls", shape: Shape::Many, kind: Kind::Message(&SYSCTL), presence: Presence::NotEmpty },
        Field { number: 9, name: "fsGroupChangePolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "seccompProfile", shape: Shape::Optional, kind: Kind::Message(&SECCOMP_PROFILE), presence: Presence::NotEmpty },
        Field { number: 11, name: "appArmorProfile", shape: Shape::Optional, kind: Kind::Message(&APP_ARMOR_PROFILE), presence: Presence::NotEmpty },
        Field { number: 13, name: "seLinuxChangePolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(7), FieldEntry::Field(3), FieldEntry::Field(8), FieldEntry::Field(1), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(6), FieldEntry::Field(12)],
};

pub(super) static POD_SPEC: Message = Message {
    name: "PodSpec",
    fields: &[
        Field { number: 1, name: "volumes", shape: Shape::Many, kind: Kind::Message(&VOLUME), presence: Presence::NotEmpty },
        Field { number: 20, name: "initContainers", shape: Shape::Many, kind: Kind::Message(&CONTAINER), presence: Presence::NotEmpty },
        Field { number: 2, name: "containers", shape: Shape::Many, kind: Kind::Message(&CONTAINER), presence: Presence::Always },
        Field { number: 34, name: "ephemeralContainers", shape: Shape::Many, kind: Kind::Message(&EPHEMERAL_CONTAINER), presence: Presence::NotEmpty },
        Field { number: 3, name: "restartPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "terminationGracePeriodSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 5, name: "activeDeadlineSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "dnsPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "nodeSelector", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "serviceAccountName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "serviceAccount", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 21, name: "automountServiceAccountToken", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 10, name: "nodeName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 11, name: "hostNetwork", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 12, name: "hostPID", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 13, name: "hostIPC", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 27, name: "shareProcessNamespace", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 14, name: "securityContext", shape: Shape::Optional, kind: Kind::Message(&POD_SECURITY_CONTEXT), presence: Presence::NotEmpty },
        Field { number: 15, name: "imagePullSecrets", shape: Shape::Many, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 16, name: "hostname", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 17, name: "subdomain", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 18, name: "affinity", shape: Shape::Optional, kind: Kind::Message(&AFFINITY), presence: Presence::NotEmpty },
        Field { number: 19, name: "schedulerName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 22, name: "tolerations", shape: Shape::Many, kind: Kind::Message(&TOLERATION), presence: Presence::NotEmpty },
        Field { number: 23, name: "hostAliases", shape: Shape::Many, kind: Kind::Message(&HOST_ALIAS), presence: Presence::NotEmpty },
        Field { number: 24, name: "priorityClassName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 25, name: "priority", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 26, name: "dnsConfig", shape: Shape::Optional, kind: Kind::Message(&POD_DNS_CONFIG), presence: Presence::NotEmpty },
        Field { number: 28, name: "readinessGates", shape: Shape::Many, kind: Kind::Message(&POD_READINESS_GATE), presence: Presence::NotEmpty },
        Field { number: 29, name: "runtimeClassName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 30, name: "enableServiceLinks", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 31, name: "preemptionPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 32, name: "overhead", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 33, name: "topologySpreadConstraints", shape: Shape::Many, kind: Kind::Message(&TOPOLOGY_SPREAD_CONSTRAINT), presence: Presence::NotEmpty },
        Field { number: 35, name: "setHostnameAsFQDN", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 36, name: "os", shape: Shape::Optional, kind: Kind::Message(&POD_OS), presence: Presence::NotEmpty },
        Field { number: 37, name: "hostUsers", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 38, name: "schedulingGates", shape: Shape::Many, kind: Kind::Message(&POD_SCHEDULING_GATE), presence: Presence::NotEmpty },
        Field { number: 39, name: "resourceClaims", shape: Shape::Many, kind: Kind::Message(&POD_RESOURCE_CLAIM), presence: Presence::NotEmpty },
        Field { number: 40, name: "resources", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_REQUIREMENTS), presence: Presence::NotEmpty },
        Field { number: 41, name: "hostnameOverride", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 43, name: "schedulingGroup", shape: Shape::Optional, kind: Kind::Message(&POD_SCHEDULING_GROUP), presence: Presence::NotEmpty },
        Field { number: 44, name: "evictionResponders", shape: Shape::Many, kind: Kind::Message(&EVICTION_RESPONDER), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(14), FieldEntry::Field(15), FieldEntry::Field(17), FieldEntry::Field(18), FieldEntry::Field(19), FieldEntry::Field(20), FieldEntry::Field(21), FieldEntry::Field(22), FieldEntry::Field(1), FieldEntry::Field(11), FieldEntry::Field(23), FieldEntry::Field(24), FieldEntry::Field(25), FieldEntry::Field(26), FieldEntry::Field(27), FieldEntry::Field(16), FieldEntry::Field(28), FieldEntry::Field(29), FieldEntry::Field(30), FieldEntry::Field(31), FieldEntry::Field(32), FieldEntry::Field(33), FieldEntry::Field(3), FieldEntry::Field(34), FieldEntry::Field(35), FieldEntry::Field(36), FieldEntry::Field(37), FieldEntry::Field(38), FieldEntry::Field(39), FieldEntry::Field(40), FieldEntry::Unknown, FieldEntry::Field(41), FieldEntry::Field(42)],
};

pub(super) static POD_STATUS: Message = Message {
    name: "PodStatus",
    fields: &[
        Field { number: 17, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 1, name: "phase", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "conditions", shape: Shape::Many, kind: Kind::Message(&POD_CONDITION), presence: Presence::NotEmpty },
        Field { number: 3, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 11, name: "nominatedNodeName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "hostIP", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 16, name: "hostIPs", shape: Shape::Many, kind: Kind::Message(&HOST_IP), presence: Presence::NotEmpty },
        Field { number: 6, name: "podIP", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 12, name: "podIPs", shape: Shape::Many, kind: Kind::Message(&POD_IP), presence: Presence::NotEmpty },
        Field { number: 7, name: "startTime", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 10, name: "initContainerStatuses", shape: Shape::Many, kind: Kind::Message(&CONTAINER_STATUS), presence: Presence::NotEmpty },
        Field { number: 8, name: "containerStatuses", shape: Shape::Many, kind: Kind::Message(&CONTAINER_STATUS), presence: Presence::NotEmpty },
        Field { number: 9, name: "qosClass", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 13, name: "ephemeralContainerStatuses", shape: Shape::Many, kind: Kind::Message(&CONTAINER_STATUS), presence: Presence::NotEmpty },
        Field { number: 14, name: "resize", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 15, name: "resourceClaimStatuses", shape: Shape::Many, kind: Kind::Message(&POD_RESOURCE_CLAIM_STATUS), presence: Presence::NotEmpty },
        Field { number: 18, name: "extendedResourceClaimStatus", shape: Shape::Optional, kind: Kind::Message(&POD_EXTENDED_RESOURCE_CLAIM_STATUS), presence: Presence::NotEmpty },
        Field { number: 19, name: "allocatedResources", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 20, name: "resources", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_REQUIREMENTS), presence: Presence::NotEmpty },
        Field { number: 21, name: "nodeAllocatableResourceClaimStatuses", shape: Shape::Many, kind: Kind::Message(&NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS), presence: Presence::NotEmpty },
        Field { number: 22, name: "volumeHealth", shape: Shape::Many, kind: Kind::Message(&POD_VOLUME_HEALTH), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(6), FieldEntry::Field(8), FieldEntry::Field(10), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(11), FieldEntry::Field(5), FieldEntry::Field(9), FieldEntry::Field(14), FieldEntry::Field(15), FieldEntry::Field(16), FieldEntry::Field(7), FieldEntry::Field(0), FieldEntry::Field(17), FieldEntry::Field(18), FieldEntry::Field(19), FieldEntry::Field(20), FieldEntry::Field(21)],
};

pub(super) static POD_TEMPLATE: Message = Message {
    name: "PodTemplate",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "template", shape: Shape::One, kind: Kind::Message(&POD_TEMPLATE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_TEMPLATE_LIST: Message = Message {
    name: "PodTemplateList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&POD_TEMPLATE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_TEMPLATE_SPEC: Message = Message {
    name: "PodTemplateSpec",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&POD_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_VOLUME_HEALTH: Message = Message {
    name: "PodVolumeHealth",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "healthConditions", shape: Shape::Many, kind: Kind::Message(&VOLUME_HEALTH_CONDITION), presence: Presence::NotEmpty },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PORT_STATUS: Message = Message {
    name: "PortStatus",
    fields: &[
        Field { number: 1, name: "port", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "protocol", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "error", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PORTWORX_VOLUME_SOURCE: Message = Message {
    name: "PortworxVolumeSource",
    fields: &[
        Field { number: 1, name: "volumeID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static PREFERRED_SCHEDULING_TERM: Message = Message {
    name: "PreferredSchedulingTerm",
    fields: &[
        Field { number: 1, name: "weight", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "preference", shape: Shape::One, kind: Kind::Message(&NODE_SELECTOR_TERM), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static PROBE: Message = Message {
    name: "Probe",
    fields: &[
        Field { number: 1, name: "exec", shape: Shape::Optional, kind: Kind::Message(&EXEC_ACTION), presence: Presence::NotEmpty },
        Field { number: 2, name: "httpGet", shape: Shape::Optional, kind: Kind::Message(&HTTP_GET_ACTION), presence: Presence::NotEmpty },
        Field { number: 3, name: "tcpSocket", shape: Shape::Optional, kind: Kind::Message(&TCP_SOCKET_ACTION), presence: Presence::NotEmpty },
        Field { number: 4, name: "grpc", shape: Shape::Optional, kind: Kind::Message(&GRPC_ACTION), presence: Presence::NotEmpty },
        Field { number: 2, name: "initialDelaySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "timeoutSeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "periodSeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "successThreshold", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "failureThreshold", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "terminationGracePeriodSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &PROBE_HANDLER), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9)],
};

pub(super) static PROBE_HANDLER: Message = Message {
    name: "ProbeHandler",
    fields: &[
        Field { number: 1, name: "exec", shape: Shape::Optional, kind: Kind::Message(&EXEC_ACTION), presence: Presence::NotEmpty },
        Field { number: 2, name: "httpGet", shape: Shape::Optional, kind: Kind::Message(&HTTP_GET_ACTION), presence: Presence::NotEmpty },
        Field { number: 3, name: "tcpSocket", shape: Shape::Optional, kind: Kind::Message(&TCP_SOCKET_ACTION), presence: Presence::NotEmpty },
        Field { number: 4, name: "grpc", shape: Shape::Optional, kind: Kind::Message(&GRPC_ACTION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static PROJECTED_VOLUME_SOURCE: Message = Message {
    name: "ProjectedVolumeSource",
    fields: &[
        Field { number: 1, name: "sources", shape: Shape::Many, kind: Kind::Message(&VOLUME_PROJECTION), presence: Presence::Always },
        Field { number: 2, name: "defaultMode", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "defaultUser", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static QUOBYTE_VOLUME_SOURCE: Message = Message {
    name: "QuobyteVolumeSource",
    fields: &[
        Field { number: 1, name: "registry", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "volume", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "user", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "group", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "tenant", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static RBD_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "RBDPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "monitors", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "image", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "pool", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "user", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "keyring", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 8, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static RBD_VOLUME_SOURCE: Message = Message {
    name: "RBDVolumeSource",
    fields: &[
        Field { number: 1, name: "monitors", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "image", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "pool", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "user", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "keyring", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 8, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static RANGE_ALLOCATION: Message = Message {
    name: "RangeAllocation",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "range", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "data", shape: Shape::One, kind: Kind::Bytes, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static REPLICATION_CONTROLLER: Message = Message {
    name: "ReplicationController",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&REPLICATION_CONTROLLER_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&REPLICATION_CONTROLLER_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static REPLICATION_CONTROLLER_CONDITION: Message = Message {
    name: "ReplicationControllerCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static REPLICATION_CONTROLLER_LIST: Message = Message {
    name: "ReplicationControllerList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&REPLICATION_CONTROLLER), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static REPLICATION_CONTROLLER_SPEC: Message = Message {
    name: "ReplicationControllerSpec",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "minReadySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "selector", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "template", shape: Shape::Optional, kind: Kind::Message(&POD_TEMPLATE_SPEC), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(1)],
};

pub(super) static REPLICATION_CONTROLLER_STATUS: Message = Message {
    name: "ReplicationControllerStatus",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "fullyLabeledReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "readyReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "availableReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "conditions", shape: Shape::Many, kind: Kind::Message(&REPLICATION_CONTROLLER_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(4), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(5)],
};

pub(super) static RESOURCE_CLAIM: Message = Message {
    name: "ResourceClaim",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "request", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_FIELD_SELECTOR: Message = Message {
    name: "ResourceFieldSelector",
    fields: &[
        Field { number: 1, name: "containerName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "resource", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "divisor", shape: Shape::One, kind: Kind::Quantity, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static RESOURCE_HEALTH: Message = Message {
    name: "ResourceHealth",
    fields: &[
        Field { number: 1, name: "resourceID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "health", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "message", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(2)],
};

pub(super) static RESOURCE_QUOTA: Message = Message {
    name: "ResourceQuota",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&RESOURCE_QUOTA_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&RESOURCE_QUOTA_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static RESOURCE_QUOTA_LIST: Message = Message {
    name: "ResourceQuotaList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&RESOURCE_QUOTA), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_QUOTA_SPEC: Message = Message {
    name: "ResourceQuotaSpec",
    fields: &[
        Field { number: 1, name: "hard", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 2, name: "scopes", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "scopeSelector", shape: Shape::Optional, kind: Kind::Message(&SCOPE_SELECTOR), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static RESOURCE_QUOTA_STATUS: Message = Message {
    name: "ResourceQuotaStatus",
    fields: &[
        Field { number: 1, name: "hard", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 2, name: "used", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_REQUIREMENTS: Message = Message {
    name: "ResourceRequirements",
    fields: &[
        Field { number: 1, name: "limits", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 2, name: "requests", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 3, name: "claims", shape: Shape::Many, kind: Kind::Message(&RESOURCE_CLAIM), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static RESOURCE_STATUS: Message = Message {
    name: "ResourceStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "resources", shape: Shape::Many, kind: Kind::Message(&RESOURCE_HEALTH), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SE_LINUX_OPTIONS: Message = Message {
    name: "SELinuxOptions",
    fields: &[
        Field { number: 1, name: "user", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "role", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "level", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static SCALE_IO_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "ScaleIOPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "gateway", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "system", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&SECRET_REFERENCE), presence: Presence::Always },
        Field { number: 4, name: "sslEnabled", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "protectionDomain", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "storagePool", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "storageMode", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "volumeName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9)],
};

pub(super) static SCALE_IO_VOLUME_SOURCE: Message = Message {
    name: "ScaleIOVolumeSource",
    fields: &[
        Field { number: 1, name: "gateway", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "system", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::Always },
        Field { number: 4, name: "sslEnabled", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "protectionDomain", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "storagePool", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "storageMode", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "volumeName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9)],
};

pub(super) static SCOPE_SELECTOR: Message = Message {
    name: "ScopeSelector",
    fields: &[
        Field { number: 1, name: "matchExpressions", shape: Shape::Many, kind: Kind::Message(&SCOPED_RESOURCE_SELECTOR_REQUIREMENT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static SCOPED_RESOURCE_SELECTOR_REQUIREMENT: Message = Message {
    name: "ScopedResourceSelectorRequirement",
    fields: &[
        Field { number: 1, name: "scopeName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "operator", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "values", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SECCOMP_PROFILE: Message = Message {
    name: "SeccompProfile",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "localhostProfile", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SECRET: Message = Message {
    name: "Secret",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 5, name: "immutable", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 2, name: "data", shape: Shape::Map, kind: Kind::Bytes, presence: Presence::NotEmpty },
        Field { number: 4, name: "stringData", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(3), FieldEntry::Field(1)],
};

pub(super) static SECRET_ENV_SOURCE: Message = Message {
    name: "SecretEnvSource",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &LOCAL_OBJECT_REFERENCE), FieldEntry::Field(1)],
};

pub(super) static SECRET_KEY_SELECTOR: Message = Message {
    name: "SecretKeySelector",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &LOCAL_OBJECT_REFERENCE), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SECRET_LIST: Message = Message {
    name: "SecretList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&SECRET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SECRET_PROJECTION: Message = Message {
    name: "SecretProjection",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&KEY_TO_PATH), presence: Presence::NotEmpty },
        Field { number: 4, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Inlined(0, &LOCAL_OBJECT_REFERENCE), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2)],
};

pub(super) static SECRET_REFERENCE: Message = Message {
    name: "SecretReference",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SECRET_VOLUME_SOURCE: Message = Message {
    name: "SecretVolumeSource",
    fields: &[
        Field { number: 1, name: "secretName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&KEY_TO_PATH), presence: Presence::NotEmpty },
        Field { number: 3, name: "defaultMode", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "optional", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "defaultUser", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static SECURITY_CONTEXT: Message = Message {
    name: "SecurityContext",
    fields: &[
        Field { number: 1, name: "capabilities", shape: Shape::Optional, kind: Kind::Message(&CAPABILITIES), presence: Presence::NotEmpty },
        Field { number: 2, name: "privileged", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 3, name: "seLinuxOptions", shape: Shape::Optional, kind: Kind::Message(&SE_LINUX_OPTIONS), presence: Presence::NotEmpty },
        Field { number: 10, name: "windowsOptions", shape: Shape::Optional, kind: Kind::Message(&WINDOWS_SECURITY_CONTEXT_OPTIONS), presence: Presence::NotEmpty },
        Field { number: 4, name: "runAsUser", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 8, name: "runAsGroup", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 5, name: "runAsNonRoot", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 6, name: "readOnlyRootFilesystem", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 7, name: "allowPrivilegeEscalation", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 9, name: "procMount", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 11, name: "seccompProfile", shape: Shape::Optional, kind: Kind::Message(&SECCOMP_PROFILE), presence: Presence::NotEmpty },
        Field { number: 12, name: "appArmorProfile", shape: Shape::Optional, kind: Kind::Message(&APP_ARMOR_PROFILE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(5), FieldEntry::Field(9), FieldEntry::Field(3), FieldEntry::Field(10), FieldEntry::Field(11)],
};

pub(super) static SERVICE: Message = Message {
    name: "Service",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&SERVICE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&SERVICE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SERVICE_ACCOUNT: Message = Message {
    name: "ServiceAccount",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "secrets", shape: Shape::Many, kind: Kind::Message(&OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "imagePullSecrets", shape: Shape::Many, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "automountServiceAccountToken", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static SERVICE_ACCOUNT_LIST: Message = Message {
    name: "ServiceAccountList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&SERVICE_ACCOUNT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SERVICE_ACCOUNT_TOKEN_PROJECTION: Message = Message {
    name: "ServiceAccountTokenProjection",
    fields: &[
        Field { number: 1, name: "audience", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "expirationSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 3, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "user", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static SERVICE_LIST: Message = Message {
    name: "ServiceList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&SERVICE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SERVICE_PORT: Message = Message {
    name: "ServicePort",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "protocol", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "appProtocol", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "port", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "targetPort", shape: Shape::One, kind: Kind::IntOrString, presence: Presence::Always },
        Field { number: 5, name: "nodePort", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(2)],
};

pub(super) static SERVICE_SPEC: Message = Message {
    name: "ServiceSpec",
    fields: &[
        Field { number: 1, name: "ports", shape: Shape::Many, kind: Kind::Message(&SERVICE_PORT), presence: Presence::NotEmpty },
        Field { number: 2, name: "selector", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "clusterIP", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 18, name: "clusterIPs", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "externalIPs", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "sessionAffinity", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "loadBalancerIP", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 9, name: "loadBalancerSourceRanges", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 10, name: "externalName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 11, name: "externalTrafficPolicy", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 12, name: "healthCheckNodePort", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 13, name: "publishNotReadyAddresses", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 14, name: "sessionAffinityConfig", shape: Shape::Optional, kind: Kind::Message(&SESSION_AFFINITY_CONFIG), presence: Presence::NotEmpty },
        Field { number: 19, name: "ipFamilies", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 17, name: "ipFamilyPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 20, name: "allocateLoadBalancerNodePorts", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 21, name: "loadBalancerClass", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 22, name: "internalTrafficPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 23, name: "trafficDistribution", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Unknown, FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(15), FieldEntry::Field(3), FieldEntry::Field(14), FieldEntry::Field(16), FieldEntry::Field(17), FieldEntry::Field(18), FieldEntry::Field(19)],
};

pub(super) static SERVICE_STATUS: Message = Message {
    name: "ServiceStatus",
    fields: &[
        Field { number: 1, name: "loadBalancer", shape: Shape::One, kind: Kind::Message(&LOAD_BALANCER_STATUS), presence: Presence::Always },
        Field { number: 2, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SESSION_AFFINITY_CONFIG: Message = Message {
    name: "SessionAffinityConfig",
    fields: &[
        Field { number: 1, name: "clientIP", shape: Shape::Optional, kind: Kind::Message(&CLIENT_IP_CONFIG), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static SLEEP_ACTION: Message = Message {
    name: "SleepAction",
    fields: &[
        Field { number: 1, name: "seconds", shape: Shape::One, kind: Kind::Int64, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static STORAGE_OS_PERSISTENT_VOLUME_SOURCE: Message = Message {
    name: "StorageOSPersistentVolumeSource",
    fields: &[
        Field { number: 1, name: "volumeName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "volumeNamespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&OBJECT_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static STORAGE_OS_VOLUME_SOURCE: Message = Message {
    name: "StorageOSVolumeSource",
    fields: &[
        Field { number: 1, name: "volumeName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "volumeNamespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 5, name: "secretRef", shape: Shape::Optional, kind: Kind::Message(&LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static SYSCTL: Message = Message {
    name: "Sysctl",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static TCP_SOCKET_ACTION: Message = Message {
    name: "TCPSocketAction",
    fields: &[
        Field { number: 1, name: "port", shape: Shape::One, kind: Kind::IntOrString, presence: Presence::Always },
        Field { number: 2, name: "host", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static TAINT: Message = Message {
    name: "Taint",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "value", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "effect", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "timeAdded", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static TOLERATION: Message = Message {
    name: "Toleration",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "operator", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "value", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "effect", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "tolerationSeconds", shape: Shape::Optional, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static TOPOLOGY_SELECTOR_LABEL_REQUIREMENT: Message = Message {
    name: "TopologySelectorLabelRequirement",
    fields: &[
        Field { number: 1, name: "key", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "values", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static TOPOLOGY_SELECTOR_TERM: Message = Message {
    name: "TopologySelectorTerm",
    fields: &[
        Field { number: 1, name: "matchLabelExpressions", shape: Shape::Many, kind: Kind::Message(&TOPOLOGY_SELECTOR_LABEL_REQUIREMENT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static TOPOLOGY_SPREAD_CONSTRAINT: Message = Message {
    name: "TopologySpreadConstraint",
    fields: &[
        Field { number: 1, name: "maxSkew", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "topologyKey", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "whenUnsatisfiable", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "labelSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 5, name: "minDomains", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "nodeAffinityPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "nodeTaintsPolicy", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "matchLabelKeys", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7)],
};

pub(super) static TYPED_LOCAL_OBJECT_REFERENCE: Message = Message {
    name: "TypedLocalObjectReference",
    fields: &[
        Field { number: 1, name: "apiGroup", shape: Shape::Optional, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static TYPED_OBJECT_REFERENCE: Message = Message {
    name: "TypedObjectReference",
    fields: &[
        Field { number: 1, name: "apiGroup", shape: Shape::Optional, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "namespace", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static VOLUME: Message = Message {
    name: "Volume",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 1, name: "hostPath", shape: Shape::Optional, kind: Kind::Message(&HOST_PATH_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 2, name: "emptyDir", shape: Shape::Optional, kind: Kind::Message(&EMPTY_DIR_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "gcePersistentDisk", shape: Shape::Optional, kind: Kind::Message(&GCE_PERSISTENT_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "awsElasticBlockStore", shape: Shape::Optional, kind: Kind::Message(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 5, name: "gitRepo", shape: Shape::Optional, kind: Kind::Message(&GIT_REPO_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 6, name: "secret", shape: Shape::Optional, kind: Kind::Message(&SECRET_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "nfs", shape: Shape::Optional, kind: Kind::Message(&NFS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 8, name: "iscsi", shape: Shape::Optional, kind: Kind::Message(&ISCSI_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 9, name: "glusterfs", shape: Shape::Optional, kind: Kind::Message(&GLUSTERFS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 10, name: "persistentVolumeClaim", shape: Shape::Optional, kind: Kind::Message(&PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 11, name: "rbd", shape: Shape::Optional, kind: Kind::Message(&RBD_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 12, name: "flexVolume", shape: Shape::Optional, kind: Kind::Message(&FLEX_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 13, name: "cinder", shape: Shape::Optional, kind: Kind::Message(&CINDER_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 14, name: "cephfs", shape: Shape::Optional, kind: Kind::Message(&CEPH_FS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 15, name: "flocker", shape: Shape::Optional, kind: Kind::Message(&FLOCKER_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 16, name: "downwardAPI", shape: Shape::Optional, kind: Kind::Message(&DOWNWARD_API_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 17, name: "fc", shape: Shape::Optional, kind: Kind::Message(&FC_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 18, name: "azureFile", shape: Shape::Optional, kind: Kind::Message(&AZURE_FILE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 19, name: "configMap", shape: Shape::Optional, kind: Kind::Message(&CONFIG_MAP_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 20, name: "vsphereVolume", shape: Shape::Optional, kind: Kind::Message(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 21, name: "quobyte", shape: Shape::Optional, kind: Kind::Message(&QUOBYTE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 22, name: "azureDisk", shape: Shape::Optional, kind: Kind::Message(&AZURE_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 23, name: "photonPersistentDisk", shape: Shape::Optional, kind: Kind::Message(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 26, name: "projected", shape: Shape::Optional, kind: Kind::Message(&PROJECTED_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 24, name: "portworxVolume", shape: Shape::Optional, kind: Kind::Message(&PORTWORX_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 25, name: "scaleIO", shape: Shape::Optional, kind: Kind::Message(&SCALE_IO_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 27, name: "storageos", shape: Shape::Optional, kind: Kind::Message(&STORAGE_OS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 28, name: "csi", shape: Shape::Optional, kind: Kind::Message(&CSI_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 29, name: "ephemeral", shape: Shape::Optional, kind: Kind::Message(&EPHEMERAL_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 30, name: "image", shape: Shape::Optional, kind: Kind::Message(&IMAGE_VOLUME_SOURCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Inlined(1, &VOLUME_SOURCE)],
};

pub(super) static VOLUME_DEVICE: Message = Message {
    name: "VolumeDevice",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "devicePath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VOLUME_HEALTH_CONDITION: Message = Message {
    name: "VolumeHealthCondition",
    fields: &[
        Field { number: 1, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static VOLUME_HEALTH_STATUS: Message = Message {
    name: "VolumeHealthStatus",
    fields: &[
        Field { number: 1, name: "healthConditions", shape: Shape::Many, kind: Kind::Message(&VOLUME_HEALTH_CONDITION), presence: Presence::NotEmpty },
        Field { number: 2, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VOLUME_MOUNT: Message = Message {
    name: "VolumeMount",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 7, name: "recursiveReadOnly", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "mountPath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "subPath", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "mountPropagation", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "subPathExpr", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "bindMountOptions", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(2), FieldEntry::Field(7)],
};

pub(super) static VOLUME_MOUNT_STATUS: Message = Message {
    name: "VolumeMountStatus",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "mountPath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "readOnly", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 4, name: "recursiveReadOnly", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "volumeStatus", shape: Shape::Optional, kind: Kind::Message(&VOLUME_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static VOLUME_NODE_AFFINITY: Message = Message {
    name: "VolumeNodeAffinity",
    fields: &[
        Field { number: 1, name: "required", shape: Shape::Optional, kind: Kind::Message(&NODE_SELECTOR), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static VOLUME_PROJECTION: Message = Message {
    name: "VolumeProjection",
    fields: &[
        Field { number: 1, name: "secret", shape: Shape::Optional, kind: Kind::Message(&SECRET_PROJECTION), presence: Presence::NotEmpty },
        Field { number: 2, name: "downwardAPI", shape: Shape::Optional, kind: Kind::Message(&DOWNWARD_API_PROJECTION), presence: Presence::NotEmpty },
        Field { number: 3, name: "configMap", shape: Shape::Optional, kind: Kind::Message(&CONFIG_MAP_PROJECTION), presence: Presence::NotEmpty },
        Field { number: 4, name: "serviceAccountToken", shape: Shape::Optional, kind: Kind::Message(&SERVICE_ACCOUNT_TOKEN_PROJECTION), presence: Presence::NotEmpty },
        Field { number: 5, name: "clusterTrustBundle", shape: Shape::Optional, kind: Kind::Message(&CLUSTER_TRUST_BUNDLE_PROJECTION), presence: Presence::NotEmpty },
        Field { number: 6, name: "podCertificate", shape: Shape::Optional, kind: Kind::Message(&POD_CERTIFICATE_PROJECTION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static VOLUME_RESOURCE_REQUIREMENTS: Message = Message {
    name: "VolumeResourceRequirements",
    fields: &[
        Field { number: 1, name: "limits", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
        Field { number: 2, name: "requests", shape: Shape::Map, kind: Kind::Quantity, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static VOLUME_SOURCE: Message = Message {
    name: "VolumeSource",
    fields: &[
        Field { number: 1, name: "hostPath", shape: Shape::Optional, kind: Kind::Message(&HOST_PATH_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 2, name: "emptyDir", shape: Shape::Optional, kind: Kind::Message(&EMPTY_DIR_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 3, name: "gcePersistentDisk", shape: Shape::Optional, kind: Kind::Message(&GCE_PERSISTENT_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 4, name: "awsElasticBlockStore", shape: Shape::Optional, kind: Kind::Message(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 5, name: "gitRepo", shape: Shape::Optional, kind: Kind::Message(&GIT_REPO_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 6, name: "secret", shape: Shape::Optional, kind: Kind::Message(&SECRET_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 7, name: "nfs", shape: Shape::Optional, kind: Kind::Message(&NFS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 8, name: "iscsi", shape: Shape::Optional, kind: Kind::Message(&ISCSI_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 9, name: "glusterfs", shape: Shape::Optional, kind: Kind::Message(&GLUSTERFS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 10, name: "persistentVolumeClaim", shape: Shape::Optional, kind: Kind::Message(&PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 11, name: "rbd", shape: Shape::Optional, kind: Kind::Message(&RBD_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 12, name: "flexVolume", shape: Shape::Optional, kind: Kind::Message(&FLEX_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 13, name: "cinder", shape: Shape::Optional, kind: Kind::Message(&CINDER_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 14, name: "cephfs", shape: Shape::Optional, kind: Kind::Message(&CEPH_FS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 15, name: "flocker", shape: Shape::Optional, kind: Kind::Message(&FLOCKER_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 16, name: "downwardAPI", shape: Shape::Optional, kind: Kind::Message(&DOWNWARD_API_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 17, name: "fc", shape: Shape::Optional, kind: Kind::Message(&FC_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 18, name: "azureFile", shape: Shape::Optional, kind: Kind::Message(&AZURE_FILE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 19, name: "configMap", shape: Shape::Optional, kind: Kind::Message(&CONFIG_MAP_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 20, name: "vsphereVolume", shape: Shape::Optional, kind: Kind::Message(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 21, name: "quobyte", shape: Shape::Optional, kind: Kind::Message(&QUOBYTE_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 22, name: "azureDisk", shape: Shape::Optional, kind: Kind::Message(&AZURE_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 23, name: "photonPersistentDisk", shape: Shape::Optional, kind: Kind::Message(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 26, name: "projected", shape: Shape::Optional, kind: Kind::Message(&PROJECTED_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 24, name: "portworxVolume", shape: Shape::Optional, kind: Kind::Message(&PORTWORX_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 25, name: "scaleIO", shape: Shape::Optional, kind: Kind::Message(&SCALE_IO_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 27, name: "storageos", shape: Shape::Optional, kind: Kind::Message(&STORAGE_OS_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 28, name: "csi", shape: Shape::Optional, kind: Kind::Message(&CSI_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 29, name: "ephemeral", shape: Shape::Optional, kind: Kind::Message(&EPHEMERAL_VOLUME_SOURCE), presence: Presence::NotEmpty },
        Field { number: 30, name: "image", shape: Shape::Optional, kind: Kind::Message(&IMAGE_VOLUME_SOURCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(10), FieldEntry::Field(11), FieldEntry::Field(12), FieldEntry::Field(13), FieldEntry::Field(14), FieldEntry::Field(15), FieldEntry::Field(16), FieldEntry::Field(17), FieldEntry::Field(18), FieldEntry::Field(19), FieldEntry::Field(20), FieldEntry::Field(21), FieldEntry::Field(22), FieldEntry::Field(24), FieldEntry::Field(25), FieldEntry::Field(23), FieldEntry::Field(26), FieldEntry::Field(27), FieldEntry::Field(28), FieldEntry::Field(29)],
};

pub(super) static VOLUME_STATUS: Message = Message {
    name: "VolumeStatus",
    fields: &[
        Field { number: 1, name: "image", shape: Shape::Optional, kind: Kind::Message(&IMAGE_VOLUME_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Message = Message {
    name: "VsphereVirtualDiskVolumeSource",
    fields: &[
        Field { number: 1, name: "volumePath", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "fsType", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "storagePolicyName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "storagePolicyID", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static WEIGHTED_POD_AFFINITY_TERM: Message = Message {
    name: "WeightedPodAffinityTerm",
    fields: &[
        Field { number: 1, name: "weight", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "podAffinityTerm", shape: Shape::One, kind: Kind::Message(&POD_AFFINITY_TERM), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static WINDOWS_SECURITY_CONTEXT_OPTIONS: Message = Message {
    name: "WindowsSecurityContextOptions",
    fields: &[
        Field { number: 1, name: "gmsaCredentialSpecName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "gmsaCredentialSpec", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "runAsUserName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "hostProcess", shape: Shape::Optional, kind: Kind::Bool, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};
