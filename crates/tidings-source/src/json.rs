//! Lists and watches as JSON.

pub(crate) mod frames;
pub(crate) mod list_split;
pub(crate) mod value_end;
pub(crate) mod watch_frame;
