//! The real kube-controller-manager on our API server, with our scheduler and kubelet, and the same work by our stand-ins.
//!
//! Tests wait for conditions, never for time.

mod deletions;
mod differences;
mod objects;
mod scene;
mod workloads;

use std::process::ExitCode;

use kubernetes_tests::built::Program;
use kubernetes_tests::trials::Suite;

fn main() -> ExitCode {
    let mut suite = Suite::of(Program::Controllers, "controller_manager");
    suite
        .test("it runs workloads, and stand-ins leave the same objects behind", workloads::are_the_same)
        .test("it collects garbage and deletes namespaces", deletions::are_finished)
        .test("its controllers have accounts and tokens of their own", scene::accounts_are_used);
    suite.run()
}
