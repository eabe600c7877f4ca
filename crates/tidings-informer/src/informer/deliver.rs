//! From applied deltas to user code: `dispatch` puts notifications into the `mailbox` of each handler, `backlog` is
//! the bounded queue inside it, `callback` and `filter` call user code, `stream` is the same as a `Stream`, and
//! `resync` decides when all objects are delivered again.

pub(crate) mod backlog;
pub(crate) mod callback;
pub(crate) mod dispatch;
pub(crate) mod filter;
pub(crate) mod mailbox;
pub(crate) mod resync;
pub(crate) mod stream;
