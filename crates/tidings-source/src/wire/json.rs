//! Lists and watches as JSON.

pub(crate) mod frame_splitter;
pub(crate) mod list_splitter;
pub(crate) mod watch_frame;
pub(crate) mod white_space;
