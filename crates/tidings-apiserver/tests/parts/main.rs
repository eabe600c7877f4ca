//! What a client sees, part by part, over both doors.

mod bad_input;
mod custom;
mod deletes;
mod door;
mod doors;
mod faults;
mod informers_view;
mod lagging;
mod lists;
mod protobuf;
mod watches;
mod writes;
