//! The messages of k8s.io/api/authentication/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static SELF_SUBJECT_REVIEW: Message = Message {
    name: "SelfSubjectReview",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::Message(&SELF_SUBJECT_REVIEW_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SELF_SUBJECT_REVIEW_STATUS: Message = Message {
    name: "SelfSubjectReviewStatus",
    fields: &[
        Field { number: 1, name: "userInfo", shape: Shape::One, kind: Kind::Message(&super::authentication_v1::USER_INFO), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static TOKEN_REVIEW: Message = Message {
    name: "TokenReview",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&TOKEN_REVIEW_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&TOKEN_REVIEW_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static TOKEN_REVIEW_SPEC: Message = Message {
    name: "TokenReviewSpec",
    fields: &[
        Field { number: 1, name: "token", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "audiences", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static TOKEN_REVIEW_STATUS: Message = Message {
    name: "TokenReviewStatus",
    fields: &[
        Field { number: 1, name: "authenticated", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 2, name: "user", shape: Shape::One, kind: Kind::Message(&USER_INFO), presence: Presence::Always },
        Field { number: 4, name: "audiences", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "error", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(3), FieldEntry::Field(2)],
};

pub(super) static USER_INFO: Message = Message {
    name: "UserInfo",
    fields: &[
        Field { number: 1, name: "username", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "groups", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "extra", shape: Shape::Map, kind: Kind::List(&Kind::String), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};
