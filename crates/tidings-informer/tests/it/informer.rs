//! Shared informers over scripted sources: what handlers, listers and streams receive, and when.

mod applying;
mod backlog;
mod concurrency;
mod failures;
mod faults;
mod filters;
mod fixture;
mod handlers;
mod latch;
mod model;
mod namespaces;
mod notification_log;
mod removal;
mod resync;
mod stop;
mod streams;
mod subscribers;
mod synced;
mod traces;
