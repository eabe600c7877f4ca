//! The program `tidings`.

fn main() {}
