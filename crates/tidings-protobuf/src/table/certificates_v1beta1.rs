//! The messages of k8s.io/api/certificates/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static CERTIFICATE_SIGNING_REQUEST: Message = Message {
    name: "CertificateSigningRequest",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&CERTIFICATE_SIGNING_REQUEST_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&CERTIFICATE_SIGNING_REQUEST_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CERTIFICATE_SIGNING_REQUEST_CONDITION: Message = Message {
    name: "CertificateSigningRequestCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "lastUpdateTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 5, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(1)],
};

pub(super) static CERTIFICATE_SIGNING_REQUEST_LIST: Message = Message {
    name: "CertificateSigningRequestList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CERTIFICATE_SIGNING_REQUEST), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CERTIFICATE_SIGNING_REQUEST_SPEC: Message = Message {
    name: "CertificateSigningRequestSpec",
    fields: &[
        Field { number: 1, name: "request", shape: Shape::One, kind: Kind::Bytes, presence: Presence::Always },
        Field { number: 7, name: "signerName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "expirationSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "usages", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "username", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "groups", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "extra", shape: Shape::Map, kind: Kind::List(&Kind::String), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(3), FieldEntry::Field(7), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CERTIFICATE_SIGNING_REQUEST_STATUS: Message = Message {
    name: "CertificateSigningRequestStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&CERTIFICATE_SIGNING_REQUEST_CONDITION), presence: Presence::NotEmpty },
        Field { number: 2, name: "certificate", shape: Shape::One, kind: Kind::Bytes, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CLUSTER_TRUST_BUNDLE: Message = Message {
    name: "ClusterTrustBundle",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&CLUSTER_TRUST_BUNDLE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CLUSTER_TRUST_BUNDLE_LIST: Message = Message {
    name: "ClusterTrustBundleList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CLUSTER_TRUST_BUNDLE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CLUSTER_TRUST_BUNDLE_SPEC: Message = Message {
    name: "ClusterTrustBundleSpec",
    fields: &[
        Field { number: 1, name: "signerName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "trustBundle", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_CERTIFICATE_REQUEST: Message = Message {
    name: "PodCertificateRequest",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&POD_CERTIFICATE_REQUEST_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&POD_CERTIFICATE_REQUEST_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static POD_CERTIFICATE_REQUEST_LIST: Message = Message {
    name: "PodCertificateRequestList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&POD_CERTIFICATE_REQUEST), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POD_CERTIFICATE_REQUEST_SPEC: Message = Message {
    name: "PodCertificateRequestSpec",
    fields: &[
        Field { number: 1, name: "signerName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "podName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "podUID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "serviceAccountName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 5, name: "serviceAccountUID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "nodeName", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 7, name: "nodeUID", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 8, name: "maxExpirationSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "pkixPublicKey", shape: Shape::One, kind: Kind::Bytes, presence: Presence::Always },
        Field { number: 10, name: "proofOfPossession", shape: Shape::One, kind: Kind::Bytes, presence: Presence::Always },
        Field { number: 12, name: "stubPKCS10Request", shape: Shape::One, kind: Kind::Bytes, presence: Presence::Always },
        Field { number: 11, name: "unverifiedUserAnnotations", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9), FieldEntry::Field(11), FieldEntry::Field(10)],
};

pub(super) static POD_CERTIFICATE_REQUEST_STATUS: Message = Message {
    name: "PodCertificateRequestStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
        Field { number: 2, name: "certificateChain", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "notBefore", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 5, name: "beginRefreshAt", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
        Field { number: 6, name: "notAfter", shape: Shape::Optional, kind: Kind::Time, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};
