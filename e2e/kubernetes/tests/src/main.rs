//! Builds the programs for the tests of this crate: `cargo run -p kubernetes-tests -- build [1.35]`.
//!
//! Prints the path of the server. Builds nothing that exists. kube-controller-manager is built for the default release only.
#![expect(clippy::print_stdout, reason = "it is a program")]

use anyhow::bail;
use kubernetes_tests::Built;
use kubernetes_tests::built::{Program, RELEASE_DEFAULT};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let release = match &*arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        ["build"] => RELEASE_DEFAULT,
        ["build", release] => release,
        _ => bail!("usage: kubernetes-tests build [RELEASE], such as 1.35"),
    };
    let server = Built::build(Program::Server, release)?;
    if release == RELEASE_DEFAULT {
        Built::build(Program::Controllers, release)?;
    }
    println!("{}", server.program.display());
    Ok(())
}
