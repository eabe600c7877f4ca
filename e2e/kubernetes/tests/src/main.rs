//! Builds the server that the tests of this crate run on: `cargo run -p kubernetes-tests -- build [1.35]`.
//!
//! It prints the path of the program. A second time it finds what is built.
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
