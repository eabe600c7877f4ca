//! Splits the body of a list while it streams in, on whichever wire it comes: each item as soon as its last byte is
//! there, and at the end what the list says of itself. The body is never held whole; at most one item is.

use tidings_object::Wire;

use crate::list_head::{ListKind, Wrong};
use crate::payload::Payload;
use crate::{ListEnd, json, protobuf};

/// Splits one body.
#[derive(Debug)]
pub(crate) enum ListSplit {
    Json(json::list_split::ListSplit),
    Protobuf(protobuf::list_split::ListSplit),
}

/// Why a body is no list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SplitError {
    #[error("an item is larger than {limit_bytes} bytes")]
    ItemTooLarge { limit_bytes: usize },
    #[error("the list ended after {items} items")]
    Truncated { items: usize },
    #[error("the body does not begin as a list does")]
    NotAList,
    #[error("not a list at byte {at}: {expected}")]
    Malformed { at: usize, expected: &'static str },
    #[error("wrong kind of list: {0}")]
    Wrong(Wrong),
}

impl From<Wrong> for SplitError {
    fn from(wrong: Wrong) -> Self {
        SplitError::Wrong(wrong)
    }
}

/// The head of a list is small: its longest field is a continue token.
pub(crate) const HEAD_FIELD_BYTES_MAX: usize = 1 << 20;

impl ListSplit {
    pub(crate) fn new(wire: Wire, kind: ListKind, frame_bytes_max: usize) -> ListSplit {
        match wire {
            Wire::Json => ListSplit::Json(json::list_split::ListSplit::new(kind, frame_bytes_max)),
            Wire::Protobuf => {
                ListSplit::Protobuf(protobuf::list_split::ListSplit::new(kind, frame_bytes_max))
            }
        }
    }

    /// The next item that ends within `input`, which is moved past it; `None` when more must come.
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<Payload<'a>>, SplitError> {
        Ok(match self {
            ListSplit::Json(split) => split.next(input)?.map(Payload::Json),
            ListSplit::Protobuf(split) => split.next(input)?.map(Payload::of_list_item),
        })
    }

    /// How many items have come.
    pub(crate) fn items(&self) -> usize {
        match self {
            ListSplit::Json(split) => split.items(),
            ListSplit::Protobuf(split) => split.items(),
        }
    }

    /// What the list says of itself, once the body has ended.
    pub(crate) fn finish(self) -> Result<ListEnd, SplitError> {
        match self {
            ListSplit::Json(split) => split.finish(),
            ListSplit::Protobuf(split) => split.finish(),
        }
    }
}
