//! What a client sees, part by part, over both doors.

mod door;
mod doors;
mod informers_view;
