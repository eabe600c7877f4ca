//! What each question says to each change.
