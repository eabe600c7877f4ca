//! The rules of `docs/derived.md`, one by one.

mod failures;
mod handlers;
mod informers;
mod lifecycle;
mod operators;
mod outputs;
mod reads;
mod threads;
