//! Shared informers over scripted sources: what handlers, listers and streams are told, and when.

#![allow(missing_docs, reason = "tests")]

mod abuse;
mod applying;
mod backlog;
mod failures;
mod faults;
mod filters;
mod gate;
mod handlers;
mod heard;
mod model;
mod namespaces;
mod removal;
mod resync;
mod stage;
mod stop;
mod streams;
mod subscribers;
mod synced;
