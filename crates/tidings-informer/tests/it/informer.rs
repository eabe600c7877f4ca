//! Shared informers over scripted sources: what handlers, listers and streams are told, and when.

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
