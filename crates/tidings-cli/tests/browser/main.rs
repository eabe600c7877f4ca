//! The dashboard in a real browser.
fn main() {}
