//! The bytes of one object on the wire that they came by, and the three things that can be made of them.

use std::borrow::Cow;
use std::sync::Arc;

use tidings_object::identity::{self, Identity};
use tidings_object::{Intake, IntakeError, KnownObjects, RawObject};

use crate::protobuf::envelope::{Envelope, TypeMeta};

/// The bytes of one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Payload<'a> {
    Json(&'a [u8]),
    Protobuf(Envelope<'a>),
}

impl<'a> Payload<'a> {
    /// An item of a list as protobuf, which does not say what it is.
    pub(crate) fn of_list_item(message: &'a [u8]) -> Payload<'a> {
        Payload::Protobuf(Envelope { type_meta: TypeMeta::default(), message })
    }

    /// The object.
    pub(crate) fn object(
        self,
        intake: &Intake,
        known: &dyn KnownObjects,
    ) -> Result<Arc<RawObject>, IntakeError> {
        match self {
            Payload::Json(text) => intake.json(text, known),
            Payload::Protobuf(envelope) => {
                intake.protobuf(envelope.type_meta.told(), envelope.message, known)
            }
        }
    }

    /// What it says of itself, without becoming an object.
    pub(crate) fn identity(self) -> Result<Identity<'a>, IntakeError> {
        match self {
            Payload::Json(text) => Ok(identity::scan(text)?),
            Payload::Protobuf(Envelope { type_meta, message }) => Ok(Identity {
                kind: type_meta.told().kind.map(Cow::Borrowed),
                api_version: type_meta.told().api_version.map(Cow::Borrowed),
                ..identity::scan_protobuf(message)?
            }),
        }
    }
}
