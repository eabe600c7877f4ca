//! Builds the server for the tests of this crate: `cargo run -p kubernetes-tests -- build [1.35]`.
//!
//! Prints the path of the program. Builds nothing if it exists.
#![expect(clippy::print_stdout, reason = "it is a program")]

use anyhow::bail;
use kubernetes_tests::Built;
use kubernetes_tests::built::RELEASE_DEFAULT;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let release = match &*arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        ["build"] => RELEASE_DEFAULT,
        ["build", release] => release,
        _ => bail!("usage: kubernetes-tests build [RELEASE], such as 1.35"),
    };
    println!("{}", Built::build(release)?.program.display());
    Ok(())
}
