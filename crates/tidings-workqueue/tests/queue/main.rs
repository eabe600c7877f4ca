//! What a user of the queue sees, in paused time.

#![allow(missing_docs, reason = "tests")]

mod basics;
