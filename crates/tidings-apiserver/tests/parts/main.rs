//! What a client sees, part by part, over both doors.

mod door;
mod informers_view;
