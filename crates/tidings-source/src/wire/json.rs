//! Lists and watches as JSON.

pub(crate) mod frame_splitter;
pub(crate) mod list_splitter;
pub(crate) mod value_end;
pub(crate) mod watch_frame;
